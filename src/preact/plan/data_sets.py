"""What is known of data sets before their files are read."""

from typing import NamedTuple


class DataSet(NamedTuple):
    """What a network for a data set reads and answers, and what it is beside.

    `paper` is the paper's data set that ours stands beside, "" is none;
    `width` the channels behind the stem of the paper's networks. On CIFAR's
    images a run shorter than the paper's is cut short.
    """

    shape: tuple[int, int, int]
    classes: int
    paper: str = ""
    width: int = 16
    is_cifar: bool = False


DATA_SETS = {
    "digits": DataSet((1, 8, 8), 10, "CIFAR-10"),  # none of the paper's own
    "cifar10": DataSet((3, 32, 32), 10, "CIFAR-10", is_cifar=True),
    "cifar100": DataSet((3, 32, 32), 100, "CIFAR-100", is_cifar=True),
    "cifar10-16": DataSet((3, 16, 16), 10, is_cifar=True),
    "imagenet": DataSet((3, 224, 224), 1000, "ImageNet", width=64),
}
WIDTHS = {known.width for known in DATA_SETS.values()}


def paper_width(data: str) -> int:
    """Channels behind the stem of the paper's networks for a data set."""
    return DATA_SETS[data].width if data in DATA_SETS else 16
