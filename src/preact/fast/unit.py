"""A residual unit as one operation: what it keeps, and how it is undone.

Chapter `08-training`.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.fast.cpu.bn_relu import (
    FastBNReLU,
    Statistics,
    bn_relu_again,
    bn_relu_backward,
    bn_relu_forward,
    fits,
    scale_relu,
)
from preact.nn.unit import Times, Unit

# oneDNN's convolution that adds on its way out; better than a product of
# matrices where the result is larger than a core's cache.
CONVOLVE_AND_ADD = getattr(
    getattr(torch.ops.mkldnn, "_convolution_pointwise", None), "binary", None
)
LARGE = 1_000_000  # numbers
# Of one tap, by taps: a gradient of theirs must fit into registers.
MOST_WEIGHTS = {1: 256 * 64, 9: 64 * 64}
Layer = FastBNReLU | nn.Conv2d
Folded = tuple[Layer, Tensor, Tensor | None, bool]  # weight, bias, then ReLU


class Pair(NamedTuple):
    """BN-ReLU and the convolution behind it: 1 or 9 taps, channels."""

    taps: int
    c_in: int
    c_out: int


class FastUnit(Unit):
    """A unit whose branch, BN-ReLU and convolutions, is one operation.

    On the CPU in float32 with channels last; elsewhere, and where the
    shortcut leaves behind `pre`, the unit as it was. The outputs of BN-ReLU
    pass through one buffer that stays in the cache and are computed again in
    the backward pass: half of the memory, and less to wait for.
    """

    scratch: dict[tuple[str, torch.Size], Tensor]
    branch: tuple[Layer, ...]
    is_identity: bool
    pairs: tuple[Pair, ...]  # of BN-ReLU and convolution; () if not all are

    def prepare(self, scratch: dict[tuple[str, torch.Size], Tensor]) -> None:
        """Find out what can be one operation; share the buffers."""
        self.scratch = scratch
        self.fold: tuple[tuple[int, ...], list[Folded]] = ((), [])
        found = [m for m in (*self.pre, *self.weights) if not _is_nothing(m)]
        known = [m for m in found if isinstance(m, Layer)]
        whole = known == found and not self.tap_after_pre
        self.branch = tuple(known) if whole else ()
        # Where the parameters are, without a module's slow look-up.
        self.holders = [
            (cast(dict[str, Tensor], layer._parameters), name)
            for layer in self.branch
            for name in ("weight", "bias")
            if layer._parameters[name] is not None
        ]
        paths = (self.shortcut, self.post, self.after, self.gate)
        factors = (self.on_shortcut, self.on_branch)
        self.is_identity = not any(map(len, paths)) and all(
            isinstance(f, Times) and f.value == 1.0 for f in factors
        )
        bns, convs = self.branch[::2], self.branch[1::2]
        pairs = [_pair(*of) for of in zip(bns, convs, strict=False)]
        fused = tuple(pair for pair in pairs if pair)
        whole = self.is_identity and 2 * len(fused) == len(self.branch)
        self.pairs = fused if whole else ()

    def forward(self, x: Tensor) -> Tensor:
        """Map x_l (N, c_in, H, W) to x_{l+1} (N, c_out, H', W')."""
        if not self.branch or not fits(x):
            return super().forward(x)
        if self.training:
            F = _Branch.apply(self, x, *self.parameters_of_branch())  # type: ignore[no-untyped-call]
        elif torch.is_grad_enabled():
            return super().forward(x)
        else:
            F = self.folded(x)
        if self.is_identity:
            return F  # type: ignore[no-any-return]
        F = self.post(F)
        h = self.shortcut(x)
        g = torch.sigmoid(self.gate(x)) if len(self.gate) else None
        return self.after(self.on_shortcut(h, g) + self.on_branch(F, g))  # type: ignore[no-any-return]

    def keeps_little(self, x: Tensor) -> bool:
        """Whether the branch is one operation for this x."""
        return bool(self.branch) and fits(x)

    def parameters_of_branch(self) -> list[Tensor]:
        """Weights in order of the branch; asked for at every step."""
        return [holder[name] for holder, name in self.holders]

    def buffer(self, use: str, x: Tensor) -> Tensor:
        """Room for something of x's shape that is read at once."""
        key = use, x.shape
        if key not in self.scratch:
            self.scratch[key] = torch.empty_like(x)
        return self.scratch[key]

    def folded(self, x: Tensor) -> Tensor:
        """Branch in evaluation, with the shortcut where it is the identity."""
        version = tuple(t._version for t in self._tensors())
        if self.fold[0] != version:
            self.fold = version, list(self._fold())
        F, last = x, len(self.fold[1]) - 1
        for i, (layer, weight, bias, relu) in enumerate(self.fold[1]):
            if isinstance(layer, FastBNReLU):
                assert bias is not None  # here the two are scale and shift
                F = scale_relu(F, weight, bias, self.buffer("a", F))
                continue
            added = x if i == last and self.is_identity else None
            F = convolve(layer, F, weight, bias, added)
            if relu:
                F.relu_()
        return F

    def _fold(self) -> Iterator[Folded]:
        """Make a BN behind a convolution part of it."""
        layers = list(self.branch)
        while layers:
            layer = layers.pop(0)
            if isinstance(layer, FastBNReLU):
                yield layer, *layer.line(), True
            elif layers and isinstance(layers[0], FastBNReLU):
                behind = layers.pop(0)
                assert isinstance(behind, FastBNReLU)
                scale, shift = behind.line()
                weight = layer.weight * scale[:, None, None, None]
                yield layer, weight, shift, True
            else:
                yield layer, layer.weight, None, False

    def _tensors(self) -> Iterator[Tensor]:
        """All that the folded branch depends on."""
        for layer in self.branch:
            yield layer.weight
            if isinstance(layer, FastBNReLU):
                yield from (layer.bias, layer.running_mean, layer.running_var)


