"""One run: from a plan and a recipe to an outcome that can be trusted.

Chapter `08-training`.
"""

import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from preact.train.checkpoint import Checkpoints, State
from preact.train.history import History, Point
from preact.train.parallel import ALONE, Workers
from preact.train.profiles import Profile, profiled_iterations, watched
from preact.train.run import Run
from preact.train.session import Session
from preact.train.stop import Stopped, TimeOver, noted_requests

Report = Callable[[Point], None]
log = logging.getLogger(__name__)


@dataclass
class Outcome:
    """How a run ended; `weights` are those of its last iteration.

    Parameters
    ----------
    outcome : {"finished", "diverged"}
        "diverged" if the loss at the last point of the curve is not finite.
    iterations : int
        Steps that were taken.
    test_error_pct : float
        Error of the last iteration on the test images, in percent.
    train_loss : float
        Mean cross-entropy in nats between the last two points of the curve.
    curve : list of dict
        By point: iteration, lr, loss (mean since the point before, in nats),
        train_error_pct and, in some, test_error_pct.
    profiles : list of dict
        By step that was watched: iteration, signal_rms, gradient_norm and
        open_share, each of these three a list of L + 1 numbers or None.
    kernels : list of str
        What computed the units, part by part.
    wall_s : float
        Seconds of steps, tests and checkpoints, over all parts of the run.
    images_per_s : float or None
        Training images in a second of steps, tests and checkpoints apart; None
        before there was any.
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
    >>> outcome.outcome, outcome.curve[-1]["test_error_pct"] > 50
    ('finished', True)
    >>> [profile["iteration"] for profile in outcome.profiles]
    [0, 1]
    """

    outcome: str  # "finished" or "diverged"
    iterations: int
    test_error_pct: float
    train_loss: float
    curve: list[Point]
    profiles: list[Profile]
    kernels: list[str]  # what computed the units, part by part
    wall_s: float
    images_per_s: float | None
    weights: Mapping[str, Tensor]


@dataclass
class Rhythm:
    """When to look up from training."""

    report_every: int  # iterations between points of the curve
    evaluate_every: int  # between test errors in it
    save_every: int  # between checkpoints
    save_every_s: float  # seconds between them, whichever comes first
    saved_s: float = 0.0  # when the last one was saved

    def reports(self, iteration: int, last: int) -> bool:
        return iteration % self.report_every == 0 or iteration == last

    def saves(self, iteration: int) -> bool:
        late = time.monotonic() - self.saved_s >= self.save_every_s
        return iteration % self.save_every == 0 or late


