"""What a run has been through: its curve, its profiles, its time."""

import math
import time
from typing import Any

from preact.train.profiles import Profile
from preact.train.stop import Requests

Point = dict[str, float]


class History:
    """Iterations done, the curve and the time, over all parts of a run.

    Time is that of a monotonic clock, which stands still while the machine
    sleeps. A step in which the process itself was stopped (SIGSTOP, Ctrl-Z)
    counts as `suspended_s`, and as nothing else.
    """

    def __init__(self) -> None:
        self.iteration = 0
        self.curve: list[Point] = []
        self.profiles: list[Profile] = []
        self.images = 0
        self.busy_s = self.away_s = self.suspended_s = 0.0
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

    def lap(self, images: int, requests: Requests) -> None:
        """Count one step."""
        self.iteration += 1
        passed_s = self._passed_s()
        if requests.was_suspended:
            requests.was_suspended = False
            self.suspended_s += passed_s
        else:
            self.images += images
            self.busy_s += passed_s

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
            "images": self.images,
            "busy_s": self.busy_s,
            "away_s": self.away_s,
            "suspended_s": self.suspended_s,
        }

    def restore(self, iteration: int, state: dict[str, Any]) -> None:
        """Take over what a checkpoint has kept.

        Raises
        ------
        ValueError
            If the curve is none, or goes on behind the iteration.
        """
        for name, before in self.state().items():
            if not isinstance(state.get(name), type(before)):
                raise ValueError(f"history must have {name!r}")
        for point in state["curve"]:
            if not isinstance(point, dict) or not {"iteration", "loss"} <= set(
                point
            ):
                raise ValueError("a point of the curve must have a loss")
            if not 0 < point["iteration"] <= iteration:
                raise ValueError("the curve goes on behind the iteration")
        self.__dict__.update({name: state[name] for name in self.state()})
        self.iteration, self.last_s = iteration, time.monotonic()
