"""`preact plot`: recorded runs as a picture."""

import argparse
import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib import rc_context

from preact.cli import complain, counted
from preact.cli.report import (
    asked_for,
    changed_units,
    find_records,
    missing_runs,
    network_of,
    ordered,
)
from preact.figures.recorded import LOOK, Runs, recorded
from preact.figures.style import quiet
from preact.figures.tables import FIXED, line_name
from preact.records import Record, read_curve
from preact.records.compare import Line, load_runs
from preact.records.files import write_new
from preact.strings import Strings

DATES: dict[str, dict[str, None]] = {  # none, so that equal plots are equal
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
    ".png": {},
}
GLUED = r" (?=[×−\d])|(?<=×) "  # where no line of a name ends
CAPTION = (
    "Errors: dots are seeds, bar and number their median; the line below is "
    "the mean with its 95 % interval by Student's t, from three seeds on. "
    "Curves: a line for each seed. Cross: a run that diverged; it keeps its "
    "last error. Gradients, of runs that finished: of the mean loss by the "
    "stream behind unit l, norm over a batch, in the last step."
)
TAILS = (
    " Dashed and hollow: no BN before the classifier; solid and filled: one "
    "BN."
)


def run(options: argparse.Namespace) -> int:
    """Draw, and say where. Refuse what cannot be drawn or written."""
    name, folder = find_records(options.experiment, options.results)
    out = options.out or Path(f"{name}.svg")
    if out.suffix not in DATES:
        raise ValueError(f"--out must end in .svg, .pdf or .png; got {out}")
    if not out.parent.is_dir():
        raise ValueError(
            f"--out must lie in a folder that is there; got {out}"
        )
    every = load_runs(name, folder)
    runs = _chosen(name, every, options)
    asked = asked_for(options.experiment)
    paths = {id(record): path for path, record in runs}
    pairs = ordered([record for _, record in runs], asked)
    ends: dict[str, set[str]] = {}
    for line, _ in pairs:
        ends.setdefault(line.row, set()).add(line.tail)
    facets: dict[str, list[Runs]] = {}
    for line, group in pairs:
        facets.setdefault(_facet(line, group), []).append(
            _runs(line, group, paths, both=len(ends[line.row]) > 1)
        )
    figure, drawn = recorded(facets), BytesIO()
    with quiet(), rc_context(LOOK):
        about = {"Creator": "preact plot"} | DATES[out.suffix]
        figure.savefig(drawn, format=out.suffix[1:], metadata=about)
    write_new(out, drawn.getvalue(), replace=True)
    print(f"{out}: {counted(len(runs), 'run')}")
    print(CAPTION + TAILS * any(len(tails) > 1 for tails in ends.values()))
    missing = missing_runs(len(every), asked)
    for note in filter(None, (*changed_units(runs, asked), missing)):
        complain(note)
    return 0


def _chosen(
    name: str,
    runs: list[tuple[Path, Record]],
    options: argparse.Namespace,
) -> list[tuple[Path, Record]]:
    """Take those that the options name; refuse what no run has."""
    facts: dict[str, Callable[[Record], Any]] = {
        "depth": lambda record: record.depth,
        "lr": lambda record: record.config["recipe"]["lr"],
        "rows": lambda record: record.row,
    }
    for option, of in facts.items():
        asked = getattr(options, option) or []
        asked = asked if isinstance(asked, list) else [asked]
        there = {of(record) for _, record in runs}
        for value in asked:
            if value not in there:
                has = ", ".join(map(str, sorted(there)))
                raise ValueError(
                    f"no record of {name} has --{option} {value}; choose "
                    f"from {has}"
                )
        if asked:
            runs = [run for run in runs if of(run[1]) in asked]
    return runs


def _facet(line: Line, group: Sequence[Record]) -> str:
    """Say what all lines of a row of panels share."""
    recipe = group[0].config["recipe"]
    return (
        f"{network_of(line)}, {line.data_label}, learning rate {line.lr:g}, "
        f"{recipe['iterations']:,} steps of {recipe['batch']}"
    )


def _runs(
    line: Line, group: list[Record], paths: dict[int, Path], *, both: bool
) -> Runs:
    """What a line of the picture shows; `both`: its row has two ends."""
    curves = []
    for record in group:
        curve: dict[str, list[float]] = {}
        with suppress(FileNotFoundError):  # a record may come without one
            curve = read_curve(paths[id(record)])
        curves.append({"iteration": [], "test_error_pct": [], **curve})
    plain = "BN" not in line.tail
    end = ("no final BN" if plain else "final BN").replace(" ", FIXED)
    name = re.sub(GLUED, FIXED, line_name(line, Strings("en")))
    return Runs(
        name=f"{name}, {end}" if both else name,
        row=line.row,
        errors_pct=line.errors_pct,
        diverged=[record.outcome == "diverged" for record in group],
        curves=curves,
        gradients=[
            [math.nan if v is None else v for v in last.gradient_norm]
            for record in group
            if record.outcome == "finished"
            for last in record.profiles[-1:]
        ],
        dashed=both and plain,
    )
