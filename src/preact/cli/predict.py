"""`preact predict`: what a trained network sees on images."""

import argparse
import json
from collections.abc import Iterator

import torch
from torch import Tensor

from preact.cli import complain
from preact.cli.eval import find_make
from preact.data import Preprocessing
from preact.train.device import check_device, find_device
from preact.weights import load


def run(options: argparse.Namespace) -> int:
    """Print a line for each image. Refuse what cannot be read."""
    if options.top < 1:
        raise ValueError(f"--top must be 1 or more; got {options.top}")
    place = check_device(options.device or find_device())
    for path in options.images:
        if not path.exists():
            raise FileNotFoundError(f"{path} does not exist")
    if options.file.suffix.lower() in (".png", ".jpg", ".jpeg"):
        raise ValueError(
            "the first argument must be the weights file and images come "
            f"after it; got {options.file} first"
        )
    network = load(options.file, make=find_make(options.make))
    preprocess = network.preprocess
    if not isinstance(preprocess, Preprocessing):
        raise ValueError(
            f"{options.file} does not say how its images were normalized; "
            "`preact train` keeps that with the weights"
        )
    images = torch.stack(
        [preprocess.open(p, network.plan.image) for p in options.images]
    )
    if options.invert:
        images = preprocess.white - images
    for path, image in zip(options.images, images, strict=True):
        if _is_inverted(image, preprocess) and not options.invert:
            complain(
                f"{path} is dark on light, and the network was trained on "
                "light on dark: --invert exchanges them"
            )
    weight = network.to(place).classifier.weight
    x = preprocess(images).to(place, weight.dtype)
    with torch.no_grad():
        shares = network(x).float().softmax(1).cpu()
    names = preprocess.names or tuple(map(str, range(network.plan.classes)))
    for path, row in zip(options.images, shares, strict=True):
        guesses = dict(_likeliest(row, names, options.top))
        if options.json:
            print(json.dumps({"image": str(path), "classes": guesses}))
        else:
            said = (f"{name} ({100 * p:.1f} %)" for name, p in guesses.items())
            print(f"{path}: {', '.join(said)}")
    return 0


def _is_inverted(image: Tensor, preprocess: Preprocessing) -> bool:
    """Whether a gray image is light where those that were learned are dark."""
    middle = preprocess.white / 2
    learned, shown = preprocess.mean.mean(), image.float().mean()
    return len(image) == 1 and bool(learned < middle < shown)


def _likeliest(
    row: Tensor, names: tuple[str, ...], top: int
) -> Iterator[tuple[str, float]]:
    """Names and probabilities of the likeliest classes."""
    values, labels = row.topk(min(top, len(row)))
    for p, label in zip(values.tolist(), labels.tolist(), strict=True):
        # outputs beyond the named classes have numbers
        yield names[label] if label < len(names) else str(label), p
