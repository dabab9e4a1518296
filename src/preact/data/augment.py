"""Batches from bytes: normalize, pad, crop, flip, on the images' own device.

All draws come from a generator on the CPU, seeded by run and iteration: the
same on CPU and GPU, and known to a run that resumes.

Chapter `09-training`.
"""

import torch
import torch.nn.functional as nnf
from torch import Tensor


def draws(seed: int, iteration: int, stream: int) -> torch.Generator:
    """Source of the random numbers of one iteration of one run."""
    mixed = (seed * 1_000_003 + iteration) * 31 + stream
    return torch.Generator().manual_seed(mixed % (2**63 - 1))


def batch_indices(n: int, batch: int, seed: int, iteration: int) -> Tensor:
    """Which images stand in a batch: an endless row of permutations.

    Never a partial batch: it may reach into the next permutation. Any
    iteration can be asked for by itself.

    Returns
    -------
    (batch,) int64
    """
    start = iteration * batch
    parts = []
    while batch:
        epoch, offset = divmod(start, n)
        order = torch.randperm(n, generator=draws(seed, epoch, stream=1))
        taken = order[offset : offset + batch]
        parts.append(taken)
        start, batch = start + len(taken), batch - len(taken)
    return torch.cat(parts)


def normalize(images: Tensor, mean: Tensor, deviation: Tensor) -> Tensor:
    """Bytes (N, C, H, W) to float32 of mean 0."""
    return (images.float() - mean) / deviation


def crop_and_flip(
    images: Tensor,
    *,
    pad: int,
    flip: bool,
    seed: int,
    iteration: int,
    part: slice = slice(None),
    batch: int | None = None,
) -> Tensor:
    """Zero-pad, crop at random, flip half of the images.

    Parameters
    ----------
    images : (N, C, H, W)
        Bytes, to pad with black before normalization, or normalized floats,
        to pad with the mean.
    pad : int
        Pixels on each side; 0 leaves the images where they are.
    part, batch : slice and int
        Which of how many images of the iteration these are, if not all.
    """
    n, _, height, width = images.shape
    batch_size = batch or n
    rng = draws(seed, iteration, stream=2)
    rows, columns = (
        torch.randint(0, 2 * pad + 1, (batch_size,), generator=rng)[part]
        for _ in range(2)
    )
    flipped = torch.rand(batch_size, generator=rng)[part] < 0.5
    device = images.device
    if pad:
        images = nnf.pad(images, (pad, pad, pad, pad))
        y = rows.to(device)[:, None] + torch.arange(height, device=device)
        x = columns.to(device)[:, None] + torch.arange(width, device=device)
        which = torch.arange(n, device=device)[:, None, None]
        images = images.permute(0, 2, 3, 1)[which, y[:, :, None], x[:, None]]
        images = images.permute(0, 3, 1, 2)
    if flip:
        mask = flipped.to(device)[:, None, None, None]
        images = torch.where(mask, images.flip(3), images)
    return images
