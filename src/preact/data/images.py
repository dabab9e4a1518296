"""What every data set is: bytes in memory, and a name that can be trusted."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class ImageSet:
    """Training and test images.

    Parameters
    ----------
    name : str
        As in `preact.data.load`.
    label : str
        As figures and tables must call it; says if the files are not the
        official ones.
    classes : int
        Number of labels.
    train_images, test_images : (N, C, H, W) uint8
    train_labels, test_labels : (N,) int64
    """

    name: str
    label: str
    classes: int
    train_images: Tensor
    train_labels: Tensor
    test_images: Tensor
    test_labels: Tensor

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height and width of one image."""
        channels, height, width = self.train_images.shape[1:]
        return channels, height, width

    @cached_property
    def sha256(self) -> str:
        """Checksum of all pixels and labels, in order."""
        digest = hashlib.sha256()
        for part in (
            self.train_images,
            self.train_labels,
            self.test_images,
            self.test_labels,
        ):
            digest.update(np.ascontiguousarray(part.numpy()).tobytes())
        return digest.hexdigest()

    def statistics(self, kind: str) -> tuple[Tensor, Tensor]:
        """Mean and deviation of the training pixels, to normalize by.

        Parameters
        ----------
        kind : {"channel", "pixel mean"}
            One mean and one deviation for each channel (the authors'
            release), or one mean for each pixel and no division (the first
            residual paper).

        Returns
        -------
        mean, deviation : float32, broadcasting against (C, H, W)

        Raises
        ------
        ValueError
            If the kind is another.
        """
        pixels = self.train_images.double()
        if kind == "channel":
            mean = pixels.mean((0, 2, 3))[:, None, None]
            deviation = pixels.std((0, 2, 3))[:, None, None]
        elif kind == "pixel mean":
            mean = pixels.mean(0)
            deviation = torch.full_like(mean, pixels.std().item())
        else:
            raise ValueError(
                "normalization must be 'channel' or 'pixel mean'; "
                f"got {kind!r}"
            )
        return mean.float(), deviation.float()
