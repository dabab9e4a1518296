"""`preact plot`: recorded runs as a picture."""

import argparse
import math
import re
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from io import BytesIO
from itertools import compress
from operator import itemgetter
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from preact.cli import complain, counted
from preact.cli.report import (
    asked_for,
    changed_units,
    find_records,
    missing_runs,
    network_of,
    ordered,
    rates_of,
)
from preact.figures.recorded import LOOK, PANELS, TALLEST, Runs, recorded
from preact.figures.style import quiet
from preact.figures.tables import HELD_OUT, differ_in_size
from preact.figures.variants import row_name
from preact.records import Record, read_curve
from preact.records.compare import Line, Pair, load_runs, place
from preact.records.files import write_new
from preact.strings import Strings

FIXED = "\N{NO-BREAK SPACE}"
MARK = "preact plot"  # in each file: who wrote it
DATES: dict[str, dict[str, None]] = {  # none, so that equal plots are equal
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
    ".png": {},
}
LEAST, GREATEST = 2.5, 20
MOST = 16  # lines of a facet: a row of Table 1 or 2 each, and some more
KEY = {
    "errors": "Dots: seeds; bar and number: their median.",
    "curves": "Learning curves: median; band: least to greatest.",
    "gradients": "Gradients of the mean loss by the stream behind unit l, "
    "norm over a batch, {step}: median; band: least to greatest, cut at the "
    "frame.",
}
TAILS = (
    "Dashed and hollow: no BN before the classifier; solid and filled: one BN."
)
INTERVALS = (
    f"Line below: mean and its 95{FIXED}% interval by Student's t, from three "
    "seeds on; an arrow: it goes beyond the frame."
)
CROSSES = "Cross: a run that diverged; it keeps its last error."


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
    if out.exists() and MARK.encode() not in out.read_bytes():
        raise ValueError(
            f"--out must name a new file or one of `{MARK}`'s; got {out}"
        )
    if not LEAST <= options.width <= GREATEST:
        raise ValueError(
            f"--width must be {LEAST} to {GREATEST} inches; "
            f"got {options.width:g}"
        )
    every = load_runs(name, folder)
    runs = _chosen(name, every, options)
    asked = asked_for(options.experiment)
    records = [record for _, record in runs]
    pairs = ordered(records, asked)
    common, facets = _facets(pairs, rates_of(asked))
    if (lines := max(map(len, facets.values()))) > MOST:
        raise ValueError(
            f"the panel of a network and learning rate holds at most {MOST} "
            f"lines; {name} has {lines}: choose some by --rows"
        )
    tails: dict[str, set[str]] = {}
    for line, _ in pairs:
        tails.setdefault(line.row, set()).add(line.tail)
    both = {row for row, ends in tails.items() if len(ends) > 1}
    paths = {id(record): path for path, record in runs}
    shown = {
        facet: [
            _runs(
                *pair, both, paths, differ_in_size(line for line, _ in pairs)
            )
            for pair in pairs
        ]
        for facet, pairs in facets.items()
    }
    panels = list(dict.fromkeys(options.panels or PANELS))
    if "curves" in panels and not any(
        sum(map(math.isfinite, curve["test_error_pct"])) > 1
        for lines in shown.values()
        for one in lines
        for curve in one.curves
    ):
        panels.remove("curves")
        complain(
            "curves are left out: no run was long enough to be tested twice"
        )
    if not panels:
        raise ValueError(f"--panels must be errors or gradients for {name}")
    title = asked.title if asked else name
    diverged = sum(record.outcome == "diverged" for record in records)
    missing = missing_runs(len(every), asked)

    def draw(panels: Sequence[str]) -> tuple[Figure, str]:
        keys = [KEY[panel] for panel in panels]
        if "errors" in panels and any(line.half_interval for line, _ in pairs):
            keys.insert(1, INTERVALS)
        keys += [CROSSES] * bool(diverged) + [TAILS] * bool(both)
        keys += [f"{missing}."] * bool(missing)
        caption = f"{', '.join(common)}. {' '.join(keys)}"
        caption = caption.format(step=_step(records))
        said = ("", "") if options.bare else (title, caption)
        return recorded(shown, panels, *said, options.width), caption

    figure, caption = draw(panels)
    if not options.panels and len(panels) > 1 and _too_tall(figure):
        figure, caption = draw(["errors"])
        complain(
            "errors alone: with curves and gradients, for which --panels "
            "asks, it would be taller than a page"
        )
    if _too_tall(figure):
        complain(
            f"it is {figure.get_figheight():.0f} inches tall, a page has "
            f"{TALLEST:.0f}: choose some by --depth, --lr, --rows or --panels"
        )
    drawn = BytesIO()
    with quiet(), rc_context(LOOK):
        about = {"Creator": MARK} | DATES[out.suffix]
        figure.savefig(drawn, format=out.suffix[1:], metadata=about)
    write_new(out, drawn.getvalue(), replace=True)
    said = f"{counted(len(runs), 'run')} in {counted(len(pairs), 'line')}"
    print(f"{out}: {said}" + f", {diverged} diverged" * bool(diverged))
    for note in filter(None, (*changed_units(runs, asked), missing)):
        complain(note)
    if options.bare:
        print(f"{title}\n{caption}")
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
        for value in asked:
            if value not in (there := {of(record) for _, record in runs}):
                has = ", ".join(map(str, sorted(there)))
                raise ValueError(
                    f"no record of {name} has --{option} {value}; choose "
                    f"from {has}"
                )
        if asked:
            runs = [run for run in runs if of(run[1]) in asked]
    return runs


