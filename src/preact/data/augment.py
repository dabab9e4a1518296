"""Batches from bytes: normalize, pad, crop, flip, on the images' own device.

All draws come from a generator on the CPU, seeded by run and iteration: the
same on CPU and GPU, and known to a run that resumes.
"""

from dataclasses import dataclass, field
from functools import lru_cache

import torch
import torch.nn.functional as nnf
from torch import Tensor


def draws(seed: int, iteration: int, stream: int) -> torch.Generator:
    """Source of the random numbers of one iteration of one run."""
    mixed = (seed * 1_000_003 + iteration) * 31 + stream
    return torch.Generator().manual_seed(mixed % (2**63 - 1))


@lru_cache(maxsize=2)
def permutation(seed: int, epoch: int, n: int) -> Tensor:
    """Order of n images in an epoch of a run."""
    return torch.randperm(n, generator=draws(seed, epoch, stream=1))


def to_device(values: Tensor, device: torch.device) -> Tensor:
    """Copy from the CPU; nothing waits until a GPU has done its work."""
    if device.type == "cuda":
        values = values.pin_memory()
    return values.to(device, non_blocking=True)


@dataclass(frozen=True, kw_only=True)
class Augmentation:
    """How training images are cut and normalized, as a `Recipe` has it."""

    normalization: str
    pad: int = 0
    pad_before_normalization: bool = False
    flip: bool = False


@dataclass(frozen=True, kw_only=True)
class Batch:
    """The images of an iteration, and which part of them a process sees."""

    seed: int
    iteration: int
    size: int
    part: slice = field(default_factory=lambda: slice(None))

    def indices(self, n: int) -> Tensor:
        """Which of n images this part has, by an endless row of permutations.

        A batch may reach into the next permutation, so none is partial.
        """
        start, missing = self.iteration * self.size, self.size
        parts = []
        while missing:
            epoch, offset = divmod(start, n)
            order = permutation(self.seed, epoch, n)
            taken = order[offset : offset + missing]
            parts.append(taken)
            start, missing = start + len(taken), missing - len(taken)
        return torch.cat(parts)[self.part]


def normalize(images: Tensor, mean: Tensor, deviation: Tensor) -> Tensor:
    """Bytes (N, C, H, W) to float32 of mean 0."""
    return (images.float() - mean) / deviation


def crop_and_flip(
    images: Tensor, batch: Batch, *, pad: int, flip: bool
) -> Tensor:
    """Zero-pad a batch's images (N, C, H, W), crop at random, flip half.

    Bytes are padded with black, normalized floats with the mean; with 0
    pixels on each side images stay where they are.
    """
    n, _, height, width = images.shape
    rng = draws(batch.seed, batch.iteration, stream=2)
    device = images.device
    drawn = (
        *(
            torch.randint(0, 2 * pad + 1, (batch.size,), generator=rng)
            for _ in range(2)
        ),
        torch.rand(batch.size, generator=rng) < 0.5,
    )
    rows, columns, flipped = (
        to_device(values[batch.part, None], device) for values in drawn
    )
    if pad:
        images = nnf.pad(images, (pad, pad, pad, pad))
        y = rows + torch.arange(height, device=device)
        x = columns + torch.arange(width, device=device)
        which = torch.arange(n, device=device)[:, None, None]
        images = images.permute(0, 2, 3, 1)[which, y[:, :, None], x[:, None]]
        images = images.permute(0, 3, 1, 2)
    if flip:
        mask = flipped[:, :, None, None]
        images = torch.where(mask, images.flip(3), images)
    return images
