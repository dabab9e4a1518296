"""What a run has been through: its curve, its profiles, its time."""

import math
import time
from typing import Any

from preact.train.profiles import ProfileValues

Point = dict[str, float]
KEPT = ("curve", "profiles", "images", "busy_s", "away_s")


class History:
    """Iterations done, the curve and the time, over all parts of a run.

    Time is that of a monotonic clock, which stands still while the machine
    sleeps.
    """

    def __init__(self) -> None:
        self.iteration = 0
        self.curve: list[Point] = []
        self.profiles: list[ProfileValues] = []
        self.images = 0
        self.busy_s = self.away_s = 0.0  # in steps; in tests and checkpoints
        self.last_s = time.monotonic()

    @property
    def diverged(self) -> bool:
        """Whether the last loss on the curve is NaN or infinite."""
        return bool(self.curve) and not math.isfinite(self.curve[-1]["loss"])

    @property
    def wall_s(self) -> float:
        """Seconds of steps, tests and checkpoints."""
        return self.busy_s + self.away_s

    @property
    def images_per_s(self) -> float | None:
        """Images in a second of training; None before there was any."""
        return self.images / self.busy_s if self.busy_s > 0 else None

    def count_step(self, images: int) -> None:
        """Count one step, and the time since the last count."""
        self.iteration += 1
        self.images += images
        self.busy_s += self._passed_s()

    def count_pause(self) -> None:
        """Count what was done since the step, apart from training."""
        self.away_s += self._passed_s()

    def _passed_s(self) -> float:
        before, self.last_s = self.last_s, time.monotonic()
        return self.last_s - before

    def state(self) -> dict[str, Any]:
        """All that a checkpoint keeps of it."""
        return {name: getattr(self, name) for name in KEPT}

    def restore(self, iteration: int, state: dict[str, Any]) -> None:
        """Take over what a checkpoint has kept."""
        self.__dict__.update(state)
        self.iteration, self.last_s = iteration, time.monotonic()
