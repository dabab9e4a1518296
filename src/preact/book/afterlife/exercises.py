"""What became of the identity: exercises."""

import math
from typing import Any

import numpy as np

from preact.book.exercises import Answer, Number

SEED = 10  # of the input on which an answer is tried
UNITS = 96


def a_doubly_stochastic_matrix(answer: Any) -> Answer:
    """Sinkhorn's method: rows, columns, and signs."""
    rng = np.random.default_rng(SEED)
    M = np.exp(rng.normal(size=(5, 5)))
    given = M.copy()
    H = np.asarray(answer(M), dtype=np.float64)
    if H.shape != M.shape:
        return False, f"shape {H.shape}, not {M.shape}"
    if not np.isfinite(H).all():
        return False, str(H.ravel()[~np.isfinite(H).ravel()][0])
    worst = np.max([np.abs(H.sum(0) - 1), np.abs(H.sum(1) - 1)])
    least = float(H.min())
    text = f"|Σ − 1| ≤ {worst:.2g}, min H = {least:.2g}"
    if not (worst < 1e-6 and least > 0):
        return False, text
    # rows and columns only scaled: logarithms of H / M are sums of two
    ratio = np.log(H / given)
    mixed = ratio - ratio.mean(0) - ratio.mean(1)[:, None] + ratio.mean()
    scaled = float(np.abs(mixed).max())
    return scaled < 1e-6, f"{text}, |Δ log(H / M)| = {scaled:.2g}"


EXERCISES = {
    # what 96 norms after the addition leave, to the digits that are printed
    "afterlife-1": Number(2.0 ** (-UNITS / 2), 2, unit="share"),
    # the same with DeepNorm's two factors
    "afterlife-2": Number(
        (1 + 1 / (4 * UNITS * math.sqrt(UNITS))) ** (-UNITS / 2),
        3,
        unit="share",
    ),
    "afterlife-3": a_doubly_stochastic_matrix,
    # of four readings of a dead direct term, the one that is right
    "afterlife-4": Number(3, sentences=4),
}
