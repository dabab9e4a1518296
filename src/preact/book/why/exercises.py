"""What harms, and what it costs: exercises of the first chapter."""

from typing import Any

import numpy as np

from preact import paper
from preact.book.exercises import Answer, Number, agrees
from preact.spec import CONTROLS, TABLE_2, Op

SEED = 1  # of the input on which an answer is tried


def harmless_units() -> int:
    """Count rows that return a non-negative input when they are silent."""
    rows = {**TABLE_2, **CONTROLS}
    return sum(Op.BN not in spec.after for spec in rows.values())


HALF_BATCH = 4.62  # percent, of another implementation


def gain_of_resnet_1001(error_pct: float | None = None) -> float:
    """Percent of its error that the original loses, at the paper's own batch.

    Or with another error of pre-activation.
    """
    found = {
        result.row: result.error_pct or 0.0
        for result in paper.results(3)
        if (result.data, result.depth) == ("CIFAR-10", 1001)
    }
    left = error_pct or found["full-preactivation"]
    return 100 * (1 - left / found["original"])


def copying_weights(answer: Any) -> Answer:
    """Weights with which a plain unit without BN returns what it receives."""
    x = np.abs(np.random.default_rng(SEED).normal(size=(64, 9)))
    weights = np.asarray(answer(9), dtype=np.float64)
    if weights.shape != (2, 9, 9):
        return False, f"shape {weights.shape}, not (2, 9, 9)"
    W1, W2 = weights
    return agrees(np.maximum(np.maximum(x @ W1.T, 0) @ W2.T, 0), x)


def scores_after_a_final_bn(answer: Any) -> Answer:
    """Scores of a head with a final BN, of a stream and a larger one."""
    rng = np.random.default_rng(SEED)
    x, W = rng.normal(1.0, 2.0, (32, 6)), rng.normal(size=(10, 6))
    wanted = (x - x.mean(0)) / x.std(0) @ W.T
    return agrees([answer(x, W), answer(100 * x, W)], [wanted, wanted])


def fair_input(answer: Any) -> Answer:
    """What an original unit may receive: legal values kept, none negative."""
    x = np.random.default_rng(SEED).normal(size=(8, 5))
    got = np.asarray(answer(x), dtype=np.float64)
    if got.shape != x.shape:
        return False, f"shape {got.shape}, not {x.shape}"
    moved = np.abs(got - x)[x >= 0].max()
    legal = np.isfinite(got) & (got >= 0)
    return bool(legal.all() and moved == 0), (
        f"min = {got.min():.2g}, |Δ| = {moved:.2g}"
    )


EXERCISES = {
    "why-1": Number(harmless_units),
    "why-2": Number(
        gain_of_resnet_1001,
        2,
        {"batch": gain_of_resnet_1001(HALF_BATCH)},
        unit="percent",
    ),
    "why-3": copying_weights,
    "why-4": scores_after_a_final_bn,
    "why-5": fair_input,
}
