"""Beyond one GPU: exercises."""

import math
from typing import Any

import numpy as np

from preact.book.exercises import Answer, Number, agrees

SEED = 9  # of the input on which an answer is tried
VALIDATION = 50_000  # images of ImageNet's validation set


def weighed_mean(answer: Any) -> Answer:
    """Gradient of the mean loss from shares of different sizes."""
    rng = np.random.default_rng(SEED)
    counts = [48, 12, 4]
    means = [rng.normal(size=5) for _ in counts]
    got = answer([mean.copy() for mean in means], list(counts))
    total = sum(n * mean for n, mean in zip(counts, means, strict=True))
    mistakes = {"plain": sum(means) / 3, "total": total}
    return agrees(got, total / sum(counts), "g", mistakes)


def whole_batch(answer: Any) -> Answer:
    """Mean and variance of a batch from those of its equal shares."""
    rng = np.random.default_rng(SEED)
    shares = rng.normal(size=(4, 16)) + rng.normal(size=(4, 1))
    means, variances = shares.mean(axis=1), shares.var(axis=1)
    got = answer(means.copy(), variances.copy())
    both = shares.mean(), shares.var()
    mistakes = {
        "inside": (shares.mean(), variances.mean()),
        "between": (shares.mean(), means.var()),
    }
    return agrees(got, both, "(mean, variance)", mistakes)


EXERCISES = {
    "imagenet-1": whole_batch,
    # standard errors between 21.3 % and 21.1 % where 3,000 images differ
    "imagenet-2": Number(0.002 * VALIDATION / math.sqrt(3_000), 2),
    # share of the headline's points that is the unit's at 200 layers
    "imagenet-3": Number(
        (21.8 - 20.7) / (23.0 - 20.1),
        2,
        {"first": (21.3 - 21.1) / (23.0 - 20.1)},
        unit="share",
    ),
    "imagenet-4": weighed_mean,
}
