"""One run, from its lock to its record.

Chapter `08-training`.
"""

import os
import platform
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock, Timeout

from preact.experiment.matrix import PlannedRun
from preact.experiment.memory_used import peak_memory, reset_peak_memory
from preact.records import Deviation, Record, read_record, write_record
from preact.train import Outcome, Run, train
from preact.train.checkpoint import NAME, PREVIOUS, clear
from preact.train.footprint import or_advice
from preact.train.parallel import Workers, workers
from preact.typed import parse

Values = dict[str, Any]
HERE = Path(__file__).parent.parent


class Busy(Exception):
    """Another process is at work on this run."""


def execute(
    planned: PlannedRun,
    out: Path,
    *,
    device: str,
    report: Callable[[dict[str, float]], None] | None = None,
    deviations: Sequence[Deviation] = (),
    save_every: int = 100,
) -> tuple[Record, bool]:
    """Return a run's record, training if there is none yet.

    Under `torchrun` every process calls this; the first one writes.

    Parameters
    ----------
    planned : PlannedRun
    out : Path
        Folder of records; checkpoints lie beside them until the run is over.
    device : str
        "cpu" or "cuda".
    report : callable, optional
        Called with each point of the curve.

    Returns
    -------
    record : Record
    new : bool
        False if it had been recorded before.

    Raises
    ------
    Busy
        If another process is at work on it.
    ValueError
        If the record there is of another configuration.
    """
    path = out / planned.path
    with workers(device) as crew:
        run = with_processes(planned.run, crew.count)
        if path.exists():
            return known_record(path, run), False
        with _sole_work(path, crew) as work:
            if path.exists():  # another process was faster
                return known_record(path, run), False
            started = datetime.now(UTC).isoformat(timespec="seconds")
            reset_peak_memory(device)
            training = partial(
                train,
                run,
                work,
                device=device,
                report=report,
                workers=crew,
                save_every=save_every,
            )
            ended = or_advice(training, run, device)
            record = {
                "experiment": planned.experiment,
                **described(run),
                **measured(run, ended),
                **peak_memory(device),
                "deviations": [
                    {"from": d.from_, "to": d.to, "why": d.why}
                    for d in deviations
                ],
                "started_utc": started,
                **environment(device, crew),
            }
            if not crew.leads:
                return parse(Record, record, str(path)), True
            return write_record(path, record, ended.curve), True


@contextmanager
def _sole_work(path: Path, crew: Workers) -> Iterator[Path]:
    """Folder of checkpoints, locked; gone when the record is there."""
    work = checkpoints(path)
    work.mkdir(parents=True, exist_ok=True)
    if not crew.leads:
        yield work
        return
    lock = FileLock(work / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise Busy(f"{path}: another process trains it") from error
    try:
        yield work
    finally:
        lock.release()
        if path.exists():
            clear(work)
            (work / "lock").unlink(missing_ok=True)
            work.rmdir()


def checkpoints(path: Path) -> Path:
    """Where the checkpoints of a record's run lie until it is over."""
    return path.with_suffix(".checkpoints")


def find_checkpoint(path: Path) -> Path | None:
    """Return the newest checkpoint of a record's run, if there is one."""
    for name in (NAME, PREVIOUS):
        found = checkpoints(path) / name
        if found.exists():
            return found
    return None


def with_processes(run: Run, count: int) -> Run:
    """Return the run as `count` processes share it."""
    return replace(run, execution=replace(run.execution, processes=count))


def known_record(path: Path, run: Run) -> Record:
    """Read the record of a run, and make sure that it is of this one.

    Raises
    ------
    ValueError
        If it is of another configuration.
    """
    known = read_record(path)
    if known.config_sha256 != run.config_sha256:
        raise ValueError(
            f"{path} is the record of another configuration; choose another "
            "--out or delete it"
        )
    return known


def described(run: Run) -> Values:
    """What was run: the fields that tables join on, and the whole of it."""
    config = run.config
    return {
        **{k: v for k, v in config.items() if k != "execution"},
        "protocol": run.recipe.name,
        "config": config,
        "config_sha256": run.config_sha256,
        "parameters": run.plan.parameters,
        "bn_batch": min(
            run.recipe.ghost_batch,
            run.recipe.batch // run.execution.processes,
        ),
    }


def measured(run: Run, ended: Outcome) -> Values:
    """What came out."""
    return {
        "outcome": ended.outcome,
        "iterations": ended.iterations,
        "test_error_pct": ended.test_error_pct,
        "test_error_is": "last iteration",
        "train_loss": ended.train_loss
        if ended.outcome == "finished"
        else None,
        "wall_s": round(ended.wall_s, 2),
        "images_per_s": round(ended.images_per_s, 1),
        "profiles": ended.profiles,
    }


def environment(device: str, crew: Workers) -> Values:
    """Where and with what it was run."""
    on_gpu = device.startswith("cuda")
    return {
        "device": torch.cuda.get_device_name() if on_gpu else "CPU",
        "devices": crew.count,
        "threads": torch.get_num_threads(),
        "processors": os.cpu_count(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda if on_gpu else None,
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "python": platform.python_version(),
        "preact": _version(),
        "git": git(),
    }


def _version() -> str:
    """Version of this package, if it is installed and not just found."""
    try:
        return version("preact")
    except PackageNotFoundError:
        return "not installed"


def git() -> Values:
    """Commit of the code that ran, and whether it was changed since.

    Where the code has come without its history, in a container say, whoever
    brought it names its commit in PREACT_COMMIT.
    """

    def ask(*words: str) -> str:
        return subprocess.run(
            ["git", *words],
            cwd=HERE,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    try:
        changed = ask("status", "--porcelain", "--", ".", ":!results")
        return {"commit": ask("rev-parse", "HEAD"), "dirty": bool(changed)}
    except (OSError, subprocess.CalledProcessError):  # not checked out
        named = os.environ.get("PREACT_COMMIT")
        return {"commit": named, "dirty": named is None}


def find_device() -> str:
    """Return the fastest device that is here."""
    return "cuda" if torch.cuda.is_available() else "cpu"
