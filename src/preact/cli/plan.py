"""`preact plan`: what a network is made of, before a tensor exists."""

import argparse
from typing import Any

from rich.console import Console
from rich.table import Table

from preact.plan import (
    CONVENTIONS,
    IMAGENET_UNITS,
    NetworkPlan,
    cifar_plan,
    imagenet_plan,
)
from preact.spec import TABLE_2, find_row

Commands = Any  # argparse does not name the type of its subparsers


def add_command(commands: Commands) -> None:
    """Describe `preact plan`."""
    plan = commands.add_parser(
        "plan",
        help="print units, shapes, parameters and multiply-adds",
        description="Print a network's units, shapes, parameters and "
        "multiply-adds. Without --depth: the networks of Tables 2 and 3.",
    )
    add_network(plan)
    plan.add_argument(
        "--conventions",
        default="paper",
        choices=sorted(CONVENTIONS),
        help="reading of what the paper leaves open (default: %(default)s)",
    )
    plan.add_argument(
        "--imagenet", action="store_true", help="ResNet-50, 101, 152 or 200"
    )
    plan.add_argument("--classes", type=int, help="outputs of the classifier")
    plan.set_defaults(run=_plan)


def add_network(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a network."""
    parser.add_argument("--depth", type=int, help="layers, for example 1001")
    parser.add_argument(
        "--convs",
        type=int,
        help="convolutions per unit: 1, 2 or 3 (default: what fits the depth)",
    )
    parser.add_argument(
        "--row",
        default="full-preactivation",
        help="key of Table 1, Table 2 or a control (default: %(default)s)",
    )


def _plan(options: argparse.Namespace) -> int:
    """Print one network in full, or the paper's in one line each."""
    console = Console(highlight=False)
    if options.depth is None:
        console.print(_overview())
        return 0
    plan = _make(options)
    console.print(f"interior unit: {plan.units[1]}", soft_wrap=True)
    console.print(_stages(plan))
    console.print(
        f"{len(plan.units)} units ({_per_stage(plan)}), "
        f"{plan.parameters:,} parameters, "
        f"{plan.multiply_adds / 1e6:,.2f} M multiply-adds an image",
        soft_wrap=True,
    )
    return 0


def _make(options: argparse.Namespace) -> NetworkPlan:
    """Turn the options into a plan."""
    spec = find_row(options.row)
    conventions = CONVENTIONS[options.conventions]
    if options.imagenet:
        return imagenet_plan(
            spec,
            depth=options.depth,
            classes=options.classes or 1000,
            conventions=conventions,
        )
    return cifar_plan(
        spec,
        depth=options.depth,
        convs=options.convs or fitting_convs(options.depth),
        classes=options.classes or 10,
        conventions=conventions,
    )


def fitting_convs(depth: int) -> int:
    """Bottlenecks where 9n + 2 fits, as in the paper; else basic units.

    Depths that fit both (110 = 9 * 12 + 2 = 6 * 18 + 2) are basic up to 110,
    the deepest basic network of the paper's tables.
    """
    basic, bottleneck = (depth - 2) % 6 == 0, (depth - 2) % 9 == 0
    return 2 if basic and (depth <= 110 or not bottleneck) else 3


def _overview() -> Table:
    """The paper's networks with the full pre-activation unit."""
    spec = TABLE_2["full-preactivation"]
    table = Table(title="Full pre-activation networks of the paper")
    for name in ("network", "units", "parameters", "multiply-adds"):
        table.add_column(
            name, justify="left" if name == "network" else "right"
        )
    plans = {
        f"ResNet-{depth}" + (", one-layer units" if convs == 1 else ""): (
            cifar_plan(spec, depth=depth, convs=convs)
        )
        for depth, convs in ((110, 1), (110, 2), (164, 3), (1001, 3))
    } | {
        f"ResNet-{depth}, ImageNet": imagenet_plan(spec, depth=depth)
        for depth in IMAGENET_UNITS
    }
    for name, plan in plans.items():
        table.add_row(
            name,
            f"{len(plan.units)} ({_per_stage(plan)})",
            f"{plan.parameters:,}",
            f"{plan.multiply_adds / 1e6:,.2f} M",
        )
    return table


def _stages(plan: NetworkPlan) -> Table:
    """One line for the stem, each stage, the tail and the classifier."""
    table = Table()
    for name in ("part", "output", "parameters", "multiply-adds"):
        table.add_column(name, justify="left" if name == "part" else "right")
    parts = ["stem"]
    parts += [f"stage {i + 1}" for i in range(len(plan.stages))]
    sizes = {part: [0, 0] for part in (*parts, "tail and classifier")}
    for placed in plan.placed_layers:
        part = _part(plan, placed.name)
        sizes[part][0] += placed.layer.parameters
        sizes[part][1] += placed.multiply_adds
    shapes = [plan.stream_shapes[0]]
    shapes += [plan.stream_shapes[stage.stop] for stage in plan.stages]
    shapes.append((plan.classes, 1, 1))
    for (part, (parameters, multiply_adds)), shape in zip(
        sizes.items(), shapes, strict=True
    ):
        units = ""
        if part.startswith("stage"):
            units = f", {len(plan.stages[int(part[6:]) - 1])} units"
        table.add_row(
            part + units,
            " x ".join(map(str, shape)),
            f"{parameters:,}",
            f"{multiply_adds / 1e6:,.2f} M",
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
