"""What a run has been through: its curve, its profiles, its time."""

import logging
import math
import time
from typing import Any

from preact import records
from preact.train.profiles import Profile
from preact.typed import parse

Point = dict[str, float]
POINT = {"iteration", "lr", "loss", "train_error_pct"}
log = logging.getLogger("preact")


class History:
    """Iterations done, the curve and the time, over all parts of a run.

    Time is that of a monotonic clock, which stands still while the machine
    sleeps.
    """

    def __init__(self) -> None:
        self.iteration = 0
        self.curve: list[Point] = []
        self.profiles: list[Profile] = []
        self.kernels: list[str] = []
        self.images = 0
        self.busy_s = self.away_s = 0.0
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

    def note_kernels(self, kernels: str) -> None:
        """Note what computes the next steps; a change of it is logged."""
        before = self.kernels[-1:]
        if before == [kernels]:
            return
        self.kernels.append(kernels)
        if before:
            log.warning(
                "kernels up to iteration %d: %s, from here on: %s; the last "
                "bits will not be those of a run without interruption",
                self.iteration,
                before[0],
                kernels,
            )

    def lap(self, images: int) -> None:
        """Count one step."""
        self.iteration += 1
        self.images += images
        self.busy_s += self._passed_s()

    def pause(self) -> None:
        """Count what was done since the step, apart from training."""
        self.away_s += self._passed_s()

    def _passed_s(self) -> float:
        before, self.last_s = self.last_s, time.monotonic()
        return self.last_s - before

    def state(self) -> dict[str, Any]:
        """All that a checkpoint keeps of it."""
        return {
            "curve": self.curve,
            "profiles": self.profiles,
            "kernels": self.kernels,
            "images": self.images,
            "busy_s": self.busy_s,
            "away_s": self.away_s,
        }

    def restore(self, iteration: int, state: dict[str, Any]) -> None:
        """Take over what a checkpoint has kept.

        Raises
        ------
        ValueError
            If the curve is none, or goes on behind the iteration.
        """
        for name, before in self.state().items():
            value = state.get(name)
            if type(value) is not type(before):
                raise ValueError(f"history must have {name!r}")
            if isinstance(value, int | float) and not 0 <= value < math.inf:
                raise ValueError(f"{name} must be a number of at least 0")
        check_curve(state["curve"], iteration)
        if not all(isinstance(name, str) for name in state["kernels"]):
            raise ValueError("kernels must be names")
        for profile in state["profiles"]:
            parse(records.Profile, profile, "a profile")
        self.__dict__.update({name: state[name] for name in self.state()})
        self.iteration, self.last_s = iteration, time.monotonic()


def check_curve(curve: list[Any], iteration: int) -> None:
    """Refuse what is no curve of the iterations up to this one.

    Raises
    ------
    ValueError
        If a point lacks a number, or lies behind the iteration.
    """
    for point in curve:
        if not isinstance(point, dict) or not point.keys() >= POINT:
            names = ", ".join(sorted(POINT))
            raise ValueError(f"a point of the curve must have {names}")
        if any(type(value) not in (int, float) for value in point.values()):
            raise ValueError("a point of the curve must be of numbers")
        if not 0 < point["iteration"] <= iteration:
            raise ValueError("the curve must not go on behind the iteration")
