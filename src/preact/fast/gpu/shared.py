"""What the Triton kernels share.

A tensor (N, C, H, W) with channels last is a matrix: a row for each pixel, a
column for each channel. A program takes `SPAN` rows of one ghost batch, a
`BLOCK` of them at a time; whatever has to be summed over all pixels leaves it
as one partial result, and the last program of a ghost batch adds these up in
a fixed order: the same numbers at every run, and no launch of its own.

The convolutions have stride 1, kernels of 1x1 or 3x3 and no bias; their
weights are (c_out, taps, c_in). Channels are a power of two, 16 or more.
"""

import triton
import triton.language as tl

from preact.plan import BN_EPS

EPS = tl.constexpr(BN_EPS)
# Partial results that the last program reads at once.
PARTIALS_AT_ONCE = tl.constexpr(16)


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
def bn_dx(dm, z, bn):
    """Gradient of what BN read, from that of what it wrote, (rows, C)."""
    mean, rstd, weight, dbias, dweight = bn
    normed = (z - mean[None, :]) * rstd[None, :]
    by = (weight * rstd)[None, :]
    return by * (dm - dbias[None, :] - normed * dweight[None, :])


@triton.jit
def load_previous_bn(stats, weight, bias, group, groups, C: tl.constexpr):
    """Mean, 1/deviation, scale and shift of the BN that is read, (C,) each."""
    c = tl.arange(0, C)
    mean, rstd = load_mean_rstd(stats, group, groups, C)
    return mean, rstd, tl.load(weight + c) * rstd, tl.load(bias + c)


@triton.jit
def load_next_bn(
    stats, sums, weight, group, groups, rows, C: tl.constexpr, IS: tl.constexpr
):
    """What `bn_dx` needs of the BN behind, (C,) each; zeros without it.

    Mean, 1/deviation, weight, and the gradients of bias and weight divided
    by the rows of the ghost batch.
    """
    none = tl.zeros([C], tl.float32)
    if IS:
        c = tl.arange(0, C)
        mean, rstd = load_mean_rstd(stats, group, groups, C)
        dbias = tl.load(sums + group * C + c) / rows
        dweight = tl.load(sums + (groups + group) * C + c) / rows
        return mean, rstd, tl.load(weight + c), dbias, dweight
    else:
        return none, none, none, none, none


@triton.jit
def load_dy(d, y, row, inside, bn, C: tl.constexpr, IS: tl.constexpr):
    """Gradient of what a convolution wrote, in rows; zero where there is none.

    With a BN behind it, `d` is `dm` of that one.
    """
    dy = load_rows(d, row, inside, C)
    if IS:
        z = load_rows(y, row, inside, C)
        dy = bn_dx(dy, z, bn)
        dy = tl.where(inside[:, None], dy, 0.0)
    return dy


@triton.jit
def is_last_program(ticket, programs):
    """Whether all programs of this ghost batch but this one are through."""
    tl.debug_barrier()  # all of this program's results are written
    return tl.atomic_add(ticket, 1) == programs - 1


@triton.jit
def add_up_sums(
    partial, tickets, sums, dbias, dweight, groups, C: tl.constexpr
):
    """Write dbias and dweight of a ghost batch into sums (2, groups, C)."""
    program, group = tl.program_id(0), tl.program_id(1)
    programs = tl.num_programs(0)
    c = tl.arange(0, C)
    mine = partial + (group * programs + program) * 2 * C
    tl.store(mine + c, dbias)
    tl.store(mine + C + c, dweight)
    if is_last_program(tickets + group, programs):
        all_of = partial + group * programs * 2 * C
        dbias = tl.zeros([C], tl.float32)
        dweight = tl.zeros([C], tl.float32)
        for some in range(0, programs, PARTIALS_AT_ONCE):
            p = some + tl.arange(0, PARTIALS_AT_ONCE)
            there = all_of + p[:, None] * 2 * C + c[None, :]
            valid = (p < programs)[:, None]
            dbias += tl.sum(tl.load(there, mask=valid, other=0.0), 0)
            dweight += tl.sum(tl.load(there + C, mask=valid, other=0.0), 0)
        tl.store(sums + group * C + c, dbias)
        tl.store(sums + (groups + group) * C + c, dweight)
        tl.store(tickets + group, 0)
