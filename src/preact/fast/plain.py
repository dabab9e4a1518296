"""Units by PyTorch's own operations: any device and dtype, the same bits."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from preact.fast.branch import Branch, call_unit, run_unit
from preact.fast.operation import (
    Convolution,
    Seen,
    Undo,
    convolve,
    normalize,
    run_branch,
)
from preact.nn.layers import BatchNorm

# Hands x from unit to unit, and either keeps the outputs of BN-ReLU for the
# backward pass or computes them again there.
RunUnits = Callable[[Sequence[nn.Module], Tensor, bool], Tensor]


def run_plain(units: Sequence[nn.Module], x: Tensor, keep: bool) -> Tensor:
    """Run units one by one."""
    for unit in units:
        if keep or not torch.is_grad_enabled():
            x = unit(x)
        else:
            x = call_unit(unit, x, _recomputing)
    return x


def _recomputing(unit: nn.Module, x: Tensor) -> Tensor:
    """Run a unit that keeps what its BNs read, not what they write."""

    def compute(branch: Branch, a: Tensor) -> Tensor | None:
        if not branch.training:
            return None
        return run_branch(branch, PlainKernels(), a, keep=False)

    return run_unit(unit, x, compute)


class PlainKernels:
    """What `Kernels` says, by PyTorch."""

    def bn_relu(self, bn: BatchNorm, z: Tensor) -> tuple[Tensor, Seen]:
        groups = bn.count_ghosts(z.shape)
        return bn(z).relu_(), Seen(groups, bn.eps)

    def repeat(
        self,
        z: Tensor,
        weight: Tensor,
        bias: Tensor,
        seen: Seen,
        a: Tensor | None,
    ) -> tuple[Tensor, Undo]:
        inputs = [t.detach().requires_grad_() for t in (z, weight, bias)]
        with torch.enable_grad():
            again = normalize(*inputs, seen).relu_()  # type: ignore[call-arg,arg-type]

        def undo(
            da: Tensor, added: Tensor | None
        ) -> tuple[Tensor, Tensor, Tensor]:
            dz, dweight, dbias = torch.autograd.grad(again, inputs, da)
            return (dz if added is None else dz + added), dweight, dbias

        return again.detach(), undo

    def convolve(
        self, how: Convolution, a: Tensor, weight: Tensor, x: Tensor | None
    ) -> Tensor:
        y = convolve(how, a, weight)
        return y if x is None else x + y

    def convolve_backward(
        self, how: Convolution, dy: Tensor, a: Tensor, weight: Tensor
    ) -> tuple[Tensor, Tensor]:
        da, dweight, _ = torch.ops.aten.convolution_backward(
            dy.to(how.dtype),
            a.to(how.dtype),
            weight.to(how.dtype),
            None,
            how.stride,
            how.padding,
            how.dilation,
            False,
            [0, 0],
            1,
            [True, True, False],
        )
        return da.to(a.dtype), dweight.to(weight.dtype)
