"""BN, ReLU and convolution in one Triton kernel."""

import triton
import triton.language as tl

from preact.fast.gpu.shared import (
    load_bn,
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
    HAS_ADDED: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Write y = conv(relu(bn(x))) + added.

    `partial` gets the mean and the sum of squares around it of this program's
    rows of y; `rows` are those of a ghost batch.
    """
    program, group = tl.program_id(0), tl.program_id(1)
    programs = tl.num_programs(0)
    first = group * rows
    end = first + rows
    c_in, c_out = tl.arange(0, C_IN), tl.arange(0, C_OUT)
    mean, _rstd, scale, shift = load_bn(
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
    mine = partial + (group * programs + program) * 2 * C_OUT
    tl.store(mine + c_out, mean_y)
    tl.store(mine + C_OUT + c_out, m2_y)
