"""Variations that are no mistakes: networks to which nobody may say no.

`VARIATIONS` has networks in all `WRITINGS`, in the states in which networks
are found in use (compiled, checkpointed, in half precision, zero-initialized,
with stochastic depth), and residual networks of other kinds.
"""

import copy
import random
from functools import partial
from typing import Any, NamedTuple

import torch
import torch.nn.functional as nnf
from torch import nn
from torch.nn.utils import parametrizations
from torch.utils.checkpoint import checkpoint

from conformance.parts import IMAGE, ORIGINAL, PRE, WRITINGS, Listed, Parts
from preact import Network, cifar_plan
from preact.book.bugs.zoo import RIGHT

ROWS = (PRE, ORIGINAL)


class Variation(NamedTuple):
    """A right network, the row that it is, if any, and its input's shape."""

    make: Any
    row: str = ""
    image: tuple = IMAGE


class Function(nn.Module):
    """A function as a layer, of one signal or two."""

    def __init__(self, function, *layers):
        super().__init__()
        self.function, self.layers = function, nn.ModuleList(layers)

    def forward(self, *signals):
        return self.function(*self.layers, *signals)


# -------------------------------------------------- a network in other hands
def around(call):
    """A call around a network."""
    return lambda network: Function(call, network)


def each(kind, change):
    """Do something to each layer of a kind."""

    def wrap(network):
        for module in [*network.modules()]:
            if isinstance(module, kind):
                change(module)
        return network

    return wrap


def autocast(network, x):
    with torch.autocast("cpu", torch.bfloat16):
        return network(x)


def hook(module):
    """Somebody looks at means."""
    seen = []
    module.register_forward_hook(
        lambda module, inputs, out: seen.append(out.mean().item())
    )


def checkpointed(reentrant):
    """Units are computed again in the backward pass."""

    def forward(network, x):
        for layer in (*network.stem, *network.units):
            x = checkpoint(layer, x, use_reentrant=reentrant)
        for layer in network.tail:
            x = layer(x)
        return network.classifier(x.mean((2, 3)))

    return around(forward)


def one_by_one(network):
    """Convolutions see one image at a time."""
    for unit in network.units:
        for name in ("conv1", "conv2"):
            conv = getattr(unit.unit, name)
            single = Function(
                lambda conv, x: torch.cat([conv(one[None]) for one in x]), conv
            )
            setattr(unit.unit, name, single)
    return network


STATES = {
    "torch.compile": partial(torch.compile, backend="eager"),
    "DataParallel": nn.DataParallel,
    "bfloat16": lambda n: n.bfloat16(),
    "float64": lambda n: n.double(),
    "autocast": around(autocast),
    "fx": torch.fx.symbolic_trace,
    "weight_norm": each(nn.Conv2d, parametrizations.weight_norm),
    "channels_last": lambda n: n.to(memory_format=torch.channels_last),
    "hooks": each((nn.Conv2d, nn.BatchNorm2d), hook),
    "frozen": lambda n: n.requires_grad_(False),
    "checkpoint": checkpointed(False),
    "checkpoint, reentrant": checkpointed(True),
}
MORE_STATES = {
    "spectral_norm": each(nn.Conv2d, parametrizations.spectral_norm),
    "deepcopy": copy.deepcopy,
    "averaged": torch.optim.swa_utils.AveragedModel,
    "normalized images": around(lambda n, x: n((x - 0.4) / 0.2)),
    "a dictionary": around(lambda n, x: {"logits": n(x)}),
    "log_softmax": around(lambda n, x: nnf.log_softmax(n(x), 1)),
    "image by image": one_by_one,
}


# -------------------------------------------------- parts that were edited
def put(slot, make):
    """Put a layer at a place of every unit."""

    def edit(parts):
        for unit in parts.units:
            setattr(unit, slot, make(unit))

    return edit


class Join(nn.Module):
    """How a unit adds, in this mode or the other."""

    def __init__(self, training, evaluation=torch.add):
        super().__init__()
        self.modes = evaluation, training

    def forward(self, h, f):
        return self.modes[self.training](h, f)


def joined(*modes):
    """Add in another way, in every unit."""
    return put("add", lambda _: Join(*modes))


def drop_path(h, f):
    return h + f * (torch.rand(len(f), 1, 1, 1) < 0.8) / 0.8


def bernoulli(h, f):
    """As timm writes it."""
    mask = f.new_empty((len(f), 1, 1, 1)).bernoulli_(0.8)
    return h + f * mask.div_(0.8)


def zero_branches(parts):
    """The branch's last layer begins at zero."""
    for unit in parts.units:
        last = unit.conv2 if parts.row == PRE else unit.norm2
        nn.init.zeros_(last.weight)


def drop_at_the_head(parts):
    parts.classifier = nn.Sequential(nn.Dropout(0.5), parts.classifier)


