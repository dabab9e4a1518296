"""Images to train on: scikit-learn's digits, CIFAR-10 and CIFAR-100.

Everything stays in memory as bytes; `augment` turns batches into what a
network reads, on whatever device they are.

Chapter `08-training`.
"""

from pathlib import Path

from preact.data.cifar import CIFAR, download_cifar, read_cifar
from preact.data.digits import read_digits
from preact.data.images import ImageSet

NAMES = ("digits", *CIFAR)

__all__ = ["NAMES", "ImageSet", "download_cifar", "load", "read_cifar"]


def load(name: str, folder: Path | None = None) -> ImageSet:
    """Return a data set by name.

    Parameters
    ----------
    name : {"digits", "cifar10", "cifar100"}
        Digits come with scikit-learn; CIFAR must be on disk.
    folder : Path, optional
        Where CIFAR's binary files lie (default: `data` below the current
        folder).

    Raises
    ------
    ValueError
        If there is no such data set, or its files are damaged.
    FileNotFoundError
        If they are missing; the message says how to get them.
    """
    if name == "digits":
        return read_digits()
    if name in CIFAR:
        return read_cifar(name, folder or Path("data"))
    raise ValueError(f"data must be one of {', '.join(NAMES)}; got {name!r}")
