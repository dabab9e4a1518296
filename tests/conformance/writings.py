"""Five ways of writing one and the same network down."""

from collections.abc import Callable, Iterable
from typing import Any, cast

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from conformance.parts import Layers, Parts, Unit

__all__ = ["WRITINGS"]


def run(layers: Iterable[nn.Module], x: Tensor) -> Tensor:
    """Call one after the other."""
    for layer in layers:
        x = layer(x)
    return x


class ListedUnit(nn.Module):
    """A unit as textbooks write it."""

    def __init__(self, unit: Unit) -> None:
        super().__init__()
        self.unit = unit

    def forward(self, x: Tensor) -> Tensor:
        unit = self.unit
        out = run(unit.pre, x)
        shortcut = x
        if unit.changes:
            shortcut = run(unit.projection, x if unit.raw else out)
        shortcut = unit.on_shortcut(shortcut)
        out = run(unit.branch, out)
        out = unit.add(shortcut, out) if unit.add else shortcut + out
        return run(unit.after, out)


class Listed(nn.Module):
    """Units in an `nn.ModuleList`."""

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.stem = nn.ModuleList(parts.stem)
        self.units = nn.ModuleList(map(ListedUnit, parts.units))
        self.tail = nn.ModuleList(parts.tail)
        self.pool = parts.pool
        self.classifier = parts.classifier

    def forward(self, x: Tensor) -> Tensor:
        x = run([*self.stem, *self.units, *self.tail], x)
        x = self.pool(x) if self.pool else x.mean((2, 3))
        return self.classifier(x.flatten(1))  # type: ignore[no-any-return]


class Functional(nn.Module):
    """Dictionaries of tensors and functions; a layer is a tuple.

    What has no parameters of a convolution or a BN stays the module it is.
    """

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.w = nn.ParameterDict()
        self.others = nn.ModuleList()
        self.stem = [self._kept(layer) for layer in parts.stem]
        self.plan: list[dict[str, Any]] = [
            {
                "pre": [self._kept(layer) for layer in unit.pre],
                "branch": [self._kept(layer) for layer in unit.branch],
                "shortcut": self._kept(unit.on_shortcut),
                "projection": [self._kept(one) for one in unit.projection],
                "after": [self._kept(layer) for layer in unit.after],
                "add": unit.add or torch.add,
                "raw": unit.raw,
            }
            for unit in parts.units
        ]
        self.tail = [self._kept(layer) for layer in parts.tail]
        self.pool = parts.pool
        self.head = self._kept(parts.classifier)
        self.made: dict[int, tuple[Any, ...]]

    def _kept(self, layer: nn.Module) -> tuple[Any, ...]:
        """Take a layer's tensors, and forget the layer."""
        if isinstance(layer, nn.Identity):
            return ("nothing",)
        if type(layer) is nn.ReLU and not layer.inplace:
            return ("relu",)
        name = next(
            (
                n
                for n, m in self.__dict__.get("taken", {}).items()
                if m is layer
            ),
            "",
        )
        if not name:
            taken: dict[str, nn.Module] = self.__dict__.setdefault("taken", {})
            name = f"w{len(taken)}"
            taken[name] = layer
            if type(layer) in (nn.Conv2d, nn.Linear, nn.BatchNorm2d):
                for key, value in layer.named_parameters():
                    self.w[f"{name}{key}"] = value
                for key, buffer in layer.named_buffers():
                    self.register_buffer(f"{name}{key}", buffer)
            else:
                self.others.append(layer)
        if type(layer) is nn.Conv2d and layer.padding_mode == "zeros":
            rest = layer.stride, layer.padding, layer.dilation, layer.groups
            return "conv", name, *rest
        if type(layer) is nn.Linear:
            return "linear", name
        if type(layer) is nn.BatchNorm2d:
            return "norm", name, layer.momentum, layer.eps
        return "other", layer

    def _run(self, layer: tuple[Any, ...], x: Tensor) -> Tensor:
        """Compute one layer."""
        match layer:
            case ("relu",):
                return x.clamp(min=0)
            case "conv", name, *rest:
                w, b = self.w[f"{name}weight"], self._get(f"{name}bias")
                return nnf.conv2d(x, w, b, *rest)
            case "linear", name:
                w, b = self.w[f"{name}weight"], self._get(f"{name}bias")
                return nnf.linear(x, w, b)
            case "norm", name, momentum, eps:
                mean = getattr(self, f"{name}running_mean", None)
                var = getattr(self, f"{name}running_var", None)
                w, b = self._get(f"{name}weight"), self._get(f"{name}bias")
                batch = mean is None or self.training
                return nnf.batch_norm(x, mean, var, w, b, batch, momentum, eps)
            case "other", other:
                return other(x)  # type: ignore[no-any-return]
        return x

    def _get(self, name: str) -> Tensor | None:
        """A parameter, if there is one."""
        return getattr(self.w, name, None)

    def _all(self, layers: list[tuple[Any, ...]], x: Tensor) -> Tensor:
        """Compute one layer after the other."""
        for layer in layers:
            x = self._run(layer, x)
        return x

    def forward(self, x: Tensor) -> Tensor:
        x = self._all(self.stem, x)
        for unit in self.plan:
            a = self._all(unit["pre"], x)
            h = x
            if unit["projection"]:
                h = self._all(unit["projection"], x if unit["raw"] else a)
            h = self._run(unit["shortcut"], h)
            x = self._all(
                unit["after"], unit["add"](h, self._all(unit["branch"], a))
            )
        x = self._all(self.tail, x)
        x = self.pool(x) if self.pool else nnf.adaptive_avg_pool2d(x, 1)
        return self._run(self.head, x.flatten(1))


