"""What all twelve units have learned, by their answers to three questions.

What was learned is read from records, so this is asked for by its own name,
like `preact.book.cover`.

Chapter `06-activations`.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from preact import paper
from preact.book.activations.figures import Arm
from preact.book.page import words
from preact.book.placements import (
    CONTROL,
    answers,
    asymmetric,
    key,
    row_of,
    twelve_units,
    with_control,
)
from preact.book.recorded import growth_at_start
from preact.figures import Table
from preact.figures.svg import INK
from preact.figures.variants import color_of, marker_of
from preact.records.compare import load_records
from preact.reference.caches import Array
from preact.spec import ROWS, TABLE_2, UnitSpec

EXPERIMENTS = {
    "digits": ("digits_table_2", "digits_twelve"),
    "cifar10": ("cifar_table_2_three_epochs",),
    "cifar10-16": ("cifar16_table_2",),
}
QUESTIONS = ("in_f", "in_normalized", "in_subtracts")
SHARED = "conv BN ReLU conv"  # by all twelve


class Learned(NamedTuple):
    """All runs of one unit under one head; arrays have an entry a seed.

    `error_pct` is the test error of the last iteration, `loss` the training
    loss of the last iterations in nats, NaN where the run diverged, `growth`
    |dE/dx_0| / |dE/dx_L| at iteration 0.
    """

    error_pct: Array
    loss: Array
    growth: Array


@cache
def final_errors(data: str = "digits") -> dict[tuple[str, bool], Learned]:
    """What the twelve units and the control learned, by unit and final BN.

    On CIFAR-10 only rows of Table 2 and the control have been trained.
    """
    named = {str(spec): name for name, spec in with_control().items()}
    runs: dict[tuple[str, bool], list[tuple[float, float, float]]] = {}
    for experiment in EXPERIMENTS[data]:
        for run in load_records(experiment):
            loss = np.nan if run.train_loss is None else run.train_loss
            case = named[run.spec], "BN" in run.tail
            ends = run.test_error_pct, loss, growth_at_start(run)
            runs.setdefault(case, []).append(ends)
    return {case: Learned(*np.array(of).T) for case, of in runs.items()}


def short(spec: UnitSpec) -> str:
    """Write a unit without what all share."""
    return str(spec).replace(SHARED, "[W]")


def arm(name: str) -> Arm:
    """One unit for a picture, named by what is its own."""
    spec, recorded = with_control()[name], final_errors()
    row = next((row for row, own in ROWS.items() if own == spec), None)
    return Arm(
        short(spec),
        color_of(row) if row else INK,
        marker_of(row) if row else "X",
        recorded[name, False].error_pct,
        recorded[name, True].error_pct,
    )


def families() -> dict[str, list[Arm]]:
    """All units by what Eq. (9) makes of them, themselves first.

    Those that have nothing after the addition and are made of no other unit
    stand together at the end.
    """
    units = with_control()
    by_free: dict[str, list[str]] = {}
    for name, spec in units.items():
        by_free.setdefault(key(asymmetric(spec)), []).append(name)
    say, groups, rest = words(), {}, []
    for free, names in by_free.items():
        if names == [free]:
            rest.append(free)
            continue
        ordered = sorted(names, key=lambda n: (n != free, n))
        ops = " ".join((*units[free].pre, "[W]", *units[free].post))
        family = say("activations.family", branch=ops)
        groups[family] = [arm(name) for name in ordered]
    groups[say("activations.no_family")] = [arm(name) for name in rest]
    return groups


def three_questions() -> Table:
    """The twelve and the control, by their answers; the paper's errors."""
    say = words()
    errors = {(r.row, r.depth): r.error_pct for r in paper.results(2)}
    head = [
        say("activations.unit"),
        *(say(f"activations.{question}") for question in QUESTIONS),
        *(say("activations.paper", depth=depth) for depth in (110, 164)),
    ]
    body = []
    for spec in sorted(with_control().values(), key=rank):
        own, row = answers(spec), row_of(spec)
        name = lettered(spec)
        if spec == CONTROL:
            name = say("activations.control", unit=name)
        printed = (errors.get((row or "", depth)) for depth in (110, 164))
        line = [
            name,
            " ".join(spec.after) or say("activations.f_same"),
            *(
                say("activations.yes" if answer else "activations.no")
                for answer in (own.normalized, own.subtracts)
            ),
            *("–" if e is None else f"{e:.2f}" for e in printed),
        ]
        body.append(line)
    return Table(head, body, say("activations.grid"))


def lettered(spec: UnitSpec) -> str:
    """Write a unit briefly, with its letter in the paper's Fig. 4."""
    letters = dict(zip(TABLE_2, "abcde", strict=True))
    letter = letters.get(row_of(spec) or "")
    return f"({letter}) {short(spec)}" if letter else short(spec)


def freed_pairs() -> Table:
    """Median errors of each unit that Eq. (9) frees, before and after."""
    say, recorded, body = words(), final_errors(), []
    for name, spec in with_control().items():
        if not spec.after:
            continue
        partner = asymmetric(spec)
        line = [lettered(spec), lettered(partner)]
        for final_bn in (False, True):
            ends = [
                np.median(recorded[unit, final_bn].error_pct)
                for unit in (name, key(partner))
            ]
            line.append(" → ".join(f"{end:.1f}" for end in ends))
        body.append(line)
    columns = ("bound", "free", "without", "with")
    head = [say(f"activations.{column}") for column in columns]
    return Table(head, body, say("activations.freed"))


def rank(spec: UnitSpec) -> tuple[bool, ...]:
    """Order units: f = identity first, then normalized, then subtracting."""
    own = answers(spec)
    return (
        own.f == "BN",
        own.f != "identity",
        not own.normalized,
        not own.subtracts,
    )


def learners(*, final_bn: bool) -> int:
    """How many of the twelve end with an error below 20 % in each run."""
    return sum(
        bool(final_errors()[name, final_bn].error_pct.max() < 20)
        for name in twelve_units()
    )
