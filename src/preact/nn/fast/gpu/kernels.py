"""BN, ReLU and convolution in one Triton kernel, forward and backward.

A tensor (N, C, H, W) with channels last is a matrix: a row for each pixel, a
column for each channel. A program takes `SPAN` rows of one ghost batch, a
`BLOCK` of them at a time; whatever has to be summed over all pixels leaves it
as one partial result, and the last program of a ghost batch adds these up in
a fixed order: the same numbers at every run, and no launch of its own.

The convolutions have stride 1, kernels of 1x1 or 3x3 and no bias; their
weights are (c_out, taps, c_in). Channels are a power of two, 16 or more.

Chapter `08-training`.
"""

import triton
import triton.language as tl

from preact.plan import BN_EPS

EPS = tl.constexpr(BN_EPS)
# Partial results that the last program reads at once.
GULP = tl.constexpr(16)


@triton.jit
def normal(stats, group, groups, C: tl.constexpr):
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
def tile(matrix, row, inside, C: tl.constexpr):
    """Read rows of a matrix in float32; zero where there is none."""
    at = row[:, None] * C + tl.arange(0, C)[None, :]
    return tl.load(matrix + at, mask=inside[:, None], other=0.0).to(tl.float32)


@triton.jit
def activated(x, row, inside, mean, scale, shift, C: tl.constexpr):
    """relu(bn(x)) in rows, zero where there is none, and what ReLU saw."""
    z = tile(x, row, inside, C)
    line = (z - mean[None, :]) * scale[None, :] + shift[None, :]
    return tl.where(inside[:, None], tl.maximum(line, 0.0), 0.0), line, z


@triton.jit
def finished(dm, z, mean, rstd, weight, dbias, dweight):
    """Gradient of what BN read, from that of what it wrote, (rows, C).

    `dbias` and `dweight` are sums over the ghost batch divided by its rows.
    """
    normed = (z - mean[None, :]) * rstd[None, :]
    by = (weight * rstd)[None, :]
    return by * (dm - dbias[None, :] - normed * dweight[None, :])


@triton.jit
def last_one(ticket, programs):
    """Whether all programs of this ghost batch but this one are through."""
    tl.debug_barrier()  # all of this program's results are written
    return tl.atomic_add(ticket, 1) == programs - 1


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
    mean, rstd = normal(stats, group, groups, C_IN)
    c_in, c_out = tl.arange(0, C_IN), tl.arange(0, C_OUT)
    scale = tl.load(weight + c_in) * rstd
    shift = tl.load(bias + c_in)
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
            a, _, _ = activated(x, near, inside, mean, scale, shift, C_IN)
            k = tl.trans(tl.load(kernel + at_kernel + tap * C_IN))
            sums = tl.dot(a.to(dtype), k, sums, input_precision=PRECISION)
        exists = row < end
        at = row[:, None] * C_OUT + c_out[None, :]
        if HAS_ADDED:
            sums += tile(added, row, exists, C_OUT)
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
        if last_one(tickets + group, programs):
            all_of = partial + group * programs * 2 * C_OUT
            mean_y = tl.zeros([C_OUT], tl.float32)
            for some in range(0, programs, GULP):
                p = some + tl.arange(0, GULP)
                n = tl.minimum(tl.maximum(rows - p * SPAN, 0), SPAN)
                there = all_of + p[:, None] * 2 * C_OUT + c_out[None, :]
                means = tl.load(
                    there, mask=(p < programs)[:, None], other=0.0
                )
                mean_y += tl.sum(means * n[:, None], 0)
            mean_y = mean_y / rows
            m2_y = tl.zeros([C_OUT], tl.float32)
            for some in range(0, programs, GULP):
                p = some + tl.arange(0, GULP)
                n = tl.minimum(tl.maximum(rows - p * SPAN, 0), SPAN)
                there = all_of + p[:, None] * 2 * C_OUT + c_out[None, :]
                known = (p < programs)[:, None]
                apart = tl.load(there, mask=known, other=0.0) - mean_y[None, :]
                m2 = tl.load(there + C_OUT, mask=known, other=0.0)
                m2_y += tl.sum(m2 + apart * apart * n[:, None], 0)
            tl.store(stats_y + group * C_OUT + c_out, mean_y)
            tl.store(stats_y + (groups + group) * C_OUT + c_out, m2_y / rows)
            tl.store(tickets + group, 0)


