"""`preact plot`: recorded runs as a picture."""

import argparse
import math
from contextlib import suppress
from pathlib import Path

from preact.cli.report import find_folder
from preact.figures.recorded import Runs, recorded
from preact.figures.style import quiet
from preact.figures.variants import row_name
from preact.records import Record, read_curve
from preact.records.compare import grouped, load_runs
from preact.strings import Strings

MOST = 16  # lines of a picture: a row of Table 1 or 2 each, and some more


def run(options: argparse.Namespace) -> int:
    """Draw, and say where.

    Raises
    ------
    ValueError
        If the picture's file ends in another way than it can be written.
    """
    out = options.out or Path(f"{options.experiment}.svg")
    if out.suffix not in (".svg", ".pdf", ".png"):
        raise ValueError(f"--out must end in .svg, .pdf or .png; got {out}")
    folder = find_folder(options.experiment, options.results)
    runs = [
        (path, record)
        for path, record in load_runs(options.experiment, folder)
        if options.depth in (None, record.depth)
        and options.lr in (None, record.config["recipe"]["lr"])
    ]
    if not runs:
        raise ValueError(
            f"no record of {options.experiment} has --depth {options.depth} "
            f"and --lr {options.lr}"
        )
    paths = {id(record): path for path, record in runs}
    groups = grouped(record for _, record in runs)
    if len(groups) > MOST:
        raise ValueError(
            f"a picture holds at most {MOST} lines; {options.experiment} has "
            f"{len(groups)}: choose with --depth or --lr"
        )
    figure = recorded(
        [
            _runs(name, group, paths)
            for name, group in zip(_names(groups), groups, strict=True)
        ],
        options.panels,
        options.experiment,
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    with quiet():
        figure.savefig(out)
    print(f"{out}: {len(runs)} runs in {len(groups)} lines")
    return 0


def _names(groups: list[list[Record]]) -> list[str]:
    """Name each line by its row and by what else tells the lines apart."""
    facts = [
        {
            "row": row_name(first.row, Strings("en")),
            "depth": f"ResNet-{first.depth}",
            "tail": f"{first.tail or 'nothing'} before the classifier",
            "lr": f"learning rate {first.config['recipe']['lr']:g}",
            "recipe": f"recipe {first.recipe}",
            "data": first.data_label,
            "config": f"configuration {first.config_sha256[:7]}",
        }
        for first, *_ in groups
    ]
    shown: list[str] = []
    for name in facts[0]:
        known = {tuple(fact[key] for key in shown) for fact in facts}
        more = {tuple(fact[key] for key in [*shown, name]) for fact in facts}
        if name == "row" or len(more) > len(known):
            shown.append(name)
    return [", ".join(fact[name] for name in shown) for fact in facts]


def _runs(name: str, group: list[Record], paths: dict[int, Path]) -> Runs:
    """What a line of the picture shows."""
    curves = []
    for record in group:
        none: dict[str, list[float]] = {"iteration": [], "test_error_pct": []}
        curves.append(none)
        with suppress(FileNotFoundError):  # a record may come without one
            curve = read_curve(paths[id(record)])
            if "test_error_pct" in curve:
                curves[-1] = curve
    return Runs(
        name=name,
        row=group[0].row,
        errors_pct=[record.test_error_pct for record in group],
        curves=curves,
        gradients=[
            [math.nan if v is None else v for v in last.gradient_norm]
            for record in group
            for last in record.profiles[-1:]
        ],
    )