class _Branch(torch.autograd.Function):
    """BN-ReLU and convolutions in a row; keeps what each BN reads."""

    @staticmethod
    def forward(
        ctx: Any, unit: FastUnit, x: Tensor, *params: Tensor
    ) -> Tensor:
        F, read, seen = x, [], []
        for layer in unit.branch:
            if isinstance(layer, FastBNReLU):
                y = unit.buffer("a", F)
                seen.append(bn_relu_forward(layer, F, y))
                read.append(F)
                F = y
            else:
                last = layer is unit.branch[-1]
                added = x if last and unit.is_identity else None
                F = convolve(layer, F, layer.weight, None, added)
        ctx.unit, ctx.groups = unit, [s.groups for s in seen]
        kept = [t for s in seen for t in (s.mean, s.rstd)]
        ctx.save_for_backward(x, *read, *kept, *params)
        return F

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        unit, n = ctx.unit, len(ctx.groups)
        x, *saved = ctx.saved_tensors
        read, params = saved[:n], saved[3 * n :]
        seen = [
            Statistics(saved[n + 2 * i], saved[n + 2 * i + 1], groups)
            for i, groups in enumerate(ctx.groups)
        ]
        dy = grads[0].contiguous(memory_format=torch.channels_last)
        d = dy
        dparams: list[Tensor] = []
        layers = list(unit.branch)
        while layers:
            layer = layers.pop()
            if isinstance(layer, FastBNReLU):
                *params, weight, bias = params
                z, s = read.pop(), seen.pop()
                # In place, but for what leaves the unit.
                dx = d if layers else torch.empty_like(d)
                added = dy if not layers and unit.is_identity else None
                of = bn_relu_backward(d, z, weight, bias, s, dx, added)
                d, dparams[:0] = dx, of
                continue
            *params, weight = params
            a = x
            if layers:
                z, s = read[-1], seen[-1]
                room = unit.buffer("a", z)
                a = bn_relu_again(z, params[-2], params[-1], s, room)
            # Two buffers by turns: d itself may stand in the other one.
            use = f"d{len(layers) % 4}"
            room = unit.buffer(use, a) if layers else torch.empty_like(a)
            d, dweight = convolve_backward(layer, d, a, weight, room)
            dparams.insert(0, dweight)
        if unit.is_identity and not isinstance(unit.branch[0], FastBNReLU):
            d = d + dy
        return (None, d, *dparams)


def convolve(
    layer: nn.Conv2d,
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    added: Tensor | None = None,
) -> Tensor:
    """Convolve, and add something of the result's shape, or a bias.

    A 1x1 convolution of stride 1 is a product of matrices.
    """
    large = x.numel() // x.shape[1] * weight.shape[0] > LARGE
    if added is not None and large and CONVOLVE_AND_ADD is not None:
        return CONVOLVE_AND_ADD(  # type: ignore[no-any-return]
            x,
            added,
            weight,
            bias,
            layer.padding,
            layer.stride,
            layer.dilation,
            1,
            "add",
            1.0,
            None,
            [],
            None,
        )
    if not _is_product(layer):
        y = nnf.conv2d(x, weight, bias, layer.stride, layer.padding)
        return y if added is None else y.add_(added)
    n, _, height, width = x.shape
    y = x.new_empty(n, height, width, weight.shape[0])
    rows, matrix = _rows(x), weight.view(weight.shape[0], -1).t()
    first = bias if added is None else _rows(added)
    if first is None:
        torch.mm(rows, matrix, out=y.view(-1, weight.shape[0]))
    else:
        torch.addmm(first, rows, matrix, out=y.view(-1, weight.shape[0]))
    return y.permute(0, 3, 1, 2)


def convolve_backward(
    layer: nn.Conv2d, dy: Tensor, x: Tensor, weight: Tensor, room: Tensor
) -> tuple[Tensor, Tensor]:
    """Gradients of a convolution's input and weight.

    The first one may stand in `room`, or in memory of its own.
    """
    if _is_product(layer):
        rows = _rows(dy)
        torch.mm(rows, weight.view(weight.shape[0], -1), out=_rows(room))
        return room, torch.mm(rows.t(), _rows(x)).view_as(weight)
    dx, dweight, _ = torch.ops.aten.convolution_backward(
        dy,
        x,
        weight,
        None,
        layer.stride,
        layer.padding,
        layer.dilation,
        False,
        [0, 0],
        1,
        [True, True, False],
    )
    return dx, dweight


def _pair(bn: Layer, conv: Layer) -> Pair | None:
    """What the GPU's kernels need to know, if they can do the two."""
    if not isinstance(bn, FastBNReLU) or not isinstance(conv, nn.Conv2d):
        return None
    taps = conv.kernel_size[0] ** 2
    c_in, c_out = conv.in_channels, conv.out_channels
    if (
        taps not in MOST_WEIGHTS
        or conv.stride != (1, 1)
        or conv.bias is not None
        or c_in * c_out > MOST_WEIGHTS[taps]
        or any(c < 16 or c & (c - 1) for c in (c_in, c_out))
    ):
        return None
    return Pair(taps, c_in, c_out)


def _is_product(layer: nn.Conv2d) -> bool:
    """Whether every output pixel sees one input pixel, and all are seen."""
    return layer.kernel_size == (1, 1) and layer.stride == (1, 1)


def _rows(x: Tensor) -> Tensor:
    """Pixels as rows of channels."""
    return x.permute(0, 2, 3, 1).view(-1, x.shape[1])


def _is_nothing(module: nn.Module) -> bool:
    """Whether a module is what is left of a ReLU."""
    return isinstance(module, nn.Identity)
