"""The way back through convolution, ReLU and BN, in Triton kernels.

The gradient of what a BN reads is known only once sums over all pixels are.
So a kernel writes `dm`, the gradient of what a BN wrote, masked by the ReLU
behind it, and its sums; whoever reads `dm` finishes it on the way in.
"""

import triton
import triton.language as tl

from preact.fast.gpu.shared import (
    add_up_sums,
    bn_dx,
    load_dy,
    load_next_bn,
    load_previous_bn,
    load_relu_bn,
    load_rows,
    neighbors,
)


@triton.jit
def product_backward(
    d,
    y,
    stats_y,
    sums_y,
    weight_y,
    x,
    stats,
    weight,
    bias,
    kernel,
    dm,
    sums,
    dkernel,
    partial,
    tickets,
    rows,
    groups,
    stride_dkernel,
    C_IN: tl.constexpr,
    C_OUT: tl.constexpr,
    BLOCK: tl.constexpr,
    SPAN: tl.constexpr,
    BEHIND: tl.constexpr,
    STORE: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Undo y = conv1x1(relu(bn(x))): all gradients but that of x.

    `d` is the gradient of y; with BEHIND that of what the BN behind it wrote,
    masked by its ReLU. Writes `dm`, the same of the BN in front, if STORE,
    its sums, and this program's part of the gradient of the kernel.
    """
    program, group = tl.program_id(0), tl.program_id(1)
    programs = tl.num_programs(0)
    first = group * rows
    end = first + rows
    c_in, c_out = tl.arange(0, C_IN), tl.arange(0, C_OUT)
    mean, rstd, scale, shift = load_previous_bn(
        stats, weight, bias, group, groups, C_IN
    )
    at_kernel = c_out[:, None] * C_IN + c_in[None, :]
    k = tl.load(kernel + at_kernel)
    dtype = k.dtype
    dbias = tl.zeros([C_IN], tl.float32)
    dweight = tl.zeros([C_IN], tl.float32)
    dk = tl.zeros([C_OUT, C_IN], tl.float32)
    bn_y = load_next_bn(
        stats_y, sums_y, weight_y, group, groups, rows, C_OUT, BEHIND
    )
    for done in range(0, SPAN, BLOCK):
        row = first + program * SPAN + done + tl.arange(0, BLOCK)
        exists = row < end
        dy = load_dy(d, y, row, exists, bn_y, C_OUT, BEHIND)
        dy = dy.to(dtype)
        a, line, z = load_relu_bn(x, row, exists, mean, scale, shift, C_IN)
        dk = tl.dot(tl.trans(dy), a.to(dtype), dk, input_precision=PRECISION)
        da = tl.dot(dy, k, input_precision=PRECISION)
        masked = tl.where(line <= 0.0, 0.0, da).to(dtype)
        if STORE:
            at = row[:, None] * C_IN + c_in[None, :]
            tl.store(dm + at, masked, mask=exists[:, None])
        value = masked.to(tl.float32)
        dbias += tl.sum(value, 0)
        normed = (z - mean[None, :]) * rstd[None, :]
        dweight += tl.sum(value * normed, 0)
    mine = dkernel + (group * programs + program) * stride_dkernel
    tl.store(mine + at_kernel, dk)
    add_up_sums(partial, tickets, sums, dbias, dweight, groups, C_IN)


@triton.jit
def finish(
    d,
    y,
    stats_y,
    sums_y,
    weight_y,
    x,
    stats,
    sums,
    weight,
    bias,
    kernel,
    added,
    dx,
    rows,
    groups,
    C_IN: tl.constexpr,
    C_OUT: tl.constexpr,
    BLOCK: tl.constexpr,
    SPAN: tl.constexpr,
    AGAIN: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Write the gradient of a unit's input: its BN's, plus the shortcut's.

    With AGAIN, `dm` was not stored by `product_backward` and is computed
    again from the narrow `d` and `y`; else `d` is it.
    """
    program, group = tl.program_id(0), tl.program_id(1)
    first = group * rows
    end = first + rows
    c_in = tl.arange(0, C_IN)
    bn = load_next_bn(stats, sums, weight, group, groups, rows, C_IN, True)
    mean, rstd, gamma, _dbias, _dweight = bn
    dtype = dx.dtype.element_ty
    if AGAIN:
        c_out = tl.arange(0, C_OUT)
        shift = tl.load(bias + c_in)
        k = tl.load(kernel + c_out[:, None] * C_IN + c_in[None, :])
        bn_y = load_next_bn(
            stats_y, sums_y, weight_y, group, groups, rows, C_OUT, True
        )
    for done in range(0, SPAN, BLOCK):
        row = first + program * SPAN + done + tl.arange(0, BLOCK)
        exists = row < end
        z = load_rows(x, row, exists, C_IN)
        if AGAIN:
            dy = load_dy(d, y, row, exists, bn_y, C_OUT, True)
            da = tl.dot(dy.to(dtype), k, input_precision=PRECISION)
            line = (z - mean[None, :]) * (gamma * rstd)[None, :]
            line += shift[None, :]
            dm = tl.where(line <= 0.0, 0.0, da).to(dtype).to(tl.float32)
        else:
            dm = load_rows(d, row, exists, C_IN)
        out = bn_dx(dm, z, bn)
        out += load_rows(added, row, exists, C_IN)
        at = row[:, None] * C_IN + c_in[None, :]
        tl.store(dx + at, out.to(dtype), mask=exists[:, None])


@triton.jit
def conv3_backward_input(
    d,
    y,
    stats_y,
    sums_y,
    weight_y,
    x,
    stats,
    weight,
    bias,
    kernel,
    dm,
    sums,
    partial,
    tickets,
    rows,
    height,
    width,
    groups,
    C_IN: tl.constexpr,
    C_OUT: tl.constexpr,
    BLOCK: tl.constexpr,
    SPAN: tl.constexpr,
    BEHIND: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Undo y = conv3x3(relu(bn(x))) up to BN: `dm` and its sums.

    `d` and BEHIND are those of `product_backward`.
    """
    program, group = tl.program_id(0), tl.program_id(1)
    first = group * rows
    end = first + rows
    c_in, c_out = tl.arange(0, C_IN), tl.arange(0, C_OUT)
    mean, rstd, scale, shift = load_previous_bn(
        stats, weight, bias, group, groups, C_IN
    )
    at_kernel = c_out[:, None] * (9 * C_IN) + c_in[None, :]
    dtype = dm.dtype.element_ty
    dbias = tl.zeros([C_IN], tl.float32)
    dweight = tl.zeros([C_IN], tl.float32)
    bn_y = load_next_bn(
        stats_y, sums_y, weight_y, group, groups, rows, C_OUT, BEHIND
    )
    for done in range(0, SPAN, BLOCK):
        row = first + program * SPAN + done + tl.arange(0, BLOCK)
        exists = row < end
        da = tl.zeros([BLOCK, C_IN], tl.float32)
        for tap in range(9):
            # A pixel was read by the neighbors on the other side.
            near, inside = neighbors(
                row, end, 1 - tap // 3, 1 - tap % 3, height, width
            )
            dy = load_dy(d, y, near, inside, bn_y, C_OUT, BEHIND)
            k = tl.load(kernel + at_kernel + tap * C_IN)
            da = tl.dot(dy.to(dtype), k, da, input_precision=PRECISION)
        _, line, z = load_relu_bn(x, row, exists, mean, scale, shift, C_IN)
        stops = (line <= 0.0) | ~exists[:, None]
        masked = tl.where(stops, 0.0, da).to(dtype)
        at = row[:, None] * C_IN + c_in[None, :]
        tl.store(dm + at, masked, mask=exists[:, None])
        value = masked.to(tl.float32)
        dbias += tl.sum(value, 0)
        normed = (z - mean[None, :]) * rstd[None, :]
        dweight += tl.sum(value * normed, 0)
    add_up_sums(partial, tickets, sums, dbias, dweight, groups, C_IN)


@triton.jit
def conv3_backward_weight(
    d,
    y,
    stats_y,
    sums_y,
    weight_y,
    x,
    stats,
    weight,
    bias,
    dkernel,
    rows,
    height,
    width,
    groups,
    stride_dkernel,
    C_IN: tl.constexpr,
    C_OUT: tl.constexpr,
    BLOCK: tl.constexpr,
    SPAN: tl.constexpr,
    BEHIND: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Gradient of one row of a 3x3 kernel: what this program adds to it."""
    program, group = tl.program_id(0), tl.program_id(1)
    of_row = tl.program_id(2)
    programs = tl.num_programs(0)
    first = group * rows
    end = first + rows
    c_in, c_out = tl.arange(0, C_IN), tl.arange(0, C_OUT)
    mean, _rstd, scale, shift = load_previous_bn(
        stats, weight, bias, group, groups, C_IN
    )
    dtype = x.dtype.element_ty
    left = tl.zeros([C_OUT, C_IN], tl.float32)
    middle = tl.zeros([C_OUT, C_IN], tl.float32)
    right = tl.zeros([C_OUT, C_IN], tl.float32)
    bn_y = load_next_bn(
        stats_y, sums_y, weight_y, group, groups, rows, C_OUT, BEHIND
    )
    for done in range(0, SPAN, BLOCK):
        row = first + program * SPAN + done + tl.arange(0, BLOCK)
        exists = row < end
        dy = load_dy(d, y, row, exists, bn_y, C_OUT, BEHIND)
        dy = tl.trans(dy.to(dtype))
        near, inside = neighbors(row, end, of_row - 1, -1, height, width)
        a, _, _ = load_relu_bn(x, near, inside, mean, scale, shift, C_IN)
        left = tl.dot(dy, a.to(dtype), left, input_precision=PRECISION)
        near, inside = neighbors(row, end, of_row - 1, 0, height, width)
        a, _, _ = load_relu_bn(x, near, inside, mean, scale, shift, C_IN)
        middle = tl.dot(dy, a.to(dtype), middle, input_precision=PRECISION)
        near, inside = neighbors(row, end, of_row - 1, 1, height, width)
        a, _, _ = load_relu_bn(x, near, inside, mean, scale, shift, C_IN)
        right = tl.dot(dy, a.to(dtype), right, input_precision=PRECISION)
    at = c_out[:, None] * (9 * C_IN) + c_in[None, :] + of_row * 3 * C_IN
    mine = dkernel + (group * programs + program) * stride_dkernel + at
    tl.store(mine, left)
    tl.store(mine + C_IN, middle)
    tl.store(mine + 2 * C_IN, right)
