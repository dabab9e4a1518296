"""A small ResNet-20 in parts, and five ways of writing it down.

A mistake changes one part; `WRITINGS` says how different people would have
written what the parts then are.
"""

import torch
import torch.nn.functional as nnf
from torch import nn

from preact.book.bugs.zoo.right import WIDTHS, conv1x1, conv3x3

UNITS = (3, 3, 3)
IMAGE = (3, 8, 8)
CLASSES = 10
PRE, ORIGINAL = "full-preactivation", "original"


class Unit(nn.Module):
    """What stands where in one unit.

    At five places nothing stands in a right unit: on the shortcut; before,
    between and behind the branch's layers; behind the addition. `add` joins
    shortcut and branch, where that is no addition; `raw` tells whether the
    projection reads x, not its activation.
    """

    def __init__(self, row, c_in, c_out, stride):
        super().__init__()
        self.row, self.c_in, self.c_out, self.stride = row, c_in, c_out, stride
        self.changes = stride != 1 or c_in != c_out
        for place in ("on_shortcut", "start", "inside", "end", "on_stream"):
            setattr(self, place, nn.Identity())
        self.norm1 = nn.BatchNorm2d(c_in if row == PRE else c_out)
        self.relu1 = nn.ReLU()
        self.conv1 = conv3x3(c_in, c_out, stride)
        self.norm2 = nn.BatchNorm2d(c_out)
        self.relu2 = nn.ReLU()
        self.conv2 = conv3x3(c_out, c_out)
        projection = [conv1x1(c_in, c_out, stride)]
        if row == ORIGINAL:
            projection.append(nn.BatchNorm2d(c_out))
        self.projection = nn.ModuleList(projection if self.changes else [])
        self.add, self.raw = None, False

    @property
    def pre(self):
        """What the branch, and a projection, read x through."""
        before = [self.start, self.norm1, self.relu1]
        return before if self.row == PRE else []

    @property
    def branch(self):
        """F, behind `pre`."""
        if self.row == ORIGINAL:
            first = [self.start, self.conv1, self.norm1, self.relu1]
            return [*first, self.inside, self.conv2, self.norm2, self.end]
        first = [self.conv1, self.inside, self.norm2]
        return [*first, self.relu2, self.conv2, self.end]

    @property
    def after(self):
        """What the sum passes before the next unit."""
        relu = [self.relu2] if self.row == ORIGINAL else []
        return [*relu, self.on_stream]


class Parts:
    """What stands where in a network of nine units."""

    def __init__(self, row=PRE, counts=UNITS):
        self.row, self.units = row, []
        self.stem = [conv3x3(3, WIDTHS[0])]
        if row == ORIGINAL:
            self.stem += active(WIDTHS[0])
        c_in = WIDTHS[0]
        for stage, (c_out, count) in enumerate(
            zip(WIDTHS, counts, strict=True)
        ):
            for i in range(count):
                stride = 2 if stage > 0 and i == 0 else 1
                self.units.append(Unit(row, c_in, c_out, stride))
                c_in = c_out
        self.tail = active(c_in) if row == PRE else []
        self.pool = None  # as the writing pleases
        self.classifier = nn.Linear(c_in, CLASSES)


def active(width):
    """BN and ReLU."""
    return [nn.BatchNorm2d(width), nn.ReLU()]


def run(layers, x):
    """Call one after the other."""
    for layer in layers:
        x = layer(x)
    return x


class Listed(nn.Module):
    """Units in an `nn.ModuleList`, as textbooks write them."""

    class Unit(nn.Module):
        def __init__(self, unit):
            super().__init__()
            self.unit = unit

        def forward(self, x):
            unit = self.unit
            out = run(unit.pre, x)
            shortcut = x
            if unit.changes:
                shortcut = run(unit.projection, x if unit.raw else out)
            shortcut = unit.on_shortcut(shortcut)
            out = run(unit.branch, out)
            out = unit.add(shortcut, out) if unit.add else shortcut + out
            return run(unit.after, out)

    def __init__(self, parts):
        super().__init__()
        self.stem = nn.ModuleList(parts.stem)
        self.units = nn.ModuleList(map(self.Unit, parts.units))
        self.tail = nn.ModuleList(parts.tail)
        self.pool = parts.pool
        self.classifier = parts.classifier

    def forward(self, x):
        x = run([*self.stem, *self.units, *self.tail], x)
        x = self.pool(x) if self.pool else x.mean((2, 3))
        return self.classifier(x.flatten(1))


