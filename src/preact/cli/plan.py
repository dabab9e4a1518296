"""`preact plan`: what a network is made of, before a tensor exists."""

import argparse
import json
from typing import Any

from rich.console import Console
from rich.table import Table

from preact.cli import counted
from preact.plan import NetworkPlan, cifar_plan
from preact.plan.depth import fitting_convs


def run(options: argparse.Namespace) -> int:
    """Print a network part by part."""
    depth = options.depth
    convs = fitting_convs(depth) if options.convs is None else options.convs
    plan = cifar_plan(options.row, depth=depth, convs=convs)
    parts = _parts(plan)
    if options.json:
        facts = {
            "depth": plan.depth,
            "convs": plan.convs,
            "image": plan.image,
            "classes": plan.classes,
            "unit": str(plan.spec),
            "units": [len(stage) for stage in plan.stages],
            "parameters": plan.parameters,
            "multiply_adds": plan.multiply_adds,
            "parts": parts,
        }
        print(json.dumps(facts))
        return 0
    console = Console(highlight=False)
    console.print(f"interior unit: {plan.units[1]}", soft_wrap=True)
    table = Table("part")
    for head in ("output", "parameters", "multiply-adds"):
        table.add_column(head, justify="right")
    for part in parts:
        n = part["units"]
        table.add_row(
            part["name"] + (f", {counted(n, 'unit')}" if n else ""),
            " x ".join(map(str, part["output"])),
            *_costs(part["parameters"], part["multiply_adds"]),
        )
    console.print(table)
    parameters, adds = _costs(plan.parameters, plan.multiply_adds)
    console.print(
        f"{len(plan.units)} units, {parameters} parameters, {adds} "
        "multiply-adds an image",
        soft_wrap=True,
    )
    return 0


def _costs(parameters: int, multiply_adds: int) -> tuple[str, str]:
    """Both numbers as they are printed."""
    return f"{parameters:,}", f"{multiply_adds / 1e6:,.2f} M"


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
