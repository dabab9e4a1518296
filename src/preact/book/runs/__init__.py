"""All recorded runs on the digits, to be queried in the page.

Page `runs`.
"""

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from preact.book.explorers import Html, mount
from preact.book.page import words
from preact.figures import Table
from preact.figures.variants import color_of, row_name
from preact.records import Record, read_curve, read_record
from preact.records.files import PUBLISHED

# Those that differ in nothing but network and recipe, so no other precision.
EXPERIMENTS = ("digits_depth", "digits_rates", "digits_table_2")
MOMENTS = (0, 1, 3, 10, 30, 100, 299)  # of profiles in every record
QUANTITIES = {  # the ticks of its axis, which never moves
    "loss": (0.01, 0.1, 1, 10, 100),
    "ratio": (1e-12, 1e-8, 1e-4, 1, 1e4, 1e8),
    "signal": (0.1, 1, 10, 100, 1000, 1e4),
    "open": (1e-4, 1e-3, 0.01, 0.1, 1),
}
OWN_WORDS = (
    *("quantity", "network", "unit", "tail", "rate", "any", "add", "clear"),
    *("none", "count", "iteration", "alt", *QUANTITIES),
)
SAID_ONCE = ("at", "steps")
START = (
    {"depth": 1001, "row": "original"},
    {"depth": 1001, "row": "full-preactivation"},
)


def run_explorer() -> Html:
    """Choose recorded runs and lay them over each other.

    Where no script runs, a table of all of them stays.
    """
    say, runs = words(), recorded()
    data = {
        "words": {word: say.table[f"runs.{word}"] for word in OWN_WORDS}
        | {
            mark: say(f"punctuation.{mark}")
            for mark in ("comma", "semicolon", "colon")
        }
        | {"percent": say.table["number.percent"]},
        "ticks": QUANTITIES,
        "start": START,
        # said once: a run that diverged has the first of them
        "at": max((run["at"] for run in runs), key=len),
        "steps": max((run["steps"] for run in runs), key=len),
        "rows": {
            row: {"name": row_name(row, say), "color": color_of(row)}
            for row in dict.fromkeys(run["row"] for run in runs)
        },
        "runs": [
            {key: run[key] for key in run if key not in SAID_ONCE}
            for run in runs
        ],
    }
    title = say("runs.title")
    inside = (
        f"<details><summary>{escape(title)}</summary>"
        f"{table(runs)._repr_html_()}</details>"
    )
    return mount("runs", title, data, inside)


def recorded() -> list[dict[str, Any]]:
    """Every run once: what it is, how it ended, and its course."""
    runs: dict[tuple[Any, ...], dict[str, Any]] = {}
    for experiment in EXPERIMENTS:
        root = PUBLISHED / experiment
        for path in sorted(root.rglob("seed-*.json")):
            run = read_record(path)
            if experiment == "digits_rates" and run.depth == 20:
                continue  # 90 runs, and the page must stay light
            key = (run.depth, run.row, run.tail, rate_of(run), run.seed)
            if key in runs:  # two experiments share their baseline
                continue
            curve = read_curve(path)
            runs[key] = {
                "depth": run.depth,
                "row": run.row,
                "tail": tail_of(run),
                "rate": rate_of(run),
                "error": round(run.test_error_pct, 1),
                "steps": [int(i) + 1 for i in curve["iteration"]],
                "loss": _short(curve["loss"]),
                **_course(run),
            }
    return list(runs.values())


def tail_of(run: Record) -> str:
    """Return what stands before the classifier, in words if it is nothing."""
    return run.tail or words()("runs.nothing")


def rate_of(run: Record) -> float:
    """Return the learning rate after the warm-up."""
    return float(run.config["recipe"]["lr"])


def _course(run: Record) -> dict[str, list[Any]]:
    """Ratio of gradients, last signal and open share, at `MOMENTS`."""
    profiles = [p for p in run.profiles if p.iteration in MOMENTS]
    ends = [(p.gradient_norm[0], p.gradient_norm[-1]) for p in profiles]
    ratios = [a / b if a is not None and b else None for a, b in ends]
    return {
        "at": [p.iteration + 1 for p in profiles],
        "ratio": _short(ratios),
        "signal": _short([p.signal_rms[-1] for p in profiles]),
        "open": _short([p.open_share[-1] for p in profiles]),
    }


def _short(values: Sequence[float | None]) -> list[float | None]:
    """Two digits, as a chart shows; what is no number is None."""
    return [
        float(f"{v:.2g}") if v is not None and math.isfinite(v) else None
        for v in values
    ]


def table(runs: Sequence[dict[str, Any]]) -> Table:
    """One line for each kind of run, with the errors of all seeds."""
    say = words()
    kinds: dict[tuple[str, ...], list[float]] = {}
    for run in runs:
        name = row_name(run["row"], say)
        key = (str(run["depth"]), name, run["tail"], str(run["rate"]))
        kinds.setdefault(key, []).append(run["error"])
    body = [
        [*key, say.join([f"{error:.1f}" for error in sorted(errors)])]
        for key, errors in sorted(
            kinds.items(), key=lambda kind: (int(kind[0][0]), *kind[0][1:])
        )
    ]
    head = [say(f"runs.{w}") for w in ("network", "unit", "tail", "rate")]
    return Table(head=[*head, say("runs.test_error")], body=body, caption="")
