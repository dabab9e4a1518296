"""Many runs: in which order, how long, and what becomes of each."""

import errno
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from preact.experiment.config import Experiment
from preact.experiment.execute import Busy, known_record
from preact.experiment.matrix import PlannedRun, cost
from preact.train.stop import TimeOver

ELSEWHERE, FAILED = "trained by another process", "failed"
A_YEAR = 527_040  # in minutes
Make = Callable[["Job"], str]  # makes a run; says what became of it


@dataclass(frozen=True)
class Job:
    """A run that an experiment asks for, and the seconds it takes here."""

    experiment: Experiment
    planned: PlannedRun
    cost_s: float


def time_limit(minutes: float | None) -> Callable[[], float]:
    """Return a clock of the seconds left.

    ValueError if minutes are not above 0, or more than a year.
    """
    if minutes is None:
        return lambda: math.inf
    if not 0 < minutes <= A_YEAR:
        raise ValueError(
            "minutes must be a finite number above 0, at most "
            f"{A_YEAR:,}; got {minutes}"
        )
    end = time.monotonic() + 60 * minutes
    return lambda: end - time.monotonic()


def is_recorded(planned: PlannedRun, out: Path) -> bool:
    """Whether a run has its record, read and found to be of this run."""
    path = out / planned.path
    if path.exists():
        known_record(path, planned.run)
    return path.exists()


def by_network(plan: Iterable[PlannedRun]) -> dict[str, list[PlannedRun]]:
    """Runs of each network."""
    groups: dict[str, list[PlannedRun]] = {}
    for planned in plan:
        groups.setdefault(planned.network, []).append(planned)
    return groups


def costs(missing: Iterable[PlannedRun], device: str) -> dict[str, float]:
    """Seconds of one run of each network that has runs to go."""
    return {
        network: cost(group[0].run, device)
        for network, group in by_network(missing).items()
    }


def work_through(
    jobs: Iterable[Job],
    make: Make,
    *,
    left_s: Callable[[], float],
    complain: Callable[[Exception], None],
    ended: Counter[str],
) -> None:
    """Make every run that can be made in the time that is left.

    Stopped anywhere, every experiment has its cheap rows and its first
    seeds, and `ended` has counted what became of the runs. Those that do not
    fit are begun last. One that cannot be made is complained of and does not
    keep the others, but that a full disk ends all; one that another process
    was at is looked at again.
    """
    ordered = sorted(jobs, key=lambda job: (job.planned.run.seed, job.cost_s))
    later, elsewhere = [], []

    def attempt(job: Job, *, again: bool = False) -> None:
        try:
            word = make(job)
        except Busy:
            if again:
                ended[ELSEWHERE] += 1
            else:
                elsewhere.append(job)
            return
        except TimeOver:
            raise
        except Exception as error:  # own code may raise anything
            if getattr(error, "errno", None) == errno.ENOSPC:
                raise
            complain(error)
            word = FAILED
        ended[word] += 1

    try:
        for job in ordered:
            if job.cost_s <= left_s():
                attempt(job)
            else:
                later.append(job)
        for job in later:
            if left_s() > 0:
                attempt(job)
            else:
                ended["not begun"] += 1
        for job in list(elsewhere):
            attempt(job, again=True)
    except TimeOver:
        ended["stopped by the limit"] += 1
