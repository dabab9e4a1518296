"""Variations that are no mistakes: networks to which nobody may say no.

`VARIATIONS` has networks in all `WRITINGS`, in the states in which networks
are found in use (compiled, checkpointed, in half precision, zero-initialized,
with stochastic depth), and residual networks of other kinds.
"""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn
from torch.nn.utils import parametrizations

from conformance.others import (
    Checkpointed,
    HandMadeNorm,
    Reentrant,
    SqueezeExcite,
    bernoulli,
    convnext,
    drop_path,
    encoder,
    in_place,
    item,
    skipped,
    transformer,
    zeroed,
)
from conformance.parts import IMAGE, ORIGINAL, PRE, Parts, Unit
from conformance.writings import WRITINGS, Listed
from preact import Network, cifar_plan
from preact.book.bugs.zoo.styles import STYLES

__all__ = ["VARIATIONS", "Variation"]


class Variation(NamedTuple):
    """A right network, the row that it is, if any, and its input's shape.

    Parameters
    ----------
    make : callable
        Makes it.
    row : str
        Of `preact.spec.ROWS`; "" for a transformer, say, which is none.
    image : tuple of int
        Shape of one input, without the batch.

    Examples
    --------
    >>> from conformance.variations import VARIATIONS
    >>> VARIATIONS["original, Sequential"].row
    'original'
    """

    make: Callable[[], nn.Module]
    row: str = ""
    image: tuple[int, ...] = IMAGE


Edit = Callable[[Parts], None]
Wrap = Callable[[nn.Module], nn.Module]
ROWS = (PRE, ORIGINAL)


def written(row: str, style: str) -> nn.Module:
    """A right network in one writing."""
    return WRITINGS[style](Parts(row))


def edited(edit: Edit, row: str) -> nn.Module:
    """A network whose parts were edited."""
    parts = Parts(row)
    edit(parts)
    return Listed(parts)


def wrapped(wrap: Wrap, row: str) -> nn.Module:
    """A network in other hands."""
    return wrap(Listed(Parts(row)))


def layers(make: Callable[[nn.Module], None]) -> Wrap:
    """Do something to each convolution or BN."""

    def wrap(network: nn.Module) -> nn.Module:
        for module in [*network.modules()]:
            if isinstance(module, nn.Conv2d | nn.BatchNorm2d):
                make(module)
        return network

    return wrap


class Around(nn.Module):
    """Something before, or after, or around a network."""

    def __init__(self, network: nn.Module, call: Callable[..., Any]) -> None:
        super().__init__()
        self.network, self.call = network, call

    def forward(self, x: Tensor) -> Any:
        return self.call(self.network, x)


def autocast(network: nn.Module, x: Tensor) -> Any:
    """Half precision inside of the network's own forward."""
    with torch.autocast("cpu", torch.bfloat16):
        return network(x)


def around(call: Callable[..., Any]) -> Wrap:
    """Wrap in a call."""
    return lambda network: Around(network, call)


def weight_normed(module: nn.Module) -> None:
    """Length and direction of each kernel apart."""
    if isinstance(module, nn.Conv2d):
        parametrizations.weight_norm(module)


def spectral_normed(module: nn.Module) -> None:
    """Each kernel divided by its largest singular value."""
    if isinstance(module, nn.Conv2d):
        parametrizations.spectral_norm(module)


def hooked(module: nn.Module) -> None:
    """Somebody looks at means."""
    seen: list[float] = []
    module.register_forward_hook(
        lambda m, i, out: seen.append(out.mean().item())
    )


def compiled(network: nn.Module) -> nn.Module:
    """A network that is traced when it is called."""
    return torch.compile(network, backend="eager")  # type: ignore[return-value]


def frozen(network: nn.Module) -> nn.Module:
    """A network that is not trained any more."""
    return network.requires_grad_(False)


def zero_branches(parts: Parts) -> None:
    """The branch's last layer begins at zero."""
    for unit in parts.units:
        last = unit.conv2 if parts.row == PRE else unit.norm2
        nn.init.zeros_(last.weight)  # type: ignore[arg-type]


class Join(nn.Module):
    """How a unit adds, in this mode or the other."""

    def __init__(
        self,
        training: Callable[[Tensor, Tensor], Tensor],
        evaluation: Callable[[Tensor, Tensor], Tensor] = torch.add,
    ) -> None:
        super().__init__()
        self.ways = training, evaluation

    def forward(self, h: Tensor, f: Tensor) -> Tensor:
        return self.ways[0 if self.training else 1](h, f)


def joined(*ways: Callable[[Tensor, Tensor], Tensor]) -> Edit:
    """Add in another way, in every unit."""

    def edit(parts: Parts) -> None:
        for unit in parts.units:
            unit.add = Join(*ways)

    return edit


def always(join: Callable[[Tensor, Tensor], Tensor]) -> Edit:
    """Add in another way, in both modes."""
    return joined(join, join)


def put(slot: str, make: Callable[[Unit], nn.Module]) -> Edit:
    """Put a layer at a place of every unit."""

    def edit(parts: Parts) -> None:
        for unit in parts.units:
            setattr(unit, slot, make(unit))

    return edit


