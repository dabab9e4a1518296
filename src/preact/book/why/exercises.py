"""What harms, and what it costs: checkers of the first chapter.

Chapter `01-why`.
"""

from typing import Any

import numpy as np

from preact import paper
from preact.book.exercises.judge import Answer, agrees, exercise, number
from preact.spec import CONTROLS, TABLE_2, Op

SEED = 1  # of the input on which an answer is tried


@exercise("why-1")
def harmless_units(answer: Any) -> Answer:
    """Rows that return a non-negative input when their branch is silent."""
    rows = {**TABLE_2, **CONTROLS}
    return number(
        answer, sum(Op.BN not in spec.after for spec in rows.values())
    )


@exercise("why-2")
def gain_of_resnet_1001(answer: Any) -> Answer:
    """Points between both units on CIFAR-10 at the paper's own batch.

    2.7 is right, too; 2.99, with the other batch, is not.
    """
    error = {
        r.row: r.error_pct
        for r in paper.results(3)
        if (r.data, r.depth) == ("CIFAR-10", 1001)
    }
    original, full = error["original"], error["full-preactivation"]
    assert original is not None
    assert full is not None
    return number(answer, original - full, rtol=0.005)


@exercise("why-3")
def copying_weights(answer: Any) -> Answer:
    """Weights with which a plain unit without BN returns what it receives."""
    x = np.abs(np.random.default_rng(SEED).normal(size=(64, 9)))
    weights = np.asarray(answer(9), dtype=np.float64)
    if weights.shape != (2, 9, 9):
        return False, f"shape {weights.shape}, not (2, 9, 9)"
    W1, W2 = weights
    inside = np.maximum(x @ W1.T, 0)
    return agrees((np.maximum(inside @ W2.T, 0), x))


@exercise("why-4")
def scores_after_a_final_bn(answer: Any) -> Answer:
    """Scores of a head with a final BN, of a stream and a larger one."""
    rng = np.random.default_rng(SEED)
    x, W = rng.normal(1.0, 2.0, (32, 6)), rng.normal(size=(10, 6))
    wanted = (x - x.mean(0)) / x.std(0) @ W.T
    return agrees((answer(x, W), wanted), (answer(100 * x, W), wanted))


@exercise("why-5")
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
