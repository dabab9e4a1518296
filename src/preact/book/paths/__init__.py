"""Trained networks taken apart, and what their paths carry.

Chapter `08-paths`.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from preact.book.panels import FINAL_BN
from preact.reference.caches import Array
from preact.spec import BN, RELU, TABLE_1, TABLE_2

PLAIN, FULL = "constant-scaling-0-1", "full-preactivation"
ARMS = {  # unit, and what stands before the classifier
    PLAIN + FINAL_BN: (TABLE_1[PLAIN], (BN,)),
    "original" + FINAL_BN: (TABLE_2["original"], (BN,)),
    FULL + FINAL_BN: (TABLE_2[FULL], (BN, RELU)),
}


def share_by_length(delta: Tensor, lengths: Sequence[int]) -> Array:
    """Return what all paths of each length carry together, as a share.

    Of what each of 2^n paths carries, (2^n, seeds, N, d), and how many
    branches it takes: mean squares, (n + 1, seeds), which add up to 1 over the
    lengths.
    """
    together = torch.zeros(max(lengths) + 1, *delta.shape[1:])
    together.index_add_(0, torch.tensor(lengths), delta)
    square = (together**2).mean((2, 3))
    share: Array = (square / square.sum(0)).double().numpy()
    return share
