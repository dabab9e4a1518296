"""The kernels on tensors: grids, tiles, and room for partial results."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
import triton
from torch import Tensor

from preact.fast.gpu.backward import (
    conv3_backward_input,
    conv3_backward_weight,
    finish,
    product_backward,
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


@dataclass(frozen=True)
class Norm:
    """A BN at work.

    Parameters
    ----------
    x : (N, C, H, W)
        What it reads, channels last.
    stats : (2, groups, C) float32
        Mean and variance in each ghost batch.
    weight, bias : (C,) float32
    sums : (2, groups, C) float32, optional
        Gradients of bias and weight by ghost batch, for the backward pass.
    """

    x: Tensor
    stats: Tensor
    weight: Tensor
    bias: Tensor
    sums: Tensor | None = None


class Tile(NamedTuple):
    """Rows that a program treats at a time, and its warps."""

    block: int
    warps: int


def tile(conv: BnReluConv, *, backward: bool = False) -> Tile:
    """Choose what fits into the registers of a multiprocessor."""
    wide = max(conv.c_in, conv.c_out)
    if not backward:
        return Tile(block=64, warps=8 if wide > 128 else 4)
    if conv.taps == 9:
        return Tile(block=64, warps=4)
    return Tile(block={64: 64, 128: 32}.get(wide, 16), warps=8)


class Launcher:
    """Runs kernels on tensors of one height, width and batch.

    Parameters
    ----------
    x : (N, C, H, W)
    groups : int
        Ghost batches.
    """

    def __init__(self, x: Tensor, groups: int) -> None:
        n, _, self.height, self.width = x.shape
        self.groups, self.rows = groups, n * self.height * self.width // groups
        self.device = x.device
        processors = 1
        if x.is_cuda:
            properties = torch.cuda.get_device_properties(x.device)
            processors = properties.multi_processor_count
        most = max(1, PER_PROCESSOR * processors // groups)
        share = triton.cdiv(self.rows, most)
        self.span = max(LEAST_SPAN, triton.next_power_of_2(share))
        self.programs = triton.cdiv(self.rows, self.span)
        self.tickets = torch.zeros(
            groups, dtype=torch.int32, device=self.device
        )
        tf32 = torch.backends.cuda.matmul.allow_tf32
        self.precision = "tf32" if tf32 else "ieee"
        # Full float32 is for checks: it must fit into any GPU, not be fast.
        exact = x.is_cuda and x.dtype == torch.float32 and not tf32
        self.most, self.stages = (16, 1) if exact else (64, 3)

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
        stats_y: Tensor | None,
    ) -> Tensor:
        """Return conv(relu(bn(x))) + added; write its statistics."""
        y = like(norm.x, conv.c_out)
        self._run(
            conv_forward,
            tile(conv),
            norm.x,
            norm.stats,
            norm.weight,
            norm.bias,
            kernel,
            added,
            y,
            stats_y,
            None if stats_y is None else self.parts(2 * conv.c_out),
            self.tickets,
            self.rows,
            self.height,
            self.width,
            self.groups,
            C_IN=conv.c_in,
            C_OUT=conv.c_out,
            TAPS=conv.taps,
            HAS_ADDED=added is not None,
            HAS_STATS=stats_y is not None,
        )
        return y

    def backward(
        self,
        conv: BnReluConv,
        d: Tensor,
        next_bn: Norm | None,
        norm: Norm,
        kernel: Tensor,
        dkernel: Tensor,
        *,
        store: bool,
    ) -> Tensor | None:
        """Undo a convolution, and the ReLU in front of it.

        Parameters
        ----------
        d : (N, c_out, H, W)
            Gradient of what the convolution wrote, or, with `next_bn`, of
            what the BN behind it wrote, masked by its ReLU.
        dkernel : (programs, ...)
            View of `parts`; filled with partial results.
        store : bool
            Whether the result is wanted; else only its sums.

        Returns
        -------
        (N, c_in, H, W) or None
            Gradient of what the BN in front wrote, masked by its ReLU.
        """
        dm = torch.empty_like(norm.x) if store else None
        args = [d, *_of_next_bn(next_bn), norm.x, norm.stats, norm.weight]
        shape: dict[str, Any] = {
            "C_IN": conv.c_in,
            "C_OUT": conv.c_out,
            "BEHIND": next_bn is not None,
        }
        partial = self.parts(2 * conv.c_in)
        how = tile(conv, backward=True)
        if conv.taps == 1:
            self._run(
                product_backward,
                how,
                *args,
                norm.bias,
                kernel,
                dm,
                norm.sums,
                dkernel,
                partial,
                self.tickets,
                self.rows,
                self.groups,
                dkernel.stride(0),
                STORE=store,
                **shape,
            )
            return dm
        self._run(
            conv3_backward_input,
            how,
            *args,
            norm.bias,
            kernel,
            dm,
            norm.sums,
            partial,
            self.tickets,
            self.rows,
            self.height,
            self.width,
            self.groups,
            **shape,
        )
        self._run(
            conv3_backward_weight,
            how,
            *args,
            norm.bias,
            dkernel,
            self.rows,
            self.height,
            self.width,
            self.groups,
            dkernel.stride(0),
            deep=3,
            **shape,
        )
        return dm

    def finish(
        self,
        conv: BnReluConv,
        d: Tensor,
        next_bn: Norm | None,
        norm: Norm,
        kernel: Tensor,
        added: Tensor,
    ) -> Tensor:
        """Return the gradient of a unit's input, the shortcut's included.

        With `next_bn`, `d` is what the first convolution's `backward` was
        given, and its result is computed again; else it is that result.
        """
        dx = torch.empty_like(norm.x)
        self._run(
            finish,
            tile(conv, backward=True),
            d,
            *_of_next_bn(next_bn),
            norm.x,
            norm.stats,
            norm.sums,
            norm.weight,
            norm.bias,
            kernel,
            added,
            dx,
            self.rows,
            self.groups,
            C_IN=conv.c_in,
            C_OUT=conv.c_out,
            AGAIN=next_bn is not None,
        )
        return dx

    def _run(
        self, kernel: Any, how: Tile, *args: Any, deep: int = 1, **shape: Any
    ) -> None:
        """Launch a kernel over the rows of all ghost batches."""
        with _on(self.device):
            kernel[self.programs, self.groups, deep](
                *args,
                SPAN=self.span,
                BLOCK=min(how.block, self.most),
                num_warps=how.warps,
                num_stages=self.stages,
                PRECISION=self.precision,
                **shape,
            )


def like(x: Tensor, channels: int) -> Tensor:
    """Room for as many pixels of another number of channels."""
    n, _, height, width = x.shape
    return x.new_empty(n, height, width, channels).permute(0, 3, 1, 2)


def statistics(x: Tensor, groups: int) -> Tensor:
    """Mean and variance of each channel in each ghost batch.

    Returns
    -------
    (2, groups, C) float32
    """
    rows = x.permute(0, 2, 3, 1).reshape(groups, -1, x.shape[1]).float()
    var, mean = torch.var_mean(rows, 1, correction=0)
    return torch.stack([mean, var])


def _of_next_bn(norm: Norm | None) -> tuple[Tensor | None, ...]:
    """What a kernel reads of the BN behind a convolution."""
    if norm is None:
        return None, None, None, None
    return norm.x, norm.stats, norm.sums, norm.weight


def _on(device: torch.device) -> AbstractContextManager[object]:
    """Make a GPU the current one."""
    return (
        torch.cuda.device(device) if device.type == "cuda" else nullcontext()
    )