class Function(nn.Module):
    """A function as a layer."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


def nothing(function: Callable[[Tensor], Tensor]) -> Edit:
    """A function that changes no value, on every shortcut."""
    return put("on_shortcut", lambda _: Function(function))


def one_by_one(network: nn.Module) -> nn.Module:
    """Convolutions see one image at a time."""

    class Singly(nn.Module):
        def __init__(self, conv: nn.Module) -> None:
            super().__init__()
            self.conv = conv

        def forward(self, x: Tensor) -> Tensor:
            return torch.cat([self.conv(image[None]) for image in x])

    for unit in network.units:  # type: ignore[union-attr]
        unit.unit.conv1 = Singly(unit.unit.conv1)
        unit.unit.conv2 = Singly(unit.unit.conv2)
    return network


def head_dropout(parts: Parts) -> None:
    """Dropout before the classifier."""
    parts.classifier = nn.Sequential(nn.Dropout(0.5), parts.classifier)


def plan(row: str, **sizes: Any) -> nn.Module:
    """A network of this package."""
    facts = {"depth": 20, "convs": 2, "image": IMAGE, **sizes}
    return Network(cifar_plan(row, **facts), seed=0)


STATES: dict[str, Wrap] = {
    "torch.compile": compiled,
    "DataParallel": nn.DataParallel,
    "bfloat16": lambda n: n.bfloat16(),
    "float64": lambda n: n.double(),
    "autocast": around(autocast),
    "fx": torch.fx.symbolic_trace,
    "weight_norm": layers(weight_normed),
    "channels_last": lambda n: n.to(memory_format=torch.channels_last),  # type: ignore[call-overload]
    "hooks": layers(hooked),
    "frozen": frozen,
}
MORE_STATES: dict[str, Wrap] = {
    "spectral_norm": layers(spectral_normed),
    "deepcopy": copy.deepcopy,
    "averaged": torch.optim.swa_utils.AveragedModel,
    "normalized images": around(lambda n, x: n((x - 0.4) / 0.2)),
    "a dictionary": around(lambda n, x: {"logits": n(x)}),
    "log_softmax": around(lambda n, x: nnf.log_softmax(n(x), 1)),
    "image by image": one_by_one,
}
EDITS: dict[str, Edit] = {
    "zero-initialized": zero_branches,
    "drop path": joined(drop_path),
    "drop path of timm": joined(bernoulli),
    "stochastic depth by a product": joined(zeroed),
    "stochastic depth by random": joined(skipped),
    "stochastic depth by item": joined(item),
    "add_": always(in_place),
    "dropout in the head": head_dropout,
}
MORE_EDITS: dict[str, Edit] = {
    "dropout inside": put("inside", lambda _: nn.Dropout(0.3)),
    "h - f": always(torch.sub),
    "x.clone()": nothing(torch.clone),
    "1.0 * x": nothing(lambda x: 1.0 * x),
    "x.float()": nothing(Tensor.float),
    "hand-made BN": put("norm2", lambda u: HandMadeNorm(u.c_out)),
}
TOKENS = (6, 8)
VARIATIONS: dict[str, Variation] = {
    **{
        f"{row}, {style}": Variation(partial(written, row, style), row)
        for row in ROWS
        for style in WRITINGS
    },
    **{
        name: Variation(make, row, (3, 32, 32))
        for name, (make, row) in STYLES.items()
    },
    **{
        f"{row}, {name}": Variation(partial(wrapped, wrap, row), row)
        for row in ROWS
        for name, wrap in STATES.items()
    },
    **{
        f"{PRE}, {name}": Variation(partial(wrapped, wrap, PRE), PRE)
        for name, wrap in MORE_STATES.items()
    },
    **{
        f"{row}, {name}": Variation(partial(edited, edit, row), row)
        for row in ROWS
        for name, edit in EDITS.items()
    },
    **{
        f"{PRE}, {name}": Variation(partial(edited, edit, PRE), PRE)
        for name, edit in MORE_EDITS.items()
    },
    f"{PRE}, checkpoint": Variation(lambda: Checkpointed(Parts(PRE)), PRE),
    f"{ORIGINAL}, checkpoint": Variation(
        lambda: Reentrant(Parts(ORIGINAL)), ORIGINAL
    ),
    f"{PRE}, bottleneck": Variation(
        partial(plan, PRE, depth=29, convs=3), PRE
    ),
    f"{ORIGINAL}, bottleneck": Variation(
        partial(plan, ORIGINAL, depth=29, convs=3), ORIGINAL
    ),
    f"{PRE}, 56 layers": Variation(partial(plan, PRE, depth=56), PRE),
    f"{PRE}, wide": Variation(partial(plan, PRE, width=32), PRE),
    "squeeze and excitation": Variation(
        partial(edited, put("end", lambda u: SqueezeExcite(u.c_out)), ORIGINAL)
    ),
    "pre-LN": Variation(partial(transformer, False), image=TOKENS),
    "pre-LN, scaled": Variation(partial(transformer, True), image=TOKENS),
    "pre-LN of PyTorch": Variation(partial(encoder, True), image=TOKENS),
    "ConvNeXt": Variation(convnext),
}
"""Right networks, by what is special about them."""
