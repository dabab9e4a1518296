"""What it takes to train 1001 layers: checkers.

Chapter `08-training`.
"""

import math
from typing import Any

import numpy as np

from preact.book.exercises.judge import Answer, agrees, exercise, number
from preact.book.page import words

LAUNCH_S, COMPILE_S = 0.001, 30.0
ROUNDS_S = (0.5, 0.9, 0.4, 0.7, 0.6, 0.8)  # the first after compiling


@exercise("training-1")
def images_per_second(answer: Any) -> Answer:
    """Images a second of the paper's training of ResNet-1001."""
    return number(answer, 64_000 * 128 / (27 * 3600), rtol=0.02)


@exercise("training-2")
def basic_units_keep(answer: Any) -> Answer:
    """MB that the 54 units of ResNet-110 keep for one image."""
    numbers = 16 * 1024 + 32 * 256 + 64 * 64
    return number(answer, 4 * 18 * numbers * 4 / 1e6, rtol=0.01)


@exercise("training-3")
def best_segment(answer: Any) -> Answer:
    """Length of a segment for which checkpoints and room are least."""
    return number(answer, math.sqrt(4 * 333 / 6), rtol=0.01)


@exercise("training-4")
def steps_to_the_limit(answer: Any) -> Answer:
    """Steps after which the velocity is within a hundredth of its limit."""
    return number(answer, 44, rtol=0.01)


class _Gpu:
    """A device that works behind the back of its caller, and its clock."""

    def __init__(self) -> None:
        self.now = self.done = 100.0
        self.calls = 0

    def work(self) -> None:
        """Launch a step; the first call compiles before."""
        if self.calls == 0:
            self.now += COMPILE_S
        self.now += LAUNCH_S
        took = ROUNDS_S[self.calls % len(ROUNDS_S)]
        self.done = max(self.done, self.now) + took
        self.calls += 1

    def wait(self) -> None:
        """Wait for all that was launched."""
        self.now = max(self.now, self.done)

    def clock(self) -> float:
        """Seconds."""
        return self.now


@exercise("training-5")
def undisturbed_step(answer: Any) -> Answer:
    """Seconds of a step on a machine that compiles, and is shared."""
    gpu = _Gpu()
    got = answer(gpu.work, gpu.wait, gpu.clock, 5)
    wanted = min(ROUNDS_S) + LAUNCH_S
    if np.shape(got):
        return agrees((got, wanted), what="t")
    if got > max(ROUNDS_S) + 2 * LAUNCH_S:
        return False, words()("exercise.training-5.compiled")
    if got < min(ROUNDS_S):
        return False, words()("exercise.training-5.launched")
    if gpu.calls > 1 and got > min(ROUNDS_S[: gpu.calls]) + 2 * LAUNCH_S:
        return False, words()("exercise.training-5.mean")
    return agrees((got, wanted), what="t")
