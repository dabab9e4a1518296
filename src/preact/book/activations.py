"""What all twelve units have learned, by their answers to three questions.

What was learned is read from records, so this is asked for by its own name,
like `preact.book.cover`.

Chapter `06-activations`.
"""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

from preact import paper
from preact.book.builder import unit_builder
from preact.book.explorers import Html
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
from preact.figures import Arm, Table, error_strip
from preact.records import Record
from preact.records.compare import load_records
from preact.reference.caches import Array
from preact.spec import ROWS

EXPERIMENTS = ("digits_table_2", "digits_twelve")
SHORT = {"conv BN ReLU conv": "…"}  # what all twelve share


class Learned(NamedTuple):
    """All runs of one unit under one head; arrays have an entry a seed.

    `error_pct` is the test error of the last iteration, `loss` the training
    loss at the end in nats (NaN where it diverged), `growth` is
    |dE/dx_0| / |dE/dx_L| at iteration 0.
    """

    error_pct: Array
    loss: Array
    growth: Array


@cache
def learned() -> dict[tuple[str, bool], Learned]:
    """What the twelve units and the control have learned on the digits.

    Returns
    -------
    dict
        (name of the unit as in `twelve_units`, whether a BN stands before the
        classifier) to its runs.
    """
    named = {str(s): name for name, s in with_control().items()}
    runs: dict[tuple[str, bool], list[Record]] = {}
    for experiment in EXPERIMENTS:
        for run in load_records(experiment):
            case = named[run.spec], "BN" in run.tail
            runs.setdefault(case, []).append(run)
    return {case: gathered(of) for case, of in runs.items()}


def gathered(runs: Iterable[Record]) -> Learned:
    """Line up the seeds."""
    lines = []
    for run in runs:
        g = run.profiles[0].gradient_norm
        assert g[0] is not None and g[-1] is not None  # nothing diverges at 0
        loss = np.nan if run.train_loss is None else run.train_loss
        lines.append((run.test_error_pct, loss, g[0] / g[-1]))
    return Learned(*np.array(sorted(lines)).T)


def learning_builder() -> Html:
    """The unit builder of chapter 04, with what each unit has learned."""
    say, known = words(), learned()
    errors = {case: runs.error_pct for case, runs in known.items()}
    under = {}
    for name, spec in twelve_units().items():
        own = (errors[name, False], errors[name, True])
        rest = [values for case, values in errors.items() if case[0] != name]
        strip = error_strip(own, np.concatenate(rest), row_of(spec), say)
        under[name] = strip._repr_html_()
    return unit_builder(under)


def arm(name: str) -> Arm:
    """One unit for a picture, named by what is its own."""
    spec, known = with_control()[name], learned()
    label = str(spec)
    for shared, dots in SHORT.items():
        label = label.replace(shared, dots)
    row = next((row for row, own in ROWS.items() if own == spec), None)
    return Arm(
        label, row, known[name, False].error_pct, known[name, True].error_pct
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
        ops = " ".join((*units[free].pre, "…", *units[free].post))
        groups[say("activations.family", branch=ops)] = list(map(arm, ordered))
    groups[say("activations.no_family")] = list(map(arm, rest))
    return groups


def three_questions() -> Table:
    """The twelve and the control, by their answers; the paper's errors."""
    say = words()
    errors = {(r.row, r.depth): r.error_pct for r in paper.results(2)}
    head = [
        say("activations.unit"),
        *(say(f"activations.in_{q}") for q in ("f", "normalized", "subtracts")),
        *(say("activations.paper", depth=depth) for depth in (110, 164)),
    ]
    body = []
    for spec in with_control().values():
        own, row = answers(spec), row_of(spec)
        yes_or_no = (
            say(f"activations.{'yes' if answer else 'no'}")
            for answer in (own.normalized, own.subtracts)
        )
        printed = (errors.get((row or "", depth)) for depth in (110, 164))
        name = str(spec)
        if spec == CONTROL:
            name += f" ({say('activations.control')})"
        f = say("activations.f_same") if own.f == "identity" else own.f
        body.append(
            [
                name,
                f if own.f != "BN" else " ".join(spec.after),
                *yes_or_no,
                *("–" if e is None else f"{e:.2f}" for e in printed),
            ]
        )
    order = {"identity": 0, "ReLU": 1, "BN": 2}
    specs = list(with_control().values())
    ranked = sorted(
        range(len(body)),
        key=lambda i: (
            order[answers(specs[i]).f],
            not answers(specs[i]).normalized,
            not answers(specs[i]).subtracts,
        ),
    )
    return Table(head, [body[i] for i in ranked], say("activations.grid"))


def learners(final_bn: bool, below: float = 10.0) -> int:
    """How many of the twelve end with a median error below a limit."""
    return sum(
        bool(np.median(learned()[name, final_bn].error_pct) < below)
        for name in twelve_units()
    )
