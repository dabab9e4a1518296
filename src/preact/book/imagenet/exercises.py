"""Beyond one GPU: checkers.

Chapter `09-imagenet`.
"""

import math
from typing import Any

import numpy as np

from preact.book.exercises.judge import Answer, agrees, exercise, number
from preact.book.page import words

VALIDATION = 50_000  # images of ImageNet's validation set
HOURS = 0.9711  # ten runs by the roofline; a test computes it


@exercise("imagenet-1")
def sixteen_units(answer: Any) -> Answer:
    """Parameters that ResNet-200 has more than ResNet-152."""
    convs = 512 * 128 + 9 * 128 * 128 + 128 * 512
    return number(answer, 16 * (convs + 2 * (512 + 128 + 128)))


@exercise("imagenet-2")
def two_tenths(answer: Any) -> Answer:
    """Standard errors between 21.3 % and 21.1 % where 3,000 images differ."""
    more = 0.002 * VALIDATION
    return number(answer, more / math.sqrt(3_000), rtol=0.03)


@exercise("imagenet-3")
def share_of_the_unit(answer: Any) -> Answer:
    """Share of the headline's points that is the unit's at 200 layers."""
    right, got = number(answer, (21.8 - 20.7) / (23.0 - 20.1), rtol=0.03)
    if number(answer, (21.3 - 21.1) / (23.0 - 20.1), rtol=0.03)[0]:
        got = words()("exercise.imagenet-3.first")
    return right, got


@exercise("imagenet-4")
def weighed_mean(answer: Any) -> Answer:
    """Gradient of the mean loss from shares of different sizes."""
    rng = np.random.default_rng(9)
    counts = [48, 12, 4]
    means = [rng.normal(size=5) for _ in counts]
    got = answer([mean.copy() for mean in means], list(counts))
    total = sum(n * mean for n, mean in zip(counts, means, strict=True))
    mistakes = {"plain": sum(means) / 3, "total": total}
    for mistake, value in mistakes.items():
        if agrees((got, value))[0]:
            return False, words()(f"exercise.imagenet-4.{mistake}")
    return agrees((got, total / sum(counts)), what="g")


@exercise("imagenet-5")
def ring(answer: Any) -> Answer:
    """Seconds of an all-reduce in a ring."""
    rng = np.random.default_rng(9)
    for count in (2, 8, 100):
        n_bytes, bandwidth = rng.uniform(1e6, 1e9), rng.uniform(1e9, 1e11)
        latency = rng.uniform(1e-6, 1e-4)
        got = answer(n_bytes, count, bandwidth, latency)
        piece = n_bytes / count / bandwidth
        step = latency + piece
        mistakes = {
            "once": (count - 1) * step,
            "all_bytes": 2 * (count - 1) * (latency + n_bytes / bandwidth),
        }
        for mistake, value in mistakes.items():
            if agrees((got, value))[0]:
                return False, words()(f"exercise.imagenet-5.{mistake}")
        right, text = agrees((got, 2 * (count - 1) * step), what="t")
        if not right:
            return False, text
    return True, text


@exercise("imagenet-6")
def ten_runs(answer: Any) -> Answer:
    """Hours of ten runs of ResNet-50 on CIFAR-10, by the roofline."""
    return number(answer, HOURS, rtol=0.05)
