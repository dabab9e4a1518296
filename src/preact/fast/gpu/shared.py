"""What the Triton kernels share.

A tensor (N, C, H, W) with channels last is a matrix: a row for each pixel, a
column for each channel. A program takes `SPAN` rows of one ghost batch, a
`BLOCK` of them at a time; whatever has to be summed over all pixels leaves it
as one partial result, and PyTorch adds these up in a fixed order: the same
numbers at every run.

The convolutions have stride 1, kernels of 1x1 or 3x3 and no bias; their
weights are (c_out, taps, c_in). Channels are a power of two, 16 or more.
"""

import triton
import triton.language as tl

from preact.plan import BN_EPS

EPS = tl.constexpr(BN_EPS)


@triton.jit
def load_mean_rstd(stats, group, groups, C: tl.constexpr):
    """Mean and 1/deviation of each channel from (2, groups, C)."""
    c = tl.arange(0, C)
    mean = tl.load(stats + group * C + c)
    var = tl.load(stats + (groups + group) * C + c)
    return mean, tl.rsqrt(var + EPS)


@triton.jit
def neighbors(row, end, tap_y, tap_x, height, width):
    """Rows of the pixels at an offset, and which of them exist."""
    pixel = row % (height * width)
    y = pixel // width + tap_y
    x = pixel % width + tap_x
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width) & (row < end)
    return row + tap_y * width + tap_x, inside


@triton.jit
def load_rows(matrix, row, inside, C: tl.constexpr):
    """Read rows of a matrix in float32; zero where there is none."""
    at = row[:, None] * C + tl.arange(0, C)[None, :]
    return tl.load(matrix + at, mask=inside[:, None], other=0.0).to(tl.float32)


@triton.jit
def load_relu_bn(x, row, inside, mean, scale, shift, C: tl.constexpr):
    """relu(bn(x)) in rows, zero where there is none, and what ReLU saw."""
    z = load_rows(x, row, inside, C)
    line = (z - mean[None, :]) * scale[None, :] + shift[None, :]
    # As PyTorch's: NaN is not below zero, and goes on.
    positive = tl.where(line <= 0.0, 0.0, line)
    return tl.where(inside[:, None], positive, 0.0), line, z


@triton.jit
def load_bn(stats, weight, bias, group, groups, C: tl.constexpr):
    """Mean, 1/deviation, scale and shift of a BN, (C,) each."""
    c = tl.arange(0, C)
    mean, rstd = load_mean_rstd(stats, group, groups, C)
    return mean, rstd, tl.load(weight + c) * rstd, tl.load(bias + c)
