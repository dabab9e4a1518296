"""Plans and units as files write them: strict, short, and read back equal.

Experiment files describe their own units so, and files of weights their
networks. Only what cannot be computed is written: where a convolution gets
its input channels from is the layer before it, so no file can contradict
itself.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from preact.plan.checks import MOST
from preact.plan.conventions import Projection, Tap
from preact.plan.layers import (
    BatchNorm,
    Conv,
    Init,
    Layer,
    MaxPool,
    ReLU,
    op_layers,
)
from preact.plan.network import NetworkPlan
from preact.plan.unit import UnitPlan
from preact.spec import Conv1x1, Dropout, Gated, Op, Scale, UnitSpec
from preact.spec.unit import OnBranch, OnShortcut
from preact.typed import dump, typed

OpName = Literal["BN", "ReLU"]
Channels = Annotated[int, Field(ge=1, le=2**20)]
Side = Annotated[int, Field(ge=1, le=MOST["image"])]
Kernel = Annotated[int, Field(ge=1, le=31)]


@typed
class Factor:
    """What multiplies the shortcut or F: one of Table 1's, by its name."""

    scale: float | None = None
    gate: float | None = None
    complement: bool = False
    design: Literal["conv1x1", "two conv3x3"] = "conv1x1"
    dropout: float | None = None
    conv1x1: bool = False

    def __post_init__(self) -> None:
        names = ("scale", "gate", "dropout", "conv1x1")
        absent = (self.scale, self.gate, self.dropout).count(None)
        if 3 - absent + self.conv1x1 != 1:
            raise ValueError(f"must say exactly one of {', '.join(names)}")
        if self.gate is None and (self.complement or self.design != "conv1x1"):
            raise ValueError("may say complement and design of a gate only")

    @property
    def made(self) -> OnShortcut:
        if self.gate is not None:
            return Gated(self.gate, self.complement, self.design)
        if self.dropout is not None:
            return Dropout(self.dropout)
        if self.conv1x1:
            return Conv1x1()
        return Scale(self.scale if self.scale is not None else 1.0)


@typed
class WrittenUnit:
    """A unit: its three places, and its factors."""

    pre: tuple[OpName, ...] = ()
    post: tuple[OpName, ...] = ()
    after: tuple[OpName, ...] = ()
    on_shortcut: Factor = Factor(scale=1.0)
    on_branch: Factor = Factor(scale=1.0)

    def __post_init__(self) -> None:
        for place in ("pre", "post", "after"):
            if len(set(names := getattr(self, place))) < len(names):
                raise ValueError(
                    f"{place} must have BN and ReLU once each at most; got "
                    f"{', '.join(names)}"
                )
        self.spec  # noqa: B018  (refuses what is no unit)

    @property
    def spec(self) -> UnitSpec:
        """The unit described; ValueError if none has such factors."""
        branch = self.on_branch.made
        if not isinstance(branch, OnBranch):
            raise ValueError("on_branch must be a scale or a gate")
        return UnitSpec(
            pre=tuple(map(Op, self.pre)),
            post=tuple(map(Op, self.post)),
            after=tuple(map(Op, self.after)),
            on_shortcut=self.on_shortcut.made,
            on_branch=branch,
        )


@typed
class WrittenConv:
    """A convolution of the stem."""

    channels: Channels
    kernel: Kernel
    stride: Annotated[int, Field(ge=1, le=8)] = 1


@typed
class WrittenUnits:
    """Equal units in a row; `unit` stands where it is not the network's."""

    count: Annotated[int, Field(ge=1, le=MOST["units"])] = 1
    c_inner: Channels
    c_out: Channels
    stride: Literal[1, 2] = 1
    stride_on: Literal[0, 1, 2] = 0
    kernel: Literal[1, 3] = 3
    tap: Tap = "before pre"
    projection: Projection | None = None
    unit: WrittenUnit | None = None


StemLayer = Annotated[
    Annotated[Literal["BN", "ReLU", "max pool"], Tag("(name)")]
    | Annotated[WrittenConv, Tag("(conv)")],
    Discriminator(
        lambda layer: "(name)" if isinstance(layer, str) else "(conv)"
    ),
]


