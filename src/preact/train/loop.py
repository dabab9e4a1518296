"""One run: from a plan and a recipe to an outcome that can be trusted."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from preact.train.checkpoint import Checkpoint
from preact.train.history import History, Point
from preact.train.parallel import ALONE, Workers
from preact.train.profiles import ProfileValues, profiled_iterations
from preact.train.run import Run
from preact.train.session import Session
from preact.train.stop import Stopped, noted_signals

Report = Callable[[Point], None]
SAVE_EVERY_S = 60.0  # at least


@dataclass
class Outcome:
    """How a run ended; `weights` are those of its last iteration.

    Fields of these names mean what they mean in `preact.records.Record`:
    outcome, iterations, test_error_pct, train_loss, wall_s and
    images_per_s.

    Parameters
    ----------
    curve : list of dict
        By point: iteration, lr, loss (mean since the point before, in nats),
        train_error_pct and, in some, test_error_pct.
    profiles : list of dict
        By step that was watched: iteration, signal_rms, gradient_norm and
        open_share, each of these three a list of L + 1 numbers or None.
    weights : mapping of str to Tensor
        Parameters and running statistics after the last iteration, by name.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from tempfile import TemporaryDirectory
    >>> from preact.data import load
    >>> from preact.train import Run, find_recipe, train
    >>> recipe = replace(find_recipe("digits"), iterations=2)
    >>> data = load("digits")
    >>> run = Run(row="original", depth=8, convs=2, recipe=recipe, data=data)
    >>> with TemporaryDirectory() as folder:
    ...     outcome = train(run, folder)
    >>> [profile["iteration"] for profile in outcome.profiles]
    [0, 1]
    """

    outcome: str
    iterations: int
    test_error_pct: float
    train_loss: float
    curve: list[Point]
    profiles: list[ProfileValues]
    wall_s: float
    images_per_s: float | None
    weights: Mapping[str, Tensor]


def train(
    run: Run,
    folder: Path | str,
    *,
    device: str = "cpu",
    save_every: int = 1000,
    report: Report | None = None,
    report_every: int = 20,
    workers: Workers = ALONE,
) -> Outcome:
    """Train a run from the start, or from the checkpoint in `folder`.

    Resumed runs end bit for bit where uninterrupted ones end, on the same
    device and number of threads.

    Parameters
    ----------
    device : str
        "cpu", "cuda" or "cuda:<number>".
    save_every, report_every : int
        Iterations between checkpoints, of which one is due every minute in
        any case, and between points of the curve.
    report : callable, optional
        Called with each point of the curve: iteration, lr, loss (mean since
        the last point, nats), train_error_pct, images_per_s, and, in the
        first one behind each tenth of the run, test_error_pct.
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
        If the device is not here, or the checkpoint in the folder cannot be
        read or is of another configuration.
    Stopped
        After SIGINT or SIGTERM: a `KeyboardInterrupt`. This very
        iteration's checkpoint has been saved.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from tempfile import TemporaryDirectory
    >>> from preact.data import load
    >>> from preact.train import Run, find_recipe, train
    >>> recipe = replace(find_recipe("digits"), iterations=2)
    >>> data = load("digits")
    >>> run = Run(row="original", depth=8, convs=2, recipe=recipe, data=data)
    >>> with TemporaryDirectory() as folder:
    ...     first = train(run, folder)
    ...     again = train(run, folder)  # from the checkpoint: nothing to do
    >>> first.curve == again.curve
    True
    """
    last = run.recipe.iterations
    profiled = profiled_iterations(last)
    evaluate_every = max(last // 10, 1)
    session, history = Session(run, device, workers), History()
    checkpoint = Checkpoint(Path(folder), run.config)
    if state := checkpoint.load():
        history.restore(state["iteration"], state["history"])
        session.restore(state["session"])
    saved_s = time.monotonic()
    with noted_signals() as signals:
        while history.iteration < last and not history.diverged:
            if history.iteration in profiled:
                profile = session.watched_step(history.iteration)
                history.profiles.append(profile)
            else:
                session.step(history.iteration)
            history.count_step(run.recipe.batch)
            here = history.iteration
            if here % report_every == 0 or here == last:
                test = here % evaluate_every < report_every or here == last
                record_point(session, history, test=test)
                if report and workers.leads:
                    speed = {"images_per_s": history.images_per_s or 0.0}
                    report(history.curve[-1] | speed)
            if here < last:
                late = time.monotonic() - saved_s >= SAVE_EVERY_S
                stop, due = workers.largest(
                    [max(signals, default=0), late or here % save_every == 0]
                )
                if stop or due:
                    save(session, history, checkpoint)
                    saved_s = time.monotonic()
                if stop:
                    raise Stopped(stop)
        save(session, history, checkpoint)
    return outcome(session, history)


def record_point(session: Session, history: History, *, test: bool) -> None:
    """Add a point to the curve, with the test error if that is due."""
    loss, error = session.since_last_time()
    point = {
        "iteration": history.iteration,
        "lr": session.run.recipe.lr_at(history.iteration - 1),
        "loss": loss,
        "train_error_pct": error,
    }
    if test or not math.isfinite(loss):
        point["test_error_pct"] = session.evaluate()
    history.count_pause()
    history.curve.append(point)


def save(session: Session, history: History, checkpoint: Checkpoint) -> None:
    """Save a checkpoint of what all processes know, by the one that leads."""
    state = {
        "iteration": history.iteration,
        "session": session.state(),
        "history": history.state(),
    }
    if session.workers.leads:
        checkpoint.save(state)
    history.count_pause()


def outcome(session: Session, history: History) -> Outcome:
    """Return the outcome of a finished run."""
    point = history.curve[-1]
    return Outcome(
        outcome="diverged" if history.diverged else "finished",
        iterations=history.iteration,
        test_error_pct=point["test_error_pct"],
        train_loss=point["loss"],
        curve=history.curve,
        profiles=history.profiles,
        wall_s=history.wall_s,
        images_per_s=history.images_per_s,
        weights=session.network.state_dict(),
    )
