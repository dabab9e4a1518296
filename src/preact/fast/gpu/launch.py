"""The kernels on tensors: grids, tiles, and room for partial results."""

from typing import Any, NamedTuple

import torch
import triton
from torch import Tensor

from preact.fast.gpu.backward import (
    bn_backward,
    conv_backward_input,
    conv_backward_weight,
)
from preact.fast.gpu.forward import conv_forward

# Programs that a multiprocessor holds at once; what each sums up alone is
# written once, so fewer programs write less.
PER_PROCESSOR = 2
LEAST_SPAN = 64  # rows of a program


class BnReluConv(NamedTuple):
    """BN-ReLU and the convolution behind it: 1 or 9 taps, channels."""

    taps: int
    c_in: int
    c_out: int


class Norm(NamedTuple):
    """A BN at work: x (N, C, H, W), and weight and bias (C,).

    `stats` are mean and variance in each ghost batch, (2, groups, C).
    """

    x: Tensor
    stats: Tensor
    weight: Tensor
    bias: Tensor


class Tile(NamedTuple):
    """Rows that a program treats at a time, its warps, loads in flight."""

    block: int
    warps: int
    stages: int


def tile(conv: BnReluConv, *, backward: bool = False) -> Tile:
    """Choose what fits into the registers of a multiprocessor."""
    wide = max(conv.c_in, conv.c_out)
    stages = 1 if wide > 128 else 3
    if not backward:
        return Tile(64, 8 if wide > 128 else 4, stages)
    if conv.taps == 9:
        return Tile(64, 4, stages)
    return Tile({64: 64, 128: 32}.get(wide, 16), 8, stages)


class Launcher:
    """Runs kernels on tensors of one height, width and batch.

    Parameters
    ----------
    x : (N, C, H, W)
    groups : int
        Ghost batches.
    """

    def __init__(self, x: Tensor, groups: int) -> None:
        self.shape, self.groups = x.shape, groups
        n, _, self.height, self.width = x.shape
        self.rows = n * self.height * self.width // groups
        self.device = x.device
        processors = 1
        if x.is_cuda:
            properties = torch.cuda.get_device_properties(x.device)
            processors = properties.multi_processor_count
        most = max(1, PER_PROCESSOR * processors // groups)
        share = triton.cdiv(self.rows, most)
        self.span = max(LEAST_SPAN, triton.next_power_of_2(share))
        self.programs = triton.cdiv(self.rows, self.span)
        counts = self.span * torch.arange(self.programs, device=self.device)
        counts = (self.rows - counts).clamp(0, self.span)
        self.shares = (counts / self.rows)[:, None]
        tf32 = torch.backends.cuda.matmul.allow_tf32
        self.precision = "tf32" if tf32 else "ieee"
        # Full float32 is for checks: it must fit into any GPU, not be fast.
        exact = x.is_cuda and x.dtype == torch.float32 and not tf32
        self.most = Tile(16, 8, 1) if exact else Tile(64, 8, 3)

    def parts(self, size: int) -> Tensor:
        """Room for a partial result of every program, float32."""
        return torch.empty(
            self.groups * self.programs,
            size,
            dtype=torch.float32,
            device=self.device,
        )

    def forward(
        self,
        conv: BnReluConv,
        norm: Norm,
        kernel: Tensor,
        added: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        """Return conv(relu(bn(x))) + added, and its statistics."""
        n, height, width = len(norm.x), self.height, self.width
        y = norm.x.new_empty(n, height, width, conv.c_out).permute(0, 3, 1, 2)
        partial = self.parts(2 * conv.c_out)
        self._run(
            conv_forward,
            tile(conv),
            *(*norm, kernel, added),
            *(y, partial, self.rows, self.height, self.width, self.groups),
            HAS_ADDED=added is not None,
            **self._shape(conv),
        )
        # Chan's rule: join the programs' means and squares.
        means, squares = self._by_program(partial)
        mean = (means * self.shares).sum(1, keepdim=True)
        var = (means - mean).square() * self.shares + squares / self.rows
        return y, torch.stack([mean[:, 0], var.sum(1)])

    def backward(
        self,
        conv: BnReluConv,
        dy: Tensor,
        norm: Norm,
        kernel: Tensor,
        added: Tensor | None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Undo a convolution, and the ReLU and the BN in front of it.

        Parameters
        ----------
        dy : (N, c_out, H, W)
            Gradient of what the convolution wrote.
        added : (N, c_in, H, W), optional
            A gradient that reaches what BN reads by another way.

        Returns
        -------
        dx : (N, c_in, H, W)
            Gradient of what the BN read.
        sums : (2, groups, c_in) float32
            Gradients of BN's bias and weight by ghost batch.
        dkernel : (c_out * taps * c_in,) float32
        """
        dm, dx = torch.empty_like(norm.x), torch.empty_like(norm.x)
        partial = self.parts(2 * conv.c_in)
        dkernel = self.parts(kernel.numel())
        given = dy, *norm
        image = self.rows, self.height, self.width, self.groups
        how = tile(conv, backward=True)
        self._run(
            conv_backward_input,
            how,
            *(*given, kernel, dm, partial, *image),
            **self._shape(conv),
        )
        sums = self._by_program(partial).sum(2).contiguous()
        self._run(
            conv_backward_weight,
            how,
            *(*given, dkernel, *image),
            deep=conv.taps,
            **self._shape(conv),
        )
        self._run(
            bn_backward,
            how,
            *(dm, norm.x, norm.stats, sums, norm.weight, added, dx),
            *(self.rows, self.groups),
            C=conv.c_in,
            HAS_ADDED=added is not None,
        )
        return dx, sums, dkernel.sum(0)

    def _by_program(self, partial: Tensor) -> Tensor:
        """What each program has found, (2, groups, programs, C)."""
        by_program = partial.view(self.groups, self.programs, 2, -1)
        return by_program.permute(2, 0, 1, 3)

    def _shape(self, conv: BnReluConv) -> dict[str, Any]:
        """Constants of a kernel that multiplies."""
        return {
            "C_IN": conv.c_in,
            "C_OUT": conv.c_out,
            "TAPS": conv.taps,
            "PRECISION": self.precision,
        }

    def _run(
        self, kernel: Any, how: Tile, *args: Any, deep: int = 1, **shape: Any
    ) -> None:
        """Launch a kernel over the rows of all ghost batches."""
        with torch.cuda.device_of(args[0]):  # nothing on a CPU
            kernel[self.programs, self.groups, deep](
                *args,
                SPAN=self.span,
                BLOCK=min(how.block, self.most.block),
                num_warps=how.warps,
                num_stages=min(how.stages, self.most.stages),
                **shape,
            )


def statistics(x: Tensor, groups: int) -> Tensor:
    """Mean and variance of each channel in each ghost batch.

    Returns
    -------
    (2, groups, C) float32
    """
    rows = x.permute(0, 2, 3, 1).reshape(groups, -1, x.shape[1]).float()
    var, mean = torch.var_mean(rows, 1, correction=0)
    return torch.stack([mean, var])