@triton.jit
def add_up_sums(
    partial,
    tickets,
    sums,
    dbias,
    dweight,
    program,
    group,
    programs,
    groups,
    C: tl.constexpr,
):
    """Write dbias and dweight of a ghost batch into sums (2, groups, C)."""
    c = tl.arange(0, C)
    mine = partial + (group * programs + program) * 2 * C
    tl.store(mine + c, dbias)
    tl.store(mine + C + c, dweight)
    if last_one(tickets + group, programs):
        all_of = partial + group * programs * 2 * C
        dbias = tl.zeros([C], tl.float32)
        dweight = tl.zeros([C], tl.float32)
        for some in range(0, programs, GULP):
            p = some + tl.arange(0, GULP)
            there = all_of + p[:, None] * 2 * C + c[None, :]
            known = (p < programs)[:, None]
            dbias += tl.sum(tl.load(there, mask=known, other=0.0), 0)
            dweight += tl.sum(tl.load(there + C, mask=known, other=0.0), 0)
        tl.store(sums + group * C + c, dbias)
        tl.store(sums + (groups + group) * C + c, dweight)
        tl.store(tickets + group, 0)


@triton.jit
def behind_bn(stats, sums, weight, group, groups, rows, C: tl.constexpr):
    """What `finished` needs of a BN behind a convolution, (C,) each."""
    c = tl.arange(0, C)
    mean, rstd = normal(stats, group, groups, C)
    dbias = tl.load(sums + group * C + c) / rows
    dweight = tl.load(sums + (groups + group) * C + c) / rows
    return mean, rstd, tl.load(weight + c), dbias, dweight


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
    mean, rstd = normal(stats, group, groups, C_IN)
    scale = tl.load(weight + c_in) * rstd
    shift = tl.load(bias + c_in)
    at_kernel = c_out[:, None] * C_IN + c_in[None, :]
    k = tl.load(kernel + at_kernel)
    dtype = k.dtype
    dbias = tl.zeros([C_IN], tl.float32)
    dweight = tl.zeros([C_IN], tl.float32)
    dk = tl.zeros([C_OUT, C_IN], tl.float32)
    if BEHIND:
        mean_y, rstd_y, gamma_y, dbias_y, dweight_y = behind_bn(
            stats_y, sums_y, weight_y, group, groups, rows, C_OUT
        )
    for done in range(0, SPAN, BLOCK):
        row = first + program * SPAN + done + tl.arange(0, BLOCK)
        exists = row < end
        dy = tile(d, row, exists, C_OUT)
        if BEHIND:
            z = tile(y, row, exists, C_OUT)
            dy = finished(
                dy, z, mean_y, rstd_y, gamma_y, dbias_y, dweight_y
            )
            dy = tl.where(exists[:, None], dy, 0.0)
        dy = dy.to(dtype)
        a, line, z = activated(x, row, exists, mean, scale, shift, C_IN)
        dk = tl.dot(tl.trans(dy), a.to(dtype), dk, input_precision=PRECISION)
        da = tl.dot(dy, k, input_precision=PRECISION)
        masked = tl.where(line > 0.0, da, 0.0).to(dtype)
        if STORE:
            at = row[:, None] * C_IN + c_in[None, :]
            tl.store(dm + at, masked, mask=exists[:, None])
        value = masked.to(tl.float32)
        dbias += tl.sum(value, 0)
        normed = (z - mean[None, :]) * rstd[None, :]
        dweight += tl.sum(value * normed, 0)
    mine = dkernel + (group * programs + program) * stride_dkernel
    tl.store(mine + at_kernel, dk)
    add_up_sums(
        partial,
        tickets,
        sums,
        dbias,
        dweight,
        program,
        group,
        programs,
        groups,
        C_IN,
    )


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
    mean, rstd, gamma, dbias, dweight = behind_bn(
        stats, sums, weight, group, groups, rows, C_IN
    )
    dtype = dx.dtype.element_ty
    if AGAIN:
        c_out = tl.arange(0, C_OUT)
        shift = tl.load(bias + c_in)
        k = tl.load(kernel + c_out[:, None] * C_IN + c_in[None, :])
        mean_y, rstd_y, gamma_y, dbias_y, dweight_y = behind_bn(
            stats_y, sums_y, weight_y, group, groups, rows, C_OUT
        )
    for done in range(0, SPAN, BLOCK):
        row = first + program * SPAN + done + tl.arange(0, BLOCK)
        exists = row < end
        z = tile(x, row, exists, C_IN)
        if AGAIN:
            dy = finished(
                tile(d, row, exists, C_OUT),
                tile(y, row, exists, C_OUT),
                mean_y,
                rstd_y,
                gamma_y,
                dbias_y,
                dweight_y,
            )
            da = tl.dot(dy.to(dtype), k, input_precision=PRECISION)
            line = (z - mean[None, :]) * (gamma * rstd)[None, :]
            line += shift[None, :]
            dm = tl.where(line > 0.0, da, 0.0).to(dtype).to(tl.float32)
        else:
            dm = tile(d, row, exists, C_IN)
        out = finished(dm, z, mean, rstd, gamma, dbias, dweight)
        out += tile(added, row, exists, C_IN)
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
    programs = tl.num_programs(0)
    first = group * rows
    end = first + rows
    c_in, c_out = tl.arange(0, C_IN), tl.arange(0, C_OUT)
    mean, rstd = normal(stats, group, groups, C_IN)
    scale = tl.load(weight + c_in) * rstd
    shift = tl.load(bias + c_in)
    at_kernel = c_out[:, None] * (9 * C_IN) + c_in[None, :]
    dtype = dm.dtype.element_ty
    dbias = tl.zeros([C_IN], tl.float32)
    dweight = tl.zeros([C_IN], tl.float32)
    if BEHIND:
        mean_y, rstd_y, gamma_y, dbias_y, dweight_y = behind_bn(
            stats_y, sums_y, weight_y, group, groups, rows, C_OUT
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
            dy = tile(d, near, inside, C_OUT)
            if BEHIND:
                z = tile(y, near, inside, C_OUT)
                dy = finished(
                    dy, z, mean_y, rstd_y, gamma_y, dbias_y, dweight_y
                )
                dy = tl.where(inside[:, None], dy, 0.0)
            k = tl.load(kernel + at_kernel + tap * C_IN)
            da = tl.dot(dy.to(dtype), k, da, input_precision=PRECISION)
        _, line, z = activated(x, row, exists, mean, scale, shift, C_IN)
        keep = (line > 0.0) & exists[:, None]
        masked = tl.where(keep, da, 0.0).to(dtype)
        at = row[:, None] * C_IN + c_in[None, :]
        tl.store(dm + at, masked, mask=exists[:, None])
        value = masked.to(tl.float32)
        dbias += tl.sum(value, 0)
        normed = (z - mean[None, :]) * rstd[None, :]
        dweight += tl.sum(value * normed, 0)
    add_up_sums(
        partial,
        tickets,
        sums,
        dbias,
        dweight,
        program,
        group,
        programs,
        groups,
        C_IN,
    )


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
    """This program's part of the gradient of one row of a 3x3 kernel."""
    program, group = tl.program_id(0), tl.program_id(1)
    of_row = tl.program_id(2)
    programs = tl.num_programs(0)
    first = group * rows
    end = first + rows
    c_in, c_out = tl.arange(0, C_IN), tl.arange(0, C_OUT)
    mean, rstd = normal(stats, group, groups, C_IN)
    scale = tl.load(weight + c_in) * rstd
    shift = tl.load(bias + c_in)
    dtype = x.dtype.element_ty
    left = tl.zeros([C_OUT, C_IN], tl.float32)
    middle = tl.zeros([C_OUT, C_IN], tl.float32)
    right = tl.zeros([C_OUT, C_IN], tl.float32)
    if BEHIND:
        mean_y, rstd_y, gamma_y, dbias_y, dweight_y = behind_bn(
            stats_y, sums_y, weight_y, group, groups, rows, C_OUT
        )
    for done in range(0, SPAN, BLOCK):
        row = first + program * SPAN + done + tl.arange(0, BLOCK)
        exists = row < end
        dy = tile(d, row, exists, C_OUT)
        if BEHIND:
            z = tile(y, row, exists, C_OUT)
            dy = finished(
                dy, z, mean_y, rstd_y, gamma_y, dbias_y, dweight_y
            )
            dy = tl.where(exists[:, None], dy, 0.0)
        dy = tl.trans(dy.to(dtype))
        near, inside = neighbors(row, end, of_row - 1, -1, height, width)
        a, _, _ = activated(x, near, inside, mean, scale, shift, C_IN)
        left = tl.dot(dy, a.to(dtype), left, input_precision=PRECISION)
        near, inside = neighbors(row, end, of_row - 1, 0, height, width)
        a, _, _ = activated(x, near, inside, mean, scale, shift, C_IN)
        middle = tl.dot(dy, a.to(dtype), middle, input_precision=PRECISION)
        near, inside = neighbors(row, end, of_row - 1, 1, height, width)
        a, _, _ = activated(x, near, inside, mean, scale, shift, C_IN)
        right = tl.dot(dy, a.to(dtype), right, input_precision=PRECISION)
    at = c_out[:, None] * (9 * C_IN) + c_in[None, :] + of_row * 3 * C_IN
    mine = dkernel + (group * programs + program) * stride_dkernel + at
    tl.store(mine, left)
    tl.store(mine + C_IN, middle)
    tl.store(mine + 2 * C_IN, right)
