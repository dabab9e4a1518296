"""Images to train on: scikit-learn's digits, CIFAR, ImageNet, and your own.

All but ImageNet stay in memory as bytes; `augment` turns batches into what a
network reads, on whatever device they are. Your images become one as an
`ImageSet` of tensors, or lie in folders.

Chapters `09-training` and `10-imagenet`.
"""

from pathlib import Path

import torch

from preact.data.cifar import CIFAR, read_cifar
from preact.data.digits import read_digits
from preact.data.folders import ImageFolder, from_folders, read_imagenet
from preact.data.images import (
    ImageSet,
    check_own_data_name,
    halve,
    hold_out,
)
from preact.plan.data_sets import DATA_SETS
from preact.typed import find_own_code, raised, shortened

Data = ImageSet | ImageFolder
"""What a network is trained on and tested with."""
NAMES = (*DATA_SETS, "folders")
"""What `load` knows."""

__all__ = [
    "Data",
    "ImageSet",
    "hold_out",
    "load",
    "read_digits",
]


def load(name: str, folder: Path | str = "data") -> Data:
    """Return a data set by name.

    Parameters
    ----------
    name : one of `NAMES`, or "package.module:name"
        The latter is a function of yours that takes nothing and returns an
        `ImageSet`; the current folder is searched for its module.
        Digits come with scikit-learn; the others must be on disk.
        "cifar10-16" is CIFAR-10 at 16x16, as `halve` makes it; "folders" is
        `from_folders` at 32x32.
    folder : Path or str
        Where CIFAR's binary files lie, or `train` and `val` with a folder
        for each class.

    Raises
    ------
    ValueError, FileNotFoundError
        If there is no such data set, or its files are damaged; if they are
        missing, with how to get them.

    Examples
    --------
    >>> from preact.data import load
    >>> digits = load("digits")
    >>> digits.shape, digits.counts, digits.classes
    ((1, 8, 8), (1437, 360), 10)
    """
    check_data_choice(name)
    folder = Path(folder)
    if ":" in name:
        make = find_own_code(name, "data")
        try:
            made = make()
        except TypeError as error:
            raise ValueError(
                f"data {name!r} must be a function that takes nothing; "
                f"calling it raised {raised(error)}"
            ) from error
        if not isinstance(made, ImageSet):
            raise ValueError(
                f"data {name!r} must return a preact.data.ImageSet; got "
                f"{type(made).__name__}"
            )
        check_own_data_name("name", made.name)
        return made
    if name == "digits":
        return read_digits()
    if name == "cifar10-16":
        return halve(read_cifar("cifar10", folder))
    if name in CIFAR:
        return read_cifar(name, folder)
    if name == "imagenet":
        return read_imagenet(folder)
    return from_folders(folder)


def stand_in(name: str) -> ImageSet | None:
    """Return a few random images of a data set's shape, to time a run with.

    None if the shape of its images is not known without them.
    """
    known = DATA_SETS.get(name)
    if known is None:
        return None
    images = torch.randint(256, (2, *known.shape), dtype=torch.uint8)
    return ImageSet(
        name=name,
        label=f"random images in place of {name}",
        classes=known.classes,
        train_images=images,
        train_labels=torch.arange(2),
        test_images=images,
        test_labels=torch.arange(2),
    )


def check_data_choice(name: str) -> None:
    """Raise ValueError unless it is of `NAMES` or `package.module:name`."""
    known = isinstance(name, str) and all(name.partition(":"))
    if name not in NAMES and not known:
        raise ValueError(
            f"data must be one of {', '.join(NAMES)}, or "
            f"package.module:name; got {shortened(name)}"
        )
