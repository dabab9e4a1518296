"""What each forward leaves for its backward, by name.

Shapes are N C H W, everything float64.
"""

from typing import Any, NamedTuple

import numpy as np

from preact.plan import Layer

Array = np.ndarray[Any, np.dtype[np.float64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]


class ConvCache(NamedTuple):
    """Of `conv_forward`: the input's shape, the padded input, the weights."""

    shape: tuple[int, ...]
    padded: Array
    weight: Array
    has_bias: bool
    stride: int


class BNCache(NamedTuple):
    """Of `bn_forward`: x_hat (N, C, H, W), the rest (C,).

    sigma is sqrt(var + eps); mean and var are those that normalized.
    """

    x_hat: Array
    gamma: Array
    sigma: Array
    mean: Array
    var: Array
    training: bool


class PadCache(NamedTuple):
    """Of `pad_forward`."""

    shape: tuple[int, ...]
    stride: int


class PoolCache(NamedTuple):
    """Of `maxpool_forward`: which of the nine places won, (N, C, P, Q)."""

    shape: tuple[int, ...]
    winner: np.ndarray[Any, np.dtype[np.int64]]


class LinearCache(NamedTuple):
    """Of `linear_forward`."""

    x: Array
    weight: Array


LayerCache = ConvCache | BNCache | Mask | PadCache | PoolCache | LinearCache
LayerCaches = list[tuple[Layer, LayerCache]]  # of a sequence, in order
