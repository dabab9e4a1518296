"""`preact plan`: what a network is made of, before a tensor exists."""

import argparse
import json
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table

from preact.cli.parser import ROW
from preact.plan import (
    IMAGENET_UNITS,
    NetworkPlan,
    cifar_plan,
    fitting_convs,
    imagenet_plan,
)


def run(options: argparse.Namespace) -> int:
    """Print one network, or the paper's. Refuse options without a depth."""
    console = Console(highlight=False)
    if options.depth is None:
        if options.row is not None or options.convs is not None:
            raise ValueError(
                "--row and --convs must stand beside --depth; got no --depth"
            )
        plans = _papers_networks()
        if options.json:
            print(json.dumps([_facts(plan) for plan in plans.values()]))
        else:
            console.print(_overview(plans))
        return 0
    convs = options.convs
    if convs is None:
        convs = fitting_convs(options.depth)
    plan = cifar_plan(options.row or ROW, depth=options.depth, convs=convs)
    parts = _parts(plan)
    if options.json:
        print(json.dumps(_facts(plan) | {"parts": parts}))
        return 0
    console.print(f"interior unit: {plan.units[1]}", soft_wrap=True)
    rows = [
        (
            part["name"]
            + (f", {part['units']} units" if part["units"] else ""),
            " x ".join(map(str, part["output"])),
            *_costs(part["parameters"], part["multiply_adds"]),
        )
        for part in parts
    ]
    console.print(_table("", ("part", "output"), rows))
    parameters, adds = _costs(plan.parameters, plan.multiply_adds)
    console.print(
        f"{len(plan.units)} units ({_per_stage(plan)}), {parameters} "
        f"parameters, {adds} multiply-adds an image",
        soft_wrap=True,
    )
    return 0


def _papers_networks() -> dict[str, NetworkPlan]:
    """The paper's networks with the full pre-activation unit."""
    return {
        f"ResNet-{depth}" + (", one-layer units" if convs == 1 else ""): (
            cifar_plan(ROW, depth=depth, convs=convs)
        )
        for depth, convs in ((110, 1), (110, 2), (164, 3), (1001, 3))
    } | {
        f"ResNet-{depth}, ImageNet": imagenet_plan(ROW, depth=depth)
        for depth in IMAGENET_UNITS
    }


def _overview(plans: dict[str, NetworkPlan]) -> Table:
    """One line a network."""
    rows = [
        (
            name,
            f"{len(plan.units)} ({_per_stage(plan)})",
            *_costs(plan.parameters, plan.multiply_adds),
        )
        for name, plan in plans.items()
    ]
    title = "Full pre-activation networks of the paper"
    return _table(title, ("network", "units"), rows)


def _table(
    title: str, heads: tuple[str, str], rows: Iterable[tuple[str, ...]]
) -> Table:
    """Names at the left, numbers at the right."""
    table = Table(heads[0], title=title)
    for head in (heads[1], "parameters", "multiply-adds"):
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(*row)
    return table


def _costs(parameters: int, multiply_adds: int) -> tuple[str, str]:
    """Both numbers as they are printed."""
    return f"{parameters:,}", f"{multiply_adds / 1e6:,.2f} M"


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


def _parts(plan: NetworkPlan) -> list[dict[str, Any]]:
    """What stem, stages, and the tail with the classifier cost."""
    shapes = [plan.stream_shapes[0]]
    shapes += [plan.stream_shapes[stage.stop] for stage in plan.stages]
    shapes.append((plan.classes, 1, 1))
    names = ["stem", *(f"stage {i + 1}" for i in range(len(plan.stages)))]
    names.append("tail and classifier")
    units = [0, *map(len, plan.stages), 0]
    parts: dict[str, dict[str, Any]] = {
        name: {
            "name": name,
            "units": count,
            "output": shape,
            "parameters": 0,
            "multiply_adds": 0,
        }
        for name, count, shape in zip(names, units, shapes, strict=True)
    }
    for placed in plan.placed_layers:
        part = parts[_part(plan, placed.name)]
        part["parameters"] += placed.layer.parameters
        part["multiply_adds"] += placed.multiply_adds
    return list(parts.values())


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