def _too_tall(figure: Figure) -> bool:
    return bool(figure.get_figheight() > TALLEST)


def _step(records: Iterable[Record]) -> str:
    """Say in which step of training gradients were watched last."""
    last = [(r.profiles[-1].iteration + 1, r) for r in records if r.profiles]
    steps = {step for step, r in last if r.outcome == "finished"}
    where = "in the last step that was watched"
    if len(steps) == 1:
        where = f"in step {steps.pop():,}"
    early = any(r.outcome == "diverged" for _, r in last)
    return where + ", of diverged runs an earlier one" * early


def _facets(
    pairs: Sequence[Pair], rates: Sequence[float]
) -> tuple[list[str], dict[str, list[Pair]]]:
    """What all lines share, and the lines by what sets them apart.

    A facet is a network, its images and a learning rate.
    """
    facets: dict[tuple[str, ...], list[Pair]] = {}
    networks = itemgetter("depth", "convs", "width")
    for pair in sorted(
        pairs,
        key=lambda p: (*networks(vars(p[0])), *place(p[0].lr or 0.0, rates)),
    ):
        facets.setdefault(_facts(*pair), []).append(pair)
    titles = [
        (*facts, _seeds(record for _, group in pairs for record in group))
        for facts, pairs in facets.items()
    ]
    shared = [len(set(column)) == 1 for column in zip(*titles, strict=True)]
    common = list(compress(titles[0], shared))
    apart = [not one for one in shared]
    return common, {
        ", ".join(
            part.replace(" ", FIXED) for part in compress(title, apart)
        ): pairs
        for title, pairs in zip(titles, facets.values(), strict=True)
    }


def _facts(line: Line, group: Sequence[Record]) -> tuple[str, ...]:
    """Name the facet of a line."""
    recipe = group[0].config["recipe"]
    steps = f"{recipe['iterations']:,} steps of {recipe['batch']}"
    return (
        network_of(line),
        HELD_OUT.sub(r"tested on \1 held-out images", line.data_label),
        f"learning rate {line.lr:g}",
        steps,
    )


def _seeds(records: Iterable[Record]) -> str:
    """Name seeds: "seeds 1 to 5", "seed 3"."""
    seeds = sorted({record.seed for record in records})
    first, *_, last = seeds * 2
    if len(seeds) == 1:
        return f"seed {first}"
    if 2 < len(seeds) == last - first + 1:
        return f"seeds {first} to {last}"
    return f"seeds {', '.join(map(str, seeds[:-1]))} and {last}"


def _runs(
    line: Line,
    group: list[Record],
    both: Set[str],
    paths: dict[int, Path],
    sized: bool,
) -> Runs:
    """What a line of the picture shows; `both` are rows with two tails."""
    curves = []
    for record in group:
        none: dict[str, list[float]] = {"iteration": [], "test_error_pct": []}
        curves.append(none)
        with suppress(FileNotFoundError):  # a record may come without one
            curve = read_curve(paths[id(record)])
            if "test_error_pct" in curve:
                curves[-1] = curve
    plain = "BN" not in line.tail
    name = row_name(line.row, Strings("en"))
    parts = [re.sub(r" (?=[×−\d])|(?<=×) ", FIXED, name)]
    if line.row in both:
        parts.append(
            ("no final BN" if plain else "final BN").replace(" ", FIXED)
        )
    parts += [s for s in line.settings if not s.startswith("recipe.lr ")]
    return Runs(
        name=", ".join(parts),
        note=f"{line.parameters:,} parameters" * sized,
        row=line.row,
        errors_pct=line.errors_pct,
        diverged=[record.outcome == "diverged" for record in group],
        curves=curves,
        gradients=[
            [math.nan if v is None else v for v in last.gradient_norm]
            for record in group
            for last in record.profiles[-1:]
        ],
        dashed=line.row in both and plain,
    )
