"""BN, ReLU and convolution in one Triton kernel."""

import triton
import triton.language as tl

from preact.fast.gpu.shared import (
    PARTIALS_AT_ONCE,
    is_last_program,
    load_previous_bn,
    load_relu_bn,
    load_rows,
    neighbors,
)


@triton.jit
def conv_forward(
    x,
    stats,
    weight,
    bias,
    kernel,
    added,
    y,
    stats_y,
    partial,
    tickets,
    rows,
    height,
    width,
    groups,
    C_IN: tl.constexpr,
    C_OUT: tl.constexpr,
    TAPS: tl.constexpr,
    BLOCK: tl.constexpr,
    SPAN: tl.constexpr,
    HAS_ADDED: tl.constexpr,
    HAS_STATS: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Write y = conv(relu(bn(x))) + added, and mean and variance of y.

    `rows` are those of a ghost batch.
    """
    program, group = tl.program_id(0), tl.program_id(1)
    programs = tl.num_programs(0)
    first = group * rows
    end = first + rows
    c_in, c_out = tl.arange(0, C_IN), tl.arange(0, C_OUT)
    mean, _rstd, scale, shift = load_previous_bn(
        stats, weight, bias, group, groups, C_IN
    )
    at_kernel = c_out[:, None] * (TAPS * C_IN) + c_in[None, :]
    dtype = y.dtype.element_ty
    seen = 0.0
    mean_y = tl.zeros([C_OUT], tl.float32)
    m2_y = tl.zeros([C_OUT], tl.float32)
    for done in range(0, SPAN, BLOCK):
        row = first + program * SPAN + done + tl.arange(0, BLOCK)
        sums = tl.zeros([BLOCK, C_OUT], tl.float32)
        for tap in range(TAPS):
            if TAPS == 9:
                near, inside = neighbors(
                    row, end, tap // 3 - 1, tap % 3 - 1, height, width
                )
            else:
                near, inside = row, row < end
            a, _, _ = load_relu_bn(x, near, inside, mean, scale, shift, C_IN)
            k = tl.trans(tl.load(kernel + at_kernel + tap * C_IN))
            sums = tl.dot(a.to(dtype), k, sums, input_precision=PRECISION)
        exists = row < end
        at = row[:, None] * C_OUT + c_out[None, :]
        if HAS_ADDED:
            sums += load_rows(added, row, exists, C_OUT)
        out = sums.to(dtype)
        tl.store(y + at, out, mask=exists[:, None])
        if HAS_STATS:
            # Chan's rule: join this block's mean and squares to the others'.
            value = out.to(tl.float32)
            n = tl.sum(exists.to(tl.float32), 0)
            both = tl.maximum(seen + n, 1.0)
            value = tl.where(exists[:, None], value, 0.0)
            mean_b = tl.sum(value, 0) / tl.maximum(n, 1.0)
            off = tl.where(exists[:, None], value - mean_b[None, :], 0.0)
            apart = mean_b - mean_y
            m2_y += tl.sum(off * off, 0) + apart * apart * (seen * n / both)
            mean_y += apart * (n / both)
            seen += n
    if HAS_STATS:
        mine = partial + (group * programs + program) * 2 * C_OUT
        tl.store(mine + c_out, mean_y)
        tl.store(mine + C_OUT + c_out, m2_y)
        if is_last_program(tickets + group, programs):
            all_of = partial + group * programs * 2 * C_OUT
            mean_y = tl.zeros([C_OUT], tl.float32)
            for some in range(0, programs, PARTIALS_AT_ONCE):
                p = some + tl.arange(0, PARTIALS_AT_ONCE)
                n = tl.minimum(tl.maximum(rows - p * SPAN, 0), SPAN)
                there = all_of + p[:, None] * 2 * C_OUT + c_out[None, :]
                means = tl.load(there, mask=(p < programs)[:, None], other=0.0)
                mean_y += tl.sum(means * n[:, None], 0)
            mean_y = mean_y / rows
            m2_y = tl.zeros([C_OUT], tl.float32)
            for some in range(0, programs, PARTIALS_AT_ONCE):
                p = some + tl.arange(0, PARTIALS_AT_ONCE)
                n = tl.minimum(tl.maximum(rows - p * SPAN, 0), SPAN)
                there = all_of + p[:, None] * 2 * C_OUT + c_out[None, :]
                valid = (p < programs)[:, None]
                apart = tl.load(there, mask=valid, other=0.0) - mean_y[None, :]
                m2 = tl.load(there + C_OUT, mask=valid, other=0.0)
                m2_y += tl.sum(m2 + apart * apart * n[:, None], 0)
            tl.store(stats_y + group * C_OUT + c_out, mean_y)
            tl.store(stats_y + (groups + group) * C_OUT + c_out, m2_y / rows)
            tl.store(tickets + group, 0)
