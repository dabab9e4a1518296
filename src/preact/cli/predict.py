"""`preact predict`: what a trained network sees on images."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor

from preact.cli import complain
from preact.cli.eval import find_make
from preact.data.decode import shades
from preact.data.preprocessing import Preprocessing
from preact.train.device import check_device, find_device
from preact.weights import load


def run(options: argparse.Namespace) -> int:
    """Print a line for each image. Refuse those that cannot be read."""
    if options.top < 1:
        raise ValueError(f"--top must be 1 or more; got {options.top}")
    place = check_device(options.device or find_device())
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
    weight = network.to(place).classifier.weight
    names = preprocess.names or tuple(map(str, range(network.plan.classes)))
    status = 0
    for path in options.images:
        try:
            image = preprocess.open(path, network.plan.image)
        except (ValueError, OSError) as error:
            complain(error)
            status = 2
            continue
        for odd in _oddities(path, image, preprocess, options.invert):
            complain(f"{path} {odd}")
        if options.invert:
            image = preprocess.white - image
        x = preprocess(image[None]).to(place, weight.dtype)
        with torch.no_grad():
            shares = network(x)[0].float().softmax(0).cpu()
        guesses = dict(_likeliest(shares, names, options.top))
        if options.json:
            print(json.dumps({"image": str(path), "classes": guesses}))
        else:
            said = (f"{name} ({100 * p:.1f} %)" for name, p in guesses.items())
            print(f"{path}: {', '.join(said)}")
    return status


def _oddities(
    path: Path, image: Tensor, preprocess: Preprocessing, invert: bool
) -> Iterator[str]:
    """Say what no image that was learned can have been like."""
    whole = shades(path).float()
    short, long = sorted(whole.shape)
    if torch.equal(image.amin((1, 2)), image.amax((1, 2))):
        yield "is of one shade: there is nothing to see"
        return
    if long > 2 * short:
        yield "is read in its middle square alone: most of it lies outside"
    if len(image) == 1:
        half = preprocess.white / 2
        colors = preprocess.open(path, (3, *image.shape[1:]))
        if (colors.amax(0) - colors.amin(0)).max() > half:
            yield "is in color, and the network was trained on shades of gray"
        rim = torch.cat([whole[0], whole[-1], whole[:, 0], whole[:, -1]])
        ground = rim.median()
        brighter = whole.mean() > ground  # a light shape on gray
        light = preprocess.mean.mean() < half and ground > 127
        if light and not (invert or brighter):
            yield (
                "is dark on light, and the network was trained on light on "
                "dark: --invert exchanges them"
            )


def _likeliest(
    row: Tensor, names: tuple[str, ...], top: int
) -> Iterator[tuple[str, float]]:
    """Names and probabilities of the likeliest classes."""
    values, labels = row.topk(min(top, len(row)))
    for p, label in zip(values.tolist(), labels.tolist(), strict=True):
        # outputs beyond the named classes have numbers
        yield names[label] if label < len(names) else str(label), p
