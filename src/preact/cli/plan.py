"""`preact plan`: what a network is made of, before a tensor exists."""

import argparse
import json
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from preact.cli.parser import ROW
from preact.plan import (
    CONVENTIONS,
    IMAGENET_UNITS,
    NetworkPlan,
    Shape,
    cifar_plan,
    fitting_convs,
    imagenet_plan,
)
from preact.spec import TABLE_2, find_row


def run(options: argparse.Namespace) -> int:
    """Print one network in full, or the paper's in one line each."""
    _refuse_without_effect(options)
    if options.depth is None:
        plans = _papers_networks()
        if options.json:
            print(json.dumps([_facts(plan) for plan in plans.values()]))
        else:
            Console(highlight=False).print(_overview(plans))
        return 0
    plan = _make(options)
    if options.json:
        parts = [part._asdict() for part in _parts(plan)]
        print(json.dumps(_facts(plan) | {"parts": parts}))
        return 0
    console = Console(highlight=False)
    console.print(f"interior unit: {plan.units[1]}", soft_wrap=True)
    console.print(_stages(plan))
    console.print(
        f"{len(plan.units)} units ({_per_stage(plan)}), "
        f"{plan.parameters:,} parameters, "
        f"{plan.multiply_adds / 1e6:,.2f} M multiply-adds an image",
        soft_wrap=True,
    )
    return 0


def _refuse_without_effect(options: argparse.Namespace) -> None:
    """Refuse options that the others leave without effect."""
    if options.imagenet and options.convs is not None:
        raise ValueError(
            "--imagenet has units of 3 convolutions; leave --convs out"
        )
    if options.depth is not None:
        return
    given = {
        "--row": options.row is not None,
        "--convs": options.convs is not None,
        "--conventions": options.conventions != "paper",
        "--imagenet": options.imagenet,
        "--classes": options.classes is not None,
    }
    useless = [name for name, is_given in given.items() if is_given]
    if useless:
        raise ValueError(
            f"{', '.join(useless)} must stand beside --depth; got no --depth"
        )


def _make(options: argparse.Namespace) -> NetworkPlan:
    """Turn the options into a plan."""
    spec = find_row(options.row or ROW)
    asked: dict[str, Any] = {"conventions": CONVENTIONS[options.conventions]}
    if options.classes is not None:
        asked["classes"] = options.classes
    if options.imagenet:
        return imagenet_plan(spec, depth=options.depth, **asked)
    convs = options.convs
    if convs is None:
        convs = fitting_convs(options.depth)
    return cifar_plan(spec, depth=options.depth, convs=convs, **asked)


def _papers_networks() -> dict[str, NetworkPlan]:
    """The paper's networks with the full pre-activation unit."""
    spec = TABLE_2[ROW]
    return {
        f"ResNet-{depth}" + (", one-layer units" if convs == 1 else ""): (
            cifar_plan(spec, depth=depth, convs=convs)
        )
        for depth, convs in ((110, 1), (110, 2), (164, 3), (1001, 3))
    } | {
        f"ResNet-{depth}, ImageNet": imagenet_plan(spec, depth=depth)
        for depth in IMAGENET_UNITS
    }


def _overview(plans: dict[str, NetworkPlan]) -> Table:
    """One line a network."""
    table = Table(title="Full pre-activation networks of the paper")
    for name in ("network", "units", "parameters", "multiply-adds"):
        table.add_column(
            name, justify="left" if name == "network" else "right"
        )
    for name, plan in plans.items():
        table.add_row(
            name,
            f"{len(plan.units)} ({_per_stage(plan)})",
            f"{plan.parameters:,}",
            f"{plan.multiply_adds / 1e6:,.2f} M",
        )
    return table


def _facts(plan: NetworkPlan) -> dict[str, Any]:
    """What a program wants to know of a network."""
    return {
        "depth": plan.depth,
        "convs": plan.convs,
        "image": plan.image,
        "classes": plan.classes,
        "unit": str(plan.spec),
        "units": [len(stage) for stage in plan.stages],
        "parameters": plan.parameters,
        "multiply_adds": plan.multiply_adds,
    }


class Part(NamedTuple):
    """A stretch of a network and what it costs."""

    name: str
    units: int
    output: Shape
    parameters: int
    multiply_adds: int


def _parts(plan: NetworkPlan) -> list[Part]:
    """Stem, stages, and the tail with the classifier."""
    names = ["stem", *(f"stage {i + 1}" for i in range(len(plan.stages)))]
    names.append("tail and classifier")
    sizes = {name: [0, 0] for name in names}
    for placed in plan.placed_layers:
        size = sizes[_part(plan, placed.name)]
        size[0] += placed.layer.parameters
        size[1] += placed.multiply_adds
    units = [0, *map(len, plan.stages), 0]
    shapes = [plan.stream_shapes[0]]
    shapes += [plan.stream_shapes[stage.stop] for stage in plan.stages]
    shapes.append((plan.classes, 1, 1))
    return [
        Part(name, count, shape, *sizes[name])
        for name, count, shape in zip(names, units, shapes, strict=True)
    ]


def _stages(plan: NetworkPlan) -> Table:
    """One line for the stem, each stage, the tail and the classifier."""
    table = Table()
    for name in ("part", "output", "parameters", "multiply-adds"):
        table.add_column(name, justify="left" if name == "part" else "right")
    for part in _parts(plan):
        table.add_row(
            part.name + (f", {part.units} units" if part.units else ""),
            " x ".join(map(str, part.output)),
            f"{part.parameters:,}",
            f"{part.multiply_adds / 1e6:,.2f} M",
        )
    return table


def _part(plan: NetworkPlan, layer: str) -> str:
    """Name the part of the network that a layer belongs to."""
    if layer.startswith("units."):
        unit = int(layer.split(".")[1])
        for i, stage in enumerate(plan.stages):
            if unit in stage:
                return f"stage {i + 1}"
    return "stem" if layer.startswith("stem") else "tail and classifier"


def _per_stage(plan: NetworkPlan) -> str:
    """Say how the units are spread over the stages."""
    counts = [len(stage) for stage in plan.stages]
    if len(set(counts)) == 1:
        return f"{counts[0]} a stage"
    return "+".join(map(str, counts))
