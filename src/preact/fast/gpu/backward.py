"""The way back through convolution, ReLU and BN, in Triton kernels.

The gradient of what a BN reads is known only once sums over all pixels are.
So the kernel of a convolution writes `dm`, the gradient of what the BN in
front of it wrote, masked by the ReLU between them, and its sums; `bn_backward`
finishes it.
"""

import triton
import triton.language as tl

from preact.fast.gpu.shared import (
    load_bn,
    load_mean_rstd,
    load_relu_bn,
    load_rows,
    neighbors,
)


@triton.jit
def conv_backward_input(
    dy,
    x,
    stats,
    weight,
    bias,
    kernel,
    dm,
    partial,
    rows,
    height,
    width,
    groups,
    C_IN: tl.constexpr,
    C_OUT: tl.constexpr,
    TAPS: tl.constexpr,
    BLOCK: tl.constexpr,
    SPAN: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Undo y = conv(relu(bn(x))) up to BN: `dm`, and its sums in parts."""
    program, group = tl.program_id(0), tl.program_id(1)
    first = group * rows
    end = first + rows
    c_in, c_out = tl.arange(0, C_IN), tl.arange(0, C_OUT)
    mean, rstd, scale, shift = load_bn(
        stats, weight, bias, group, groups, C_IN
    )
    at_kernel = c_out[:, None] * (TAPS * C_IN) + c_in[None, :]
    dtype = dm.dtype.element_ty
    dbias = tl.zeros([C_IN], tl.float32)
    dweight = tl.zeros([C_IN], tl.float32)
    for done in range(0, SPAN, BLOCK):
        row = first + program * SPAN + done + tl.arange(0, BLOCK)
        exists = row < end
        da = tl.zeros([BLOCK, C_IN], tl.float32)
        for tap in range(TAPS):
            # A pixel was read by the neighbors on the other side.
            near, inside = row, exists
            if TAPS == 9:
                near, inside = neighbors(
                    row, end, 1 - tap // 3, 1 - tap % 3, height, width
                )
            d = load_rows(dy, near, inside, C_OUT)
            k = tl.load(kernel + at_kernel + tap * C_IN)
            da = tl.dot(d.to(dtype), k, da, input_precision=PRECISION)
        _, line, z = load_relu_bn(x, row, exists, mean, scale, shift, C_IN)
        stops = (line <= 0.0) | ~exists[:, None]
        masked = tl.where(stops, 0.0, da).to(dtype)
        at = row[:, None] * C_IN + c_in[None, :]
        tl.store(dm + at, masked, mask=exists[:, None])
        value = masked.to(tl.float32)
        dbias += tl.sum(value, 0)
        normed = (z - mean[None, :]) * rstd[None, :]
        dweight += tl.sum(value * normed, 0)
    mine = partial + (group * tl.num_programs(0) + program) * 2 * C_IN
    tl.store(mine + c_in, dbias)
    tl.store(mine + C_IN + c_in, dweight)


@triton.jit
def conv_backward_weight(
    dy,
    x,
    stats,
    weight,
    bias,
    dkernel,
    rows,
    height,
    width,
    groups,
    C_IN: tl.constexpr,
    C_OUT: tl.constexpr,
    TAPS: tl.constexpr,
    BLOCK: tl.constexpr,
    SPAN: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Gradient of one tap of a kernel: what this program adds to it."""
    program, group = tl.program_id(0), tl.program_id(1)
    tap = tl.program_id(2)
    programs = tl.num_programs(0)
    first = group * rows
    end = first + rows
    c_in, c_out = tl.arange(0, C_IN), tl.arange(0, C_OUT)
    mean, _rstd, scale, shift = load_bn(
        stats, weight, bias, group, groups, C_IN
    )
    dtype = x.dtype.element_ty
    dk = tl.zeros([C_OUT, C_IN], tl.float32)
    for done in range(0, SPAN, BLOCK):
        row = first + program * SPAN + done + tl.arange(0, BLOCK)
        near, inside = row, row < end
        d = tl.trans(load_rows(dy, row, inside, C_OUT).to(dtype))
        if TAPS == 9:
            near, inside = neighbors(
                row, end, tap // 3 - 1, tap % 3 - 1, height, width
            )
        a, _, _ = load_relu_bn(x, near, inside, mean, scale, shift, C_IN)
        dk = tl.dot(d, a.to(dtype), dk, input_precision=PRECISION)
    mine = dkernel + (group * programs + program) * (C_OUT * TAPS * C_IN)
    at = c_out[:, None] * (TAPS * C_IN) + tap * C_IN + c_in[None, :]
    tl.store(mine + at, dk)


@triton.jit
def bn_backward(
    dm,
    x,
    stats,
    sums,
    weight,
    added,
    dx,
    rows,
    groups,
    C: tl.constexpr,
    BLOCK: tl.constexpr,
    SPAN: tl.constexpr,
    HAS_ADDED: tl.constexpr,
):
    """Write the gradient of what a BN read, and add another one to it."""
    program, group = tl.program_id(0), tl.program_id(1)
    first = group * rows
    end = first + rows
    c = tl.arange(0, C)
    mean, rstd = load_mean_rstd(stats, group, groups, C)
    by = (tl.load(weight + c) * rstd)[None, :]
    dbias = (tl.load(sums + group * C + c) / rows)[None, :]
    dweight = (tl.load(sums + (groups + group) * C + c) / rows)[None, :]
    for done in range(0, SPAN, BLOCK):
        row = first + program * SPAN + done + tl.arange(0, BLOCK)
        exists = row < end
        z = load_rows(x, row, exists, C)
        normed = (z - mean[None, :]) * rstd[None, :]
        out = load_rows(dm, row, exists, C) - dbias - normed * dweight
        out *= by
        if HAS_ADDED:
            out += load_rows(added, row, exists, C)
        at = row[:, None] * C + c[None, :]
        tl.store(dx + at, out.to(dx.dtype.element_ty), mask=exists[:, None])
