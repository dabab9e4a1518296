"""One run: from a plan and a recipe to an outcome that can be trusted.

Chapter `08-training`.
"""

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from preact.train import checkpoint
from preact.train.parallel import ALONE, Workers
from preact.train.profiles import Profile, profiled_iterations, watched
from preact.train.run import Run
from preact.train.session import Session

Point = dict[str, float]
Report = Callable[[Point], None]


@dataclass
class Outcome:
    """How a run ended."""

    outcome: str  # "finished" or "diverged"
    iterations: int
    test_error_pct: float
    train_loss: float
    curve: list[Point]
    profiles: list[Profile]
    wall_s: float
    images_per_s: float


def train(
    run: Run,
    folder: Path,
    *,
    device: str = "cpu",
    save_every: int = 100,
    report: Report | None = None,
    report_every: int = 20,
    evaluate_every: int | None = None,
    workers: Workers = ALONE,
) -> Outcome:
    """Train from the start, or from the checkpoint in `folder`.

    Resumed runs end bit for bit where uninterrupted ones end, on the same
    device and number of threads.

    Parameters
    ----------
    run : Run
    folder : Path
        Where checkpoints are kept until the run is over.
    device : str
        "cpu" or "cuda".
    save_every, report_every : int
        Iterations between checkpoints, and between points of the curve.
    report : callable, optional
        Called with each point of the curve: iteration, lr, loss (mean since
        the last point, nats), train_error_pct, and images_per_s.
    evaluate_every : int, optional
        Iterations between test errors in the curve; a tenth of the run if
        not given.
    workers : Workers
        This process among those that share the run.

    Returns
    -------
    Outcome
        With the error of the *last* iteration, never the best one. A loss
        that is not finite ends the run as "diverged".

    Raises
    ------
    ValueError
        If the folder's checkpoint is damaged or of another configuration.
    """
    last = run.recipe.iterations
    evaluate_every = evaluate_every or max(last // 10, 1)
    profiled = profiled_iterations(last)
    session, clock = Session(run, device, workers), Clock()
    curve: list[Point] = []
    profiles: list[Profile] = []
    iteration = 0
    state = checkpoint.load(folder, run.config_sha256)
    if state is not None:
        session.restore(state["session"])
        iteration, curve = state["iteration"], state["curve"]
        profiles, clock.before_s = state["profiles"], state["wall_s"]
    first = iteration

    def keep() -> None:
        workers.mean_of_statistics(session.network)
        sums = workers.total(session.sums)
        if workers.leads:
            checkpoint.save(
                folder,
                {
                    "config_sha256": run.config_sha256,
                    "iteration": iteration,
                    "session": session.state(),
                    "curve": curve,
                    "profiles": profiles,
                    "wall_s": clock.wall_s,
                },
            )
        elif workers.count > 1:
            sums.zero_()

    # Ctrl-C waits for the end of the step: a save in its middle would hold
    # weights of one iteration and the number of another.
    with deferred_interrupt() as interrupted:
        while iteration < last and not diverged(curve):
            profile = _step(session, iteration, iteration in profiled)
            profiles += profile
            iteration += 1
            ends = iteration == last
            if iteration % report_every == 0 or ends:
                point = _point(session, iteration)
                finite = math.isfinite(point["loss"])
                if ends or not finite or iteration % evaluate_every == 0:
                    with clock.stopped():
                        point["test_error_pct"] = session.evaluate()
                curve.append(point)
                if report and workers.leads:
                    done = (iteration - first) * run.recipe.batch
                    report(point | {"images_per_s": done / clock.busy_s})
            if workers.any(interrupted.is_set(), iteration) and not ends:
                keep()
                raise KeyboardInterrupt
            if iteration % save_every == 0 and not ends:
                keep()
    keep()
    return Outcome(
        outcome="diverged" if diverged(curve) else "finished",
        iterations=iteration,
        test_error_pct=curve[-1]["test_error_pct"],
        train_loss=curve[-1]["loss"],
        curve=curve,
        profiles=profiles,
        wall_s=clock.wall_s,
        images_per_s=(iteration - first) * run.recipe.batch / clock.busy_s,
    )


def diverged(curve: list[Point]) -> bool:
    """Whether the last loss on the curve is NaN or infinite."""
    return bool(curve) and not math.isfinite(curve[-1]["loss"])


def _step(session: Session, iteration: int, look: bool) -> list[Profile]:
    """Take a step; with `look`, return what was seen in it."""
    if not look:
        session.step(iteration)
        return []
    with watched(session.network, iteration) as profile:
        session.step(iteration, watched=True)
    return [profile]


def _point(session: Session, iteration: int) -> Point:
    """One point of the curve."""
    loss, error = session.since_last_time()
    return {
        "iteration": iteration,
        "lr": session.run.recipe.lr_at(iteration - 1),
        "loss": loss,
        "train_error_pct": error,
    }


class Clock:
    """Time of a run over all its parts, and of training in this one."""

    def __init__(self) -> None:
        self.start, self.before_s, self.away_s = time.perf_counter(), 0.0, 0.0

    @property
    def wall_s(self) -> float:
        return self.before_s + time.perf_counter() - self.start

    @property
    def busy_s(self) -> float:
        return time.perf_counter() - self.start - self.away_s

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Do not count what happens here as training."""
        start = time.perf_counter()
        yield
        self.away_s += time.perf_counter() - start


@contextmanager
def deferred_interrupt() -> Iterator[threading.Event]:
    """Note Ctrl-C instead of raising at once; give the event that tells."""
    noted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield noted  # signals reach the main thread only
        return
    before = signal.signal(signal.SIGINT, lambda *_: noted.set())
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)
