"""`preact plot`: recorded runs as a picture."""

import argparse
import math
from collections.abc import Iterable, Sequence, Set
from contextlib import suppress
from io import BytesIO
from itertools import compress
from pathlib import Path

from matplotlib import rc_context

from preact.cli import complain, counted
from preact.cli.report import asked_for, find_records, rows_of
from preact.figures.recorded import LOOK, Runs, recorded
from preact.figures.style import quiet
from preact.figures.tables import HELD_OUT
from preact.figures.variants import row_name
from preact.records import Record, read_curve
from preact.records.compare import Line, compared, load_runs
from preact.records.files import write_new
from preact.strings import Strings

Pair = tuple[Line, list[Record]]
MARK = "preact plot"  # in each file: who wrote it
MOST = 16  # lines of a facet: a row of Table 1 or 2 each, and some more
KEY = {
    "errors": "Dots: seeds; bar and number: their median; line: 95 % interval "
    "of the mean, from three seeds on; an arrow: it leaves the frame.",
    "curves": "Learning curves: median; band: least to greatest.",
    "gradients": "Gradients at the last watched iteration: median; band: "
    "least to greatest, cut at the frame.",
}
FIXED = "\N{NO-BREAK SPACE}"
TAILS = (
    "Dashed and hollow: no BN before the classifier; solid and filled: one BN."
)


def run(options: argparse.Namespace) -> int:
    """Draw, and say where. Refuse what cannot be drawn or written."""
    name, folder = find_records(options.experiment, options.results)
    out = options.out or Path(f"{name}.svg")
    if out.suffix not in (".svg", ".pdf", ".png"):
        raise ValueError(f"--out must end in .svg, .pdf or .png; got {out}")
    if out.exists() and MARK.encode() not in out.read_bytes():
        raise ValueError(
            f"--out must name a new file or one of `{MARK}`'s; got {out}"
        )
    runs = [
        (path, record)
        for path, record in load_runs(name, folder)
        if options.depth in (None, record.depth)
        and options.lr in (None, record.config["recipe"]["lr"])
    ]
    if not runs:
        chosen = [
            f"--{option} {value}"
            for option in ("depth", "lr")
            if (value := getattr(options, option)) is not None
        ]
        raise ValueError(f"no record of {name} has {' and '.join(chosen)}")
    asked = asked_for(options.experiment)
    pairs = compared([record for _, record in runs], rows_of(asked))
    common, facets = _facets(
        pairs, [r.lr for r in asked.recipes] if asked else []
    )
    if (lines := max(map(len, facets.values()))) > MOST:
        raise ValueError(
            f"the panel of a network and learning rate holds at most {MOST} "
            f"lines; {name} has {lines}"
        )
    tails: dict[str, set[str]] = {}
    for line, _ in pairs:
        tails.setdefault(line.row, set()).add(line.tail)
    both = {row for row, ends in tails.items() if len(ends) > 1}
    paths = {id(record): path for path, record in runs}
    shown = {
        facet: [_runs(*pair, both, paths) for pair in pairs]
        for facet, pairs in facets.items()
    }
    panels = list(dict.fromkeys(options.panels))
    if "curves" in panels and not any(
        sum(map(math.isfinite, curve["test_error_pct"])) > 1
        for lines in shown.values()
        for one in lines
        for curve in one.curves
    ):
        panels.remove("curves")
        complain("curves are left out: none has two points or more")
    if not panels:
        raise ValueError(f"--panels must be errors or gradients for {name}")
    figure = recorded(
        shown,
        panels,
        f"{name}: {', '.join(common)}",
        " ".join([KEY[panel] for panel in panels] + [TAILS] * bool(both)),
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    drawn = BytesIO()
    with quiet(), rc_context(LOOK):
        about = {"Creator": MARK}
        figure.savefig(drawn, format=out.suffix[1:], metadata=about)
    write_new(out, drawn.getvalue(), replace=True)
    print(
        f"{out}: {counted(len(runs), 'run')} in {counted(len(pairs), 'line')}"
    )
    return 0


def _facets(
    pairs: Sequence[Pair], rates: Sequence[float]
) -> tuple[list[str], dict[str, list[Pair]]]:
    """What all lines share, and the lines by what sets them apart.

    A facet is a network, its images and a learning rate.
    """
    facets: dict[tuple[str, ...], list[Pair]] = {}
    for pair in sorted(pairs, key=lambda pair: _place(pair[0], rates)):
        facets.setdefault(_facts(*pair), []).append(pair)
    titles = [
        (*facts, _seeds(record for _, group in pairs for record in group))
        for facts, pairs in facets.items()
    ]
    shared = [len(set(column)) == 1 for column in zip(*titles, strict=True)]
    common = list(compress(titles[0], shared))
    apart = [not one for one in shared]
    return common, {
        ", ".join(compress(title, apart)): pairs
        for title, pairs in zip(titles, facets.values(), strict=True)
    }


def _place(line: Line, rates: Sequence[float]) -> tuple[float, ...]:
    """Sort facets by network, then by rate as the experiment lists them."""
    lr = line.lr or 0.0
    rate = rates.index(lr) if lr in rates else lr
    return line.depth, line.convs, line.width, rate


def _facts(line: Line, group: Sequence[Record]) -> tuple[str, ...]:
    """Name the facet of a line."""
    recipe = group[0].config["recipe"]
    steps = f"{recipe['iterations']:,} steps of {recipe['batch']}"
    wide = "" if line.width in (16, 64) else f" of width {line.width}"
    return (
        f"ResNet-{line.depth}{wide}",
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
    if len(seeds) == last - first + 1:
        return f"seeds {first} to {last}"
    return f"seeds {', '.join(map(str, seeds))}"


def _runs(
    line: Line, group: list[Record], both: Set[str], paths: dict[int, Path]
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
    parts = [row_name(line.row, Strings("en"))]
    if line.row in both:
        parts.append(
            ("no final BN" if plain else "final BN").replace(" ", FIXED)
        )
    parts += [s for s in line.settings if not s.startswith("recipe.lr ")]
    return Runs(
        name=", ".join(parts),
        row=line.row,
        errors_pct=line.errors_pct,
        curves=curves,
        gradients=[
            [math.nan if v is None else v for v in last.gradient_norm]
            for record in group
            for last in record.profiles[-1:]
        ],
        dashed=line.row in both and plain,
    )