class Functional(nn.Module):
    """One dictionary of tensors, and functions that read it.

    What has no parameters of a convolution, BN or ReLU stays a module.
    """

    def __init__(self, parts):
        super().__init__()
        self.w, self.others = nn.ParameterDict(), nn.ModuleList()
        self.made = {}
        self.stem = self._functions(parts.stem)
        self.plan = [
            {
                "pre": self._functions(unit.pre),
                "branch": self._functions(unit.branch),
                "shortcut": self._functions([unit.on_shortcut]),
                "projection": self._functions(unit.projection),
                "after": self._functions(unit.after),
                "add": unit.add or torch.add,
                "raw": unit.raw,
            }
            for unit in parts.units
        ]
        self.tail = self._functions(parts.tail)
        self.pool = parts.pool
        self.head = self._functions([parts.classifier])

    def _functions(self, layers):
        return [self._function(layer) for layer in layers]

    def _function(self, layer):
        """Take a layer's tensors, and forget the layer."""
        if type(layer) is nn.ReLU and not layer.inplace:
            return lambda x: x.clamp(min=0)
        kept = nn.Conv2d, nn.Linear, nn.BatchNorm2d
        padded = getattr(layer, "padding_mode", "zeros")
        if type(layer) not in kept or padded != "zeros":
            self.others.append(layer)
            return layer
        if id(layer) not in self.made:  # a unit may be there twice
            self.made[id(layer)] = self._call(layer, f"w{len(self.made)}")
        return self.made[id(layer)]

    def _call(self, layer, name):
        for key, value in layer.named_parameters():
            self.w[f"{name}{key}"] = value
        for key, buffer in layer.named_buffers():
            self.register_buffer(f"{name}{key}", buffer)

        def get(key):
            place = self.w if key in ("weight", "bias") else self
            return getattr(place, f"{name}{key}", None)

        if type(layer) is nn.Linear:
            return lambda x: nnf.linear(x, get("weight"), get("bias"))
        if type(layer) is nn.Conv2d:
            rest = layer.stride, layer.padding, layer.dilation, layer.groups
            return lambda x: nnf.conv2d(x, get("weight"), get("bias"), *rest)
        rest = layer.momentum, layer.eps

        def norm(x):
            statistics = get("running_mean"), get("running_var")
            batch = self.training or statistics[0] is None
            affine = get("weight"), get("bias")
            return nnf.batch_norm(x, *statistics, *affine, batch, *rest)

        return norm

    def forward(self, x):
        x = run(self.stem, x)
        for unit in self.plan:
            a, h = run(unit["pre"], x), x
            if unit["projection"]:
                h = run(unit["projection"], x if unit["raw"] else a)
            h = run(unit["shortcut"], h)
            x = run(unit["after"], unit["add"](h, run(unit["branch"], a)))
        x = run(self.tail, x)
        x = self.pool(x) if self.pool else nnf.adaptive_avg_pool2d(x, 1)
        return run(self.head, x.flatten(1))


class Fork(nn.Module):
    """Two paths from one place, joined again."""

    def __init__(self, left, right, add):
        super().__init__()
        self.left, self.right, self.add = left, right, add

    def forward(self, x):
        left, right = self.left(x), self.right(x)
        return self.add(left, right) if self.add else torch.add(right, left)


def forked(unit):
    """One unit of small sequences."""
    shortcut = nn.Sequential(*unit.projection, unit.on_shortcut)
    if unit.changes and not unit.raw:
        fork = Fork(shortcut, nn.Sequential(*unit.branch), unit.add)
        return nn.Sequential(*unit.pre, fork, *unit.after)
    branch = nn.Sequential(*unit.pre, *unit.branch)
    return nn.Sequential(Fork(shortcut, branch, unit.add), *unit.after)


def sequential(parts):
    """One `nn.Sequential` of sequences."""
    return nn.Sequential(
        nn.Sequential(*parts.stem),
        nn.Sequential(*map(forked, parts.units)),
        nn.Sequential(*parts.tail),
        parts.pool or nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        parts.classifier,
    )


class LikeTimm(nn.Module):
    """Features and head, in place wherever it can be."""

    class Block(nn.Module):
        def __init__(self, unit):
            super().__init__()
            self.preact = nn.Sequential(*unit.pre)
            self.body = nn.Sequential(*unit.branch)
            self.act = nn.Sequential(*unit.after)
            self.attn, self.drop_path = nn.Identity(), nn.Identity()
            self.downsample = nn.Sequential(*unit.projection)
            self.skip, self.raw, self.add = (
                unit.on_shortcut,
                unit.raw,
                unit.add,
            )
            for layer in (*self.body, *self.act):
                if isinstance(layer, nn.ReLU):
                    layer.inplace = True

        def forward(self, x):
            x_preact = self.preact(x)
            shortcut = x
            if len(self.downsample):
                shortcut = self.downsample(x if self.raw else x_preact)
            shortcut = self.skip(shortcut)
            x = self.drop_path(self.attn(self.body(x_preact)))
            return self.act(
                self.add(shortcut, x) if self.add else x + shortcut
            )

    def __init__(self, parts):
        super().__init__()
        blocks = map(self.Block, parts.units)
        self.features = nn.Sequential(*parts.stem, *blocks, *parts.tail)
        self.global_pool = parts.pool or nn.AdaptiveAvgPool2d(1)
        self.drop, self.fc = nn.Dropout(0.0), parts.classifier

    def forward(self, x):
        x = torch.flatten(self.global_pool(self.features(x)), 1)
        return self.fc(self.drop(x))


class Hostile(nn.Module):
    """Recursion, a loop that looks at values, images one by one."""

    def __init__(self, parts):
        super().__init__()
        self.stem = nn.ModuleList(parts.stem)
        self.units = nn.ModuleList(parts.units)
        self.tail = nn.ModuleList(parts.tail)
        self.pool, self.classifier = parts.pool, parts.classifier

    def _layers(self, layers, x):
        """One layer, then the rest."""
        return self._layers(layers[1:], layers[0](x)) if layers else x

    def _from(self, k, x):
        """Unit k and all that follow."""
        if k == len(self.units) or x.abs().max().item() == float("inf"):
            return x
        unit = self.units[k]
        a, h = self._layers(unit.pre, x), x
        f = self._layers(unit.branch, a)
        if unit.changes:
            h = self._layers([*unit.projection], x if unit.raw else a)
        h = unit.on_shortcut(h)
        y = unit.add(h, f) if unit.add else torch.add(f, h, alpha=1)
        return self._from(k + 1, self._layers(unit.after, y))

    def forward(self, x):
        x = self._layers([*self.stem], x)
        x = self._layers([*self.tail], self._from(0, x))
        if self.pool:
            x = self.pool(x).flatten(1)
        while x.ndim > 2:
            x = x.mean(-1)
        return torch.stack([self.classifier(one) for one in x])


WRITINGS = {
    "ModuleList": Listed,
    "functional": Functional,
    "Sequential": sequential,
    "timm": LikeTimm,
    "hostile": Hostile,
}
