"""Images to train on: scikit-learn's digits, CIFAR, ImageNet, and your own.

All but ImageNet stay in memory as bytes; `augment` turns batches into what a
network reads, on whatever device they are. `from_dataset` and `from_folders`
make a data set of your images.

Parameters
----------
name : str
    Of the data set; of CIFAR "cifar10" or "cifar100".
label : str
    What tables and records call it.
root : Path
    Where the files lie, in `train` and `val`.
folder : Path or str
    The same; of CIFAR the folder of its binary files, or the one above.
size : int
    Height and width of what the network sees, in pixels.
classes : int
    How many classes.
"""

from pathlib import Path

from preact.data.cifar import CIFAR, download_cifar, read_cifar
from preact.data.digits import read_digits
from preact.data.imagenet import ImageFolder, read_imagenet
from preact.data.images import ImageSet, halve
from preact.data.own import from_dataset, from_folders

Data = ImageSet | ImageFolder
"""What a network is trained on and tested with."""
NAMES = ("digits", *CIFAR, "cifar10-16", "imagenet", "folders")
"""What `load` knows."""

__all__ = [
    "NAMES",
    "Data",
    "ImageFolder",
    "ImageSet",
    "download_cifar",
    "from_dataset",
    "from_folders",
    "halve",
    "load",
    "read_cifar",
    "read_digits",
    "read_imagenet",
]


def load(name: str, folder: Path | str = "data") -> Data:
    """Return a data set by name.

    Parameters
    ----------
    name : one of `NAMES`
        Digits come with scikit-learn; the others must be on disk.
        "cifar10-16" is CIFAR-10 at 16x16, as `halve` makes it; "folders" is
        `from_folders` at 32x32.
    folder : Path or str
        Where CIFAR's binary files lie, or `train` and `val` with a folder
        for each class.

    Raises
    ------
    ValueError
        If there is no such data set, or its files are damaged.
    FileNotFoundError
        If they are missing; the message says how to get them.

    Examples
    --------
    >>> from preact.data import load
    >>> digits = load("digits")
    >>> digits.shape, digits.counts, digits.classes
    ((1, 8, 8), (1437, 360), 10)
    """
    folder = Path(folder)
    if name == "digits":
        return read_digits()
    if name == "cifar10-16":
        return halve(read_cifar("cifar10", folder))
    if name in tuple(CIFAR):
        return read_cifar(name, folder)
    if name == "imagenet":
        return read_imagenet(folder)
    if name == "folders":
        return from_folders(folder)
    raise ValueError(f"data must be one of {', '.join(NAMES)}; got {name!r}")