class Fork(nn.Module):
    """Two ways from one place, joined again."""

    def __init__(
        self,
        left: nn.Module,
        right: nn.Module,
        add: Callable[[Tensor, Tensor], Tensor] | None,
    ) -> None:
        super().__init__()
        self.left, self.right, self.add = left, right, add

    def forward(self, x: Tensor) -> Tensor:
        left, right = self.left(x), self.right(x)
        return self.add(left, right) if self.add else torch.add(right, left)


def forked(unit: Unit) -> nn.Module:
    """One unit of small sequences."""
    shortcut = nn.Sequential(*unit.projection, unit.on_shortcut)
    after = nn.Sequential(*unit.after)
    if unit.changes and not unit.raw:
        fork = Fork(shortcut, nn.Sequential(*unit.branch), unit.add)
        return nn.Sequential(*unit.pre, fork, after)
    branch = nn.Sequential(*unit.pre, *unit.branch)
    return nn.Sequential(Fork(shortcut, branch, unit.add), after)


def sequential(parts: Parts) -> nn.Module:
    """One `nn.Sequential` of sequences."""
    stages: dict[int, Layers] = {}
    for unit in parts.units:
        stages.setdefault(unit.c_out, []).append(forked(unit))
    return nn.Sequential(
        nn.Sequential(*parts.stem),
        *(nn.Sequential(*units) for units in stages.values()),
        nn.Sequential(*parts.tail),
        parts.pool or nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        parts.classifier,
    )


class LikeTimm(nn.Module):
    """Features and head, in place wherever it can be."""

    class Block(nn.Module):
        def __init__(self, unit: Unit) -> None:
            super().__init__()
            self.preact = nn.Sequential(*unit.pre)
            self.body = nn.Sequential(*unit.branch)
            self.act = nn.Sequential(*unit.after)
            self.attn, self.drop_path = nn.Identity(), nn.Identity()
            self.downsample = None
            if unit.changes:
                self.downsample = nn.Sequential(*unit.projection)
            self.skip = unit.on_shortcut
            self.raw, self.add = unit.raw, unit.add
            for layer in (*self.body, *self.act):
                if isinstance(layer, nn.ReLU):
                    layer.inplace = True

        def forward(self, x: Tensor) -> Tensor:
            x_preact = self.preact(x)
            shortcut = x
            if self.downsample is not None:
                shortcut = self.downsample(x if self.raw else x_preact)
            shortcut = self.skip(shortcut)
            x = self.drop_path(self.attn(self.body(x_preact)))
            x = self.add(shortcut, x) if self.add else x + shortcut
            return self.act(x)  # type: ignore[no-any-return]

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.stem = nn.Sequential(*parts.stem)
        stages: dict[int, Layers] = {}
        for unit in parts.units:
            stages.setdefault(unit.c_out, []).append(self.Block(unit))
        self.stages = nn.Sequential(
            *(nn.Sequential(*units) for units in stages.values())
        )
        self.norm = nn.Sequential(*parts.tail)
        self.global_pool = parts.pool or nn.AdaptiveAvgPool2d(1)
        self.drop = nn.Dropout(0.0)
        self.fc = parts.classifier

    def forward_features(self, x: Tensor) -> Tensor:
        """All but the head."""
        x = self.stages(self.stem(x))
        return self.norm(x)  # type: ignore[no-any-return]

    def forward(self, x: Tensor) -> Tensor:
        x = self.forward_features(x)
        x = torch.flatten(self.global_pool(x), 1)
        return self.fc(self.drop(x))  # type: ignore[no-any-return]


class Hostile(nn.Module):
    """Recursion, a loop that looks at values, images one by one."""

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.stem = nn.ModuleList(parts.stem)
        self.units = nn.ModuleList(parts.units)
        self.tail = nn.ModuleList(parts.tail)
        self.pool = parts.pool
        self.classifier = parts.classifier

    def _layers(self, layers: Layers, x: Tensor) -> Tensor:
        """One layer, then the rest."""
        return self._layers(layers[1:], layers[0](x)) if layers else x

    def _from(self, k: int, x: Tensor) -> Tensor:
        """Unit k and all that follow."""
        if k == len(self.units):
            return x
        unit = cast(Unit, self.units[k])
        if x.abs().max().item() == float("inf"):
            return x
        a = self._layers(unit.pre, x)
        f = self._layers(unit.branch, a)
        h = x
        if unit.changes:
            h = self._layers([*unit.projection], x if unit.raw else a)
        h = unit.on_shortcut(h)
        y = unit.add(h, f) if unit.add else torch.add(f, h, alpha=1)
        return self._from(k + 1, self._layers(unit.after, y))

    def forward(self, x: Tensor) -> Tensor:
        x = self._layers([*self.stem], x)
        x = self._layers([*self.tail], self._from(0, x))
        if self.pool:
            x = self.pool(x).flatten(1)
        while x.ndim > 2:
            x = x.mean(-1)
        return torch.stack([self.classifier(one) for one in x])


WRITINGS: dict[str, Callable[[Parts], nn.Module]] = {
    "ModuleList": Listed,
    "functional": Functional,
    "Sequential": sequential,
    "timm": LikeTimm,
    "hostile": Hostile,
}
"""A network of some parts, by the way in which it is written."""
