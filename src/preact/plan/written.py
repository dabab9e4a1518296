"""Plans as files write them: strict, short, and read back equal.

Only what cannot be computed is written: where a convolution gets its input
channels from is the layer before it, so no file can contradict itself.
"""

from collections.abc import Iterable, Iterator
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
from preact.plan.written_unit import OpName, WrittenUnit, write_unit
from preact.spec import Op
from preact.typed import dump, parse, typed

Channels = Annotated[int, Field(ge=1, le=2**20)]
Side = Annotated[int, Field(ge=1, le=MOST["image"])]
Kernel = Annotated[int, Field(ge=1, le=31)]
Count = Annotated[int, Field(ge=1, le=MOST["units"])]


@typed
class WrittenConv:
    """A convolution of the stem."""

    channels: Channels
    kernel: Kernel
    stride: Annotated[int, Field(ge=1, le=8)] = 1


@typed
class WrittenUnits:
    """Equal units in a row; their input channels are those before them.

    Parameters
    ----------
    unit : WrittenUnit, optional
        Where it is not the network's.
    """

    count: Count = 1
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

    @property
    def plan(self) -> NetworkPlan:
        """The network that the file describes.

        Raises
        ------
        ValueError
            If a unit is none.
        """
        spec, (stem, c_in) = self.unit.spec, self._stem()
        units: list[UnitPlan] = []
        stages: list[range] = []
        for stage in self.stages:
            start = len(units)
            for unit in self._units(stage, c_in):
                units.append(unit)
                c_in = unit.c_out
            stages.append(range(start, len(units)))
        has_conv = any(isinstance(layer, Conv) for layer in stem)
        return NetworkPlan(
            spec=spec,
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

    def _units(
        self, stage: Iterable[WrittenUnits], c_in: int
    ) -> Iterator[UnitPlan]:
        """The units of a stage, one by one."""
        for run in stage:
            for _ in range(run.count):
                yield UnitPlan(
                    spec=(run.unit or self.unit).spec,
                    c_in=c_in,
                    c_inner=run.c_inner,
                    c_out=run.c_out,
                    stride=run.stride,
                    stride_on=run.stride_on,
                    convs=self.convs,
                    kernel=run.kernel,
                    tap=run.tap,
                    projection=run.projection,
                )
                c_in = run.c_out


def read_plan(values: Any, where: str = "") -> NetworkPlan:
    """Make the plan that a file's values describe.

    Raises
    ------
    ValueError
        If they describe none; names file, key, legal form and value.
    """
    written = parse(WrittenPlan, values, where)
    try:
        return written.plan
    except ValueError as error:
        raise ValueError(f"{where}: {error}" if where else error) from error


def write_plan(plan: NetworkPlan) -> dict[str, Any]:
    """Return JSON values from which `read_plan` makes an equal plan.

    Raises
    ------
    ValueError
        If the plan was put together by hand in a way that no maker has.

    Examples
    --------
    >>> from preact.plan import cifar_plan
    >>> from preact.plan.written import write_plan
    >>> values = write_plan(cifar_plan("original", depth=20, convs=2))
    >>> values["unit"]
    {'post': ['BN'], 'after': ['ReLU']}
    >>> values["stages"][0]
    [{'count': 3, 'c_inner': 16, 'c_out': 16}]
    """
    try:
        written = WrittenPlan(
            unit=write_unit(plan.spec),
            convs=plan.convs,
            image=plan.image,
            classes=plan.classes,
            stem=tuple(_stem_layer(layer) for layer in plan.stem),
            stages=tuple(
                _runs(plan, [plan.units[i] for i in stage])
                for stage in plan.stages
            ),
            tail=tuple(str(layer) for layer in plan.tail),  # type: ignore[misc]
            init=plan.init,
        )
        values = dump(written)
        equal = read_plan(values) == plan
    except ValueError as error:
        raise ValueError(f"the plan cannot be written: {error}") from error
    if not equal:
        raise ValueError(
            "the plan cannot be written: a file says only what the makers "
            f"can make; got {plan!r:.200}"
        )
    return values


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


def _runs(
    plan: NetworkPlan, units: Iterable[UnitPlan]
) -> tuple[WrittenUnits, ...]:
    """A stage as runs of equal units."""
    written = (
        WrittenUnits(
            c_inner=unit.c_inner,
            c_out=unit.c_out,
            stride=unit.stride,  # type: ignore[arg-type]
            stride_on=unit.stride_on,  # type: ignore[arg-type]
            kernel=unit.kernel,  # type: ignore[arg-type]
            tap=unit.tap,
            projection=unit.projection,
            unit=None if unit.spec == plan.spec else write_unit(unit.spec),
        )
        for unit in units
    )
    return tuple(
        replace(first, count=len(list(run))) for first, run in groupby(written)
    )
