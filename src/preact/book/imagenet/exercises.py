"""Beyond one GPU: exercises.

Chapter `10-imagenet`.
"""

import math
from typing import Any

import numpy as np

from preact.book.exercises import Answer, Number, agrees

SEED = 9  # of the input on which an answer is tried
VALIDATION = 50_000  # images of ImageNet's validation set
HOURS = 0.9711  # ten runs by the roofline; a test computes it


def weighed_mean(answer: Any) -> Answer:
    """Gradient of the mean loss from shares of different sizes."""
    rng = np.random.default_rng(SEED)
    counts = [48, 12, 4]
    means = [rng.normal(size=5) for _ in counts]
    got = answer([mean.copy() for mean in means], list(counts))
    total = sum(n * mean for n, mean in zip(counts, means, strict=True))
    mistakes = {"plain": sum(means) / 3, "total": total}
    return agrees(got, total / sum(counts), "g", mistakes)


def ring(answer: Any) -> Answer:
    """Seconds of an all-reduce in a ring."""
    rng, cases = np.random.default_rng(SEED), []
    for count in (2, 8, 100):
        n_bytes, bandwidth = rng.uniform(1e6, 1e9), rng.uniform(1e9, 1e11)
        cases.append((n_bytes, count, bandwidth, rng.uniform(1e-6, 1e-4)))
    bytes_, counts, bandwidths, latencies = np.array(cases).T
    whole = bytes_ / bandwidths
    step = latencies + whole / counts
    return agrees(
        [answer(n, int(count), b, t) for n, count, b, t in cases],
        2 * (counts - 1) * step,
        "t",
        {
            "once": (counts - 1) * step,
            "all_bytes": 2 * (counts - 1) * (latencies + whole),
        },
    )


EXERCISES = {
    # parameters that ResNet-200 has more than ResNet-152
    "imagenet-1": Number(
        16 * (512 * 128 + 9 * 128**2 + 128 * 512 + 2 * (512 + 128 + 128))
    ),
    # standard errors between 21.3 % and 21.1 % where 3,000 images differ
    "imagenet-2": Number(0.002 * VALIDATION / math.sqrt(3_000), 0.03),
    # share of the headline's points that is the unit's at 200 layers
    "imagenet-3": Number(
        (21.8 - 20.7) / (23.0 - 20.1),
        0.03,
        {"first": (21.3 - 21.1) / (23.0 - 20.1)},
    ),
    "imagenet-4": weighed_mean,
    "imagenet-5": ring,
    # hours of ten runs of ResNet-50 on CIFAR-10, by the roofline
    "imagenet-6": Number(HOURS, 0.05),
}
