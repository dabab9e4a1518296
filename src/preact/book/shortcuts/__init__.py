"""Table 1 at the start of training: what its shortcuts pass, and what grows.

What is called "at work" is measured on real inputs: the factors that gates,
masks and convolutions take when they see a stream, not those they were set to.

Chapter `05-shortcuts`.
"""

import math
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from preact import paper, reference
from preact.book.page import words
from preact.book.panels import FINAL_BN
from preact.book.recorded import growth_at_start
from preact.figures import Table, arm_name
from preact.plan import NetworkPlan, stack_plan
from preact.propagation import draw_batch, pullback, shortcut_products
from preact.records.compare import load_records
from preact.reference.caches import Array
from preact.reference.layers import backward
from preact.reference.unit import UnitCache
from preact.spec import TABLE_1, Conv1x1, Dropout

UNITS, WIDTH, BATCH, SEEDS = 54, 64, 128, 3
# Our rows beside an error of the paper: its one row of six biases is six.
PAPER_ROWS = {
    row: result.error_pct for result in paper.results(1) for row in result.rows
}


def watch_units(
    plan: NetworkPlan, *, batch: int = BATCH, seed: int = 0, gates: float = 1.0
) -> tuple[list[Array], list[UnitCache]]:
    """Forward once: streams x_0 ... x_L, and what each unit left behind.

    As `preact.propagation.run_units`, with a mask for units with dropout;
    `gates` multiplies the weights W_g of gates of one layer.
    """
    params = reference.initialize(plan, seed)
    for name in params:
        if name.endswith("gate.0.weight"):
            params[name] = gates * params[name]
    x, _ = draw_batch(plan, batch, seed)
    rng = np.random.default_rng([seed, 3])
    _, stored = reference.network_forward(plan, params, x, rng=rng)
    return stored.streams, stored.units


def along_shortcuts(caches: list[UnitCache], last: Array) -> list[Array]:
    """Carry a gradient back along the shortcuts alone: at x_0, ..., x_L.

    Branches are left out and gates are taken as they stand; the ReLU after
    the addition masks as ever.
    """
    gradients = [last]
    for unit in reversed(caches):
        dy, _ = backward(gradients[-1], unit.after)
        dx, _ = backward(unit.s * dy, unit.short)
        gradients.append(dx)
    return gradients[::-1]


@cache
def at_start(row: str) -> tuple[Array, Array]:
    """Measure a row of Table 1 in fresh, fully connected stacks, by seed.

    |g_0| / |g_L| of a random g_L along the shortcuts alone, and all paths.
    """
    plan = stack_plan(TABLE_1[row], units=UNITS, width=WIDTH)
    ratios = []
    for seed in range(SEEDS):
        streams, caches = watch_units(plan, seed=seed)
        rng = np.random.default_rng([seed, 2])
        last = np.asarray(rng.normal(size=streams[-1].shape))
        firsts = (
            along_shortcuts(caches, last)[0],
            pullback(plan, caches, last)[0],
        )
        ratios.append(
            [np.linalg.norm(g) / np.linalg.norm(last) for g in firsts]
        )
    at_work, growth = np.array(ratios).T
    return at_work, growth


def as_set(plan: NetworkPlan) -> float:
    """Product of the factors as they are set, by the paper's reckoning.

    Dropout counts as its share of kept values; a 1x1 convolution has no
    factor, NaN.
    """
    shortcut = plan.spec.on_shortcut
    if isinstance(shortcut, Conv1x1):
        return math.nan
    if isinstance(shortcut, Dropout):
        return float((1 - shortcut.rate) ** len(plan.units))
    return float(shortcut_products(plan)[0])


def theories(rows: Iterable[str]) -> dict[str, dict[str, Array]]:
    """Three numbers that might predict Table 1, for each row and seed.

    "as_set", "at_work" and "growth"; the first has none for some rows.
    """
    found: dict[str, dict[str, Array]]
    found = {"as_set": {}, "at_work": {}, "growth": {}}
    for row in rows:
        plan = stack_plan(TABLE_1[row], units=UNITS, width=WIDTH)
        if not math.isnan(product := as_set(plan)):
            found["as_set"][row] = np.array([product])
        found["at_work"][row], found["growth"][row] = at_start(row)
    return found


def share_in_order(
    predicted: Mapping[str, float], errors: Mapping[str, float | None]
) -> float:
    """Share of pairs of rows that a number puts in the order of the errors.

    The larger number promises the smaller error. An error is in percent, None
    for "fail"; two fails are no pair. Equal numbers count half, so that
    guessing has 1/2.
    """
    right: list[float] = []
    for one, other in combinations(predicted, 2):
        a, b = (
            math.inf if (error := errors[row]) is None else error
            for row in (one, other)
        )
        if a != b:
            gap = predicted[one] - predicted[other]
            right.append((1 + np.sign(gap) * np.sign(b - a)) / 2)
    return float(np.mean(right))


def guessed_shares(
    errors: Mapping[str, float | None], draws: int = 1000
) -> Array:
    """Sort what `share_in_order` makes of these rows in random orders."""
    rng = np.random.default_rng(0)
    orders = (rng.permutation(len(errors)) for _ in range(draws))
    guesses = (dict(zip(errors, map(float, o), strict=True)) for o in orders)
    return np.sort([share_in_order(guess, errors) for guess in guesses])


# ------------------------------------------------------- recorded on digits
class Recorded(NamedTuple):
    """All seeds of one network: growth at iteration 0, error at the end."""

    growth: Array
    error_pct: Array


@cache
def recorded_on_digits() -> dict[tuple[str, str], Recorded]:
    """ResNet-110 on digits: (row, tail) to what the records hold."""
    tables = ("digits_table_1", "digits_table_1_final_bn", "digits_table_2")
    gathered: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for run in (run for name in tables for run in load_records(name)):
        case = run.row, run.tail
        if run.experiment == tables[2] and case != ("original", "BN"):
            continue
        pair = growth_at_start(run), run.test_error_pct
        gathered.setdefault(case, []).append(pair)
    return {
        key: Recorded(*np.array(pairs).T) for key, pairs in gathered.items()
    }


def growth_beside_error() -> Table:
    """Three rows whose growth does not tell which one fails, all runs."""
    say, both = words(), recorded_on_digits()
    arms = [
        ("original", ""),
        ("original", "BN"),
        ("shortcut-only-gating-b-6", ""),
        ("dropout-shortcut", ""),
        ("dropout-shortcut", "BN"),
    ]
    body = []
    for row, tail in arms:
        growth, errors = both[row, tail]
        body.append(
            [
                arm_name(row + (FINAL_BN if tail else ""), say),
                f"{growth.min():.0f}–{growth.max():.0f}",
                ", ".join(f"{error:.1f}" for error in sorted(errors)),
            ]
        )
    head = [say("table.row"), say("shortcut.grows"), say("shortcut.errors")]
    return Table(head, body, say("shortcut.beside"))