def train(
    run: Run,
    folder: Path | str,
    *,
    device: str = "cpu",
    save_every: int = 100,
    save_every_s: float = 60.0,
    report: Report | None = None,
    report_every: int = 20,
    evaluate_every: int | None = None,
    workers: Workers = ALONE,
    left_s: Callable[[], float] = lambda: math.inf,
) -> Outcome:
    """Train from the start, or from the checkpoint in `folder`.

    Resumed runs end bit for bit where uninterrupted ones end, on the same
    device and number of threads.

    Parameters
    ----------
    run : Run
        What is trained.
    folder : Path or str
        Where checkpoints are kept until the run is over.
    device : str
        "cpu", "cuda" or "cuda:<number>".
    save_every, report_every : int
        Iterations between checkpoints, and between points of the curve.
    save_every_s : float
        Seconds after which a checkpoint is due in any case.
    report : callable, optional
        Called with each point of the curve: iteration, lr, loss (mean since
        the last point, nats), train_error_pct, and images_per_s. When it
        fails for want of somewhere to write, it is not called again.
    evaluate_every : int, optional
        Iterations between test errors in the curve; a tenth of the run if
        not given.
    workers : Workers
        This process among those that share the run.
    left_s : callable
        Seconds that are left to train.

    Returns
    -------
    Outcome
        With the error of the *last* iteration, never the best one. A loss
        that is not finite ends the run as "diverged".

    Raises
    ------
    ValueError
        If the device is not here, or the folder has checkpoints and none
        can be read, or one is of another configuration.
    Stopped
        After SIGINT or SIGTERM: a `KeyboardInterrupt`. This very
        iteration's checkpoint has been saved; so for `TimeOver`.
    TimeOver
        If no time is left.

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
    rhythm = Rhythm(
        report_every,
        evaluate_every or max(last // 10, 1),
        save_every,
        save_every_s,
    )
    session, history = Session(run, device, workers), History()
    checkpoints = Checkpoints(Path(folder), run.config_sha256)
    checkpoints.load(lambda state: resume(session, history, state))
    rhythm.saved_s = time.monotonic()
    with noted_requests() as requests:
        while history.iteration < last and not history.diverged:
            step(session, history, watch=history.iteration in profiled)
            history.lap(run.recipe.batch)
            if rhythm.reports(history.iteration, last):
                look_up(session, history, rhythm)
                report = tell(report, session, history)
            if history.iteration < last:
                asked, over, due = workers.largest(
                    [
                        requests.number,
                        left_s() <= 0,
                        rhythm.saves(history.iteration),
                    ]
                )
                if asked or over or due:
                    save(session, history, checkpoints)
                    rhythm.saved_s = time.monotonic()
                if asked:
                    raise Stopped(asked)
                if over:
                    raise TimeOver
        save(session, history, checkpoints)
    return outcome(session, history)


def resume(session: Session, history: History, state: State) -> None:
    """Go back to where a checkpoint was saved.

    Raises
    ------
    ValueError
        If the run has no such iteration.
    """
    if not 0 <= state["iteration"] <= session.run.recipe.iterations:
        raise ValueError(f"has no iteration {state['iteration']}")
    history.restore(state["iteration"], state["history"])
    if history.diverged or history.iteration == session.run.recipe.iterations:
        point = history.curve[-1] if history.curve else {}
        if point.get("iteration") != history.iteration or (
            "test_error_pct" not in point
        ):
            raise ValueError("has no error of its last iteration")
    session.restore(state["session"])


def step(session: Session, history: History, *, watch: bool) -> None:
    """Take a step; with `watch`, keep what was seen in it."""
    history.note_kernels(session.kernels)
    if not watch:
        session.step(history.iteration)
        return
    scale = session.training.scaler.get_scale()  # the step may change it
    with watched(session.network, history.iteration, scale) as profile:
        session.step(history.iteration)
    history.profiles.append(profile)


def look_up(session: Session, history: History, rhythm: Rhythm) -> None:
    """Add a point to the curve; where it is due, with the test error."""
    iteration, recipe = history.iteration, session.run.recipe
    loss, error = session.since_last_time()
    point = {
        "iteration": iteration,
        "lr": recipe.lr_at(iteration - 1),
        "loss": loss,
        "train_error_pct": error,
    }
    if (
        iteration % rhythm.evaluate_every == 0
        or iteration == recipe.iterations
        or not math.isfinite(loss)
    ):
        point["test_error_pct"] = session.evaluate()
    history.pause()
    history.curve.append(point)


def tell(
    report: Report | None, session: Session, history: History
) -> Report | None:
    """Report the newest point; return what to report the next one with."""
    if report is None or not session.workers.leads:
        return report
    speed = {"images_per_s": history.images_per_s or 0.0}
    try:
        report(history.curve[-1] | speed)
    except OSError as error:
        log.warning(
            "progress cannot be shown any more (%s); training goes on",
            error.strerror or type(error).__name__,
        )
        return None
    return report


def save(session: Session, history: History, checkpoints: Checkpoints) -> None:
    """Save a checkpoint, by the process that leads."""
    session.gather()
    if session.workers.leads:
        checkpoints.save(
            {
                "iteration": history.iteration,
                "session": session.state(),
                "history": history.state(),
            }
        )
    history.pause()


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
        kernels=history.kernels,
        wall_s=history.wall_s,
        images_per_s=history.images_per_s,
        weights=session.network.state_dict(),
    )
