"""Batches of a data set on a device: cut, flipped and normalized.

Chapter `09-training`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

EVALUATED = 500  # images at once, in a test


@dataclass(frozen=True, kw_only=True)
class Augmentation:
    """How training images are cut and normalized.

    Parameters
    ----------
    normalization : {"channel", "pixel mean"}
        See `ImageSet.statistics`.
    pad : int
        Pixels on each side before a random crop.
    pad_before_normalization : bool
        Pad with black, or else with the mean.
    flip : bool
        Mirror half of the images.
    """

    normalization: str
    pad: int
    pad_before_normalization: bool
    flip: bool


@dataclass(frozen=True, kw_only=True)
class BatchRequest:
    """Which images of a data set one process sees in one iteration.

    Parameters
    ----------
    chosen : (n,) int64
        Images of this process's share.
    part, batch : slice and int
        Its share of how many images of the iteration.
    """

    chosen: Tensor
    seed: int
    iteration: int
    part: slice
    batch: int


class Loader(Protocol):
    """Gives batches, images float32 (N, C, H, W) and labels int64 (N,)."""

    def train(self, request: BatchRequest, /) -> tuple[Tensor, Tensor]:
        """One batch to train on."""

    def test(
        self, start: int, every: int, /
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """Every `every`-th batch of test images, from number `start` on."""