class HandMadeNorm(nn.Module):
    """A right BN, written by hand, with statistics for evaluation."""

    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels, 1, 1))
        self.bias = nn.Parameter(torch.zeros(channels, 1, 1))
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("var", torch.ones(channels))

    def forward(self, x):
        mean, var = self.mean, self.var
        if self.training:
            mean = x.mean((0, 2, 3))
            var = x.var((0, 2, 3), unbiased=False)
            self.mean.lerp_(mean.detach(), 0.1)
            self.var.lerp_(var.detach(), 0.1)
        x = (x - mean[:, None, None]) / (var[:, None, None] + 1e-5).sqrt()
        return x * self.weight + self.bias


EDITS = {
    "zero-initialized": zero_branches,
    "drop path": joined(drop_path),
    "drop path of timm": joined(bernoulli),
    "stochastic depth by a product": joined(
        lambda h, f: h + (0 * f if torch.rand(()) < 0.2 else f)
    ),
    "stochastic depth by random": joined(
        lambda h, f: h if random.random() < 0.2 else h + f
    ),
    "stochastic depth by item": joined(
        lambda h, f: h + f if torch.rand(()).item() < 0.8 else h
    ),
    "add_": joined(*[lambda h, f: f.add_(h)] * 2),
    "dropout in the head": drop_at_the_head,
}
MORE_EDITS = {
    "dropout inside": put("inside", lambda _: nn.Dropout(0.3)),
    "h - f": joined(torch.sub, torch.sub),
    "x.clone()": put("on_shortcut", lambda _: Function(torch.clone)),
    "1.0 * x": put("on_shortcut", lambda _: Function(lambda x: 1.0 * x)),
    "hand-made BN": put("norm2", lambda u: HandMadeNorm(u.c_out)),
}


# ------------------------------------------------- networks of other kinds
def encoder():
    """PyTorch's transformer, LN first."""
    block = nn.TransformerEncoderLayer(
        8, 2, 16, dropout=0.1, batch_first=True, norm_first=True
    )
    return nn.TransformerEncoder(block, 3, enable_nested_tensor=False)


class ConvNext(nn.Module):
    """A depthwise convolution, LN, and a small network of pixels."""

    def __init__(self, width):
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, 1, 3, groups=width)
        self.norm = nn.LayerNorm(width)
        self.wide = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.full((width,), 1e-6))

    def forward(self, x):
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        y = self.scale * self.narrow(nnf.gelu(self.wide(y)))
        return x + y.permute(0, 3, 1, 2)


def convnext():
    """A stage of it."""
    return nn.Sequential(
        nn.Conv2d(3, 8, 2, 2), *(ConvNext(8) for _ in range(3))
    )


class SqueezeExcite(nn.Module):
    """A factor for each channel, from all of them."""

    def __init__(self, width):
        super().__init__()
        self.down, self.up = nn.Linear(width, 2), nn.Linear(2, width)

    def forward(self, x):
        s = torch.sigmoid(self.up(nnf.relu(self.down(x.mean((2, 3))))))
        return x * s[:, :, None, None]


def edited(edit, row):
    """A network whose parts were edited."""
    parts = Parts(row)
    edit(parts)
    return Listed(parts)


def plan(row, **sizes):
    """A network of this package."""
    sizes = {"depth": 20, "convs": 2, "image": IMAGE, **sizes}
    return Network(cifar_plan(row, **sizes), seed=0)


SQUEEZED = put("end", lambda u: SqueezeExcite(u.c_out))
VARIATIONS = {
    **{
        f"{row}, {style}": Variation(
            lambda write=write, row=row: write(Parts(row)), row
        )
        for row in ROWS
        for style, write in WRITINGS.items()
    },
    **{
        name: Variation(one.make, one.meant, (3, 32, 32))
        for name, one in RIGHT.items()
    },
    **{
        f"{row}, {name}": Variation(
            lambda wrap=wrap, row=row: wrap(Listed(Parts(row))), row
        )
        for states, rows in ((STATES, ROWS), (MORE_STATES, (PRE,)))
        for row in rows
        for name, wrap in states.items()
    },
    **{
        f"{row}, {name}": Variation(partial(edited, edit, row), row)
        for edits, rows in ((EDITS, ROWS), (MORE_EDITS, (PRE,)))
        for row in rows
        for name, edit in edits.items()
    },
    **{
        f"{row}, bottleneck": Variation(
            partial(plan, row, depth=29, convs=3), row
        )
        for row in ROWS
    },
    f"{PRE}, 56 layers": Variation(partial(plan, PRE, depth=56), PRE),
    f"{PRE}, wide": Variation(partial(plan, PRE, width=32), PRE),
    "squeeze and excitation": Variation(partial(edited, SQUEEZED, ORIGINAL)),
    "pre-LN": Variation(encoder, image=(6, 8)),
    "ConvNeXt": Variation(convnext),
}
"""Right networks, by what is special about them."""