@typed
class WrittenPlan:
    """A whole network; `plan` is what it describes."""

    unit: WrittenUnit
    convs: Annotated[int, Field(ge=1, le=3)]
    image: tuple[Side, Side, Side]
    classes: Annotated[int, Field(ge=1, le=MOST["classes"])]
    stem: Annotated[tuple[StemLayer, ...], Field(max_length=16)]
    stages: Annotated[
        tuple[tuple[WrittenUnits, ...], ...], Field(min_length=1)
    ]
    tail: tuple[OpName, ...]
    init: Init

    def __post_init__(self) -> None:
        counts = [sum(run.count for run in stage) for stage in self.stages]
        if not all(counts) or sum(counts) > MOST["units"]:
            raise ValueError(
                "stages must each have a unit, and all of them at most "
                f"{MOST['units']:,}; got {counts[:20]}"
            )
        self.plan  # noqa: B018  (refuses what is no network)

    @property
    def plan(self) -> NetworkPlan:
        """The network that the file describes."""
        stem, c_in = self._stem()
        units: list[UnitPlan] = []
        stages: list[range] = []
        for stage in self.stages:
            start = len(units)
            for run in stage:
                for _ in range(run.count):
                    unit = UnitPlan(
                        spec=(run.unit or self.unit).spec,
                        c_in=c_in,
                        convs=self.convs,
                        **_choices(run),
                    )
                    units.append(unit)
                    c_in = run.c_out
            stages.append(range(start, len(units)))
        has_conv = any(isinstance(layer, Conv) for layer in stem)
        return NetworkPlan(
            spec=self.unit.spec,
            depth=self.convs * len(units) + 1 + has_conv,
            convs=self.convs,
            image=self.image,
            classes=self.classes,
            stem=stem,
            units=tuple(units),
            stages=tuple(stages),
            tail=op_layers(tuple(map(Op, self.tail)), "tail", c_in),
            init=self.init,
        )

    def _stem(self) -> tuple[tuple[Layer, ...], int]:
        """Layers of the stem, and the channels of what leaves it."""
        layers: list[Layer] = []
        c = self.image[0]
        for i, one in enumerate(self.stem):
            name = f"stem.{i}"
            if isinstance(one, WrittenConv):
                layers.append(
                    Conv(
                        name=name,
                        c_in=c,
                        c_out=one.channels,
                        kernel=one.kernel,
                        stride=one.stride,
                    )
                )
                c = one.channels
            elif one == "BN":
                layers.append(BatchNorm(name=name, channels=c))
            else:
                layers.append((ReLU if one == "ReLU" else MaxPool)(name=name))
        return tuple(layers), c


def write_plan(plan: NetworkPlan) -> dict[str, Any]:
    """Return JSON values of which `WrittenPlan` makes an equal plan.

    ValueError if the plan was put together by hand in a way that no maker has.
    """
    try:
        written = WrittenPlan(
            unit=_unit(plan.spec),
            convs=plan.convs,
            image=plan.image,
            classes=plan.classes,
            stem=tuple(map(_stem_layer, plan.stem)),
            stages=tuple(
                _runs(plan, [plan.units[i] for i in stage])
                for stage in plan.stages
            ),
            tail=tuple(str(layer) for layer in plan.tail),  # type: ignore[misc]
            init=plan.init,
        )
    except ValueError as error:
        raise ValueError(f"the plan cannot be written: {error}") from error
    if written.plan != plan:
        raise ValueError(
            "the plan cannot be written: a file says only what the makers "
            f"can make; got {plan!r:.200}"
        )
    return dump(written)


def _stem_layer(layer: Layer) -> Any:
    """A layer of the stem as a file has it."""
    match layer:
        case Conv():
            return WrittenConv(
                channels=layer.c_out, kernel=layer.kernel, stride=layer.stride
            )
        case MaxPool():
            return "max pool"
        case _:
            return str(layer)


def _choices(unit: WrittenUnits | UnitPlan) -> dict[str, Any]:
    """What a unit and a file have by the same names."""
    names = ("c_inner", "c_out", "stride", "stride_on", "kernel", "tap")
    return {name: getattr(unit, name) for name in (*names, "projection")}


def _runs(
    plan: NetworkPlan, units: Iterable[UnitPlan]
) -> tuple[WrittenUnits, ...]:
    """A stage as runs of equal units."""
    written = (
        WrittenUnits(
            **_choices(unit),
            unit=None if unit.spec == plan.spec else _unit(unit.spec),
        )
        for unit in units
    )
    return tuple(
        replace(first, count=len(list(run))) for first, run in groupby(written)
    )


def _unit(spec: UnitSpec) -> WrittenUnit:
    """A unit as a file has it."""
    places: dict[str, Any] = {
        place: tuple(op.value for op in getattr(spec, place))
        for place in ("pre", "post", "after")
    }
    return WrittenUnit(
        **places,
        on_shortcut=_factor(spec.on_shortcut),
        on_branch=_factor(spec.on_branch),
    )


def _factor(factor: OnShortcut) -> Factor:
    """A factor as a file has it."""
    match factor:
        case Gated(bias, complement, design):
            return Factor(gate=bias, complement=complement, design=design)
        case Dropout(rate):
            return Factor(dropout=rate)
        case Conv1x1():
            return Factor(conv1x1=True)
        case Scale(value):
            return Factor(scale=value)
