"""Three questions about a unit, and what all twelve have learned.

What was learned is read from records, so this is asked for by its own name,
like `preact.book.cover`.

Chapter `06-activations`.
"""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

from preact.book.builder import unit_builder
from preact.book.explorers import Html
from preact.book.page import words
from preact.book.placements import key, row_of, twelve_units
from preact.figures import error_strip
from preact.records import Record
from preact.records.compare import load_records
from preact.reference.caches import Array
from preact.spec import BN, CONTROLS, RELU, UnitSpec

EXPERIMENTS = ("digits_table_2", "digits_twelve")
CONTROL = CONTROLS["no-relu-after-addition"]
BATCH_OF_LAST_LOSS = 20  # iterations over which a record's loss is a mean


class Answers(NamedTuple):
    """What a unit answers to the three questions of the chapter.

    `f` is what follows the addition: "identity", "ReLU" or, where a BN is
    among it, "BN"; `normalized` says whether a BN stands between an addition
    and the first weights of the next branch; `subtracts` whether the branch
    may be negative where it is added.
    """

    f: str
    normalized: bool
    subtracts: bool


def answers(spec: UnitSpec) -> Answers:
    """Answer for one unit, by reading its three places."""
    f = "BN" if BN in spec.after else "ReLU" if spec.after else "identity"
    return Answers(
        f=f,
        normalized=BN in (*spec.after, *spec.pre),
        subtracts=spec.post[-1:] != (RELU,),
    )


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


def with_control() -> dict[str, UnitSpec]:
    """The twelve units by name, and the control."""
    return {**twelve_units(), key(CONTROL): CONTROL}


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


def learners(final_bn: bool, below: float = 10.0) -> int:
    """How many of the twelve end with a median error below a limit."""
    return sum(
        bool(np.median(learned()[name, final_bn].error_pct) < below)
        for name in twelve_units()
    )
