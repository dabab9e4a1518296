"""One run, from its lock to its record."""

import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import torch
from filelock import FileLock, Timeout

from preact.experiment.matrix import PlannedRun
from preact.experiment.provenance import (
    bn_deviations,
    described,
    environment,
    measured,
    peak_memory,
)
from preact.records import Deviation, Record, read_record
from preact.records.compare import differences
from preact.records.files import write_record
from preact.train import Run, train
from preact.train.device import check_device
from preact.train.own_code import OwnCode
from preact.train.parallel import Workers, workers
from preact.typed import parse
from preact.weights import save_weights

log = logging.getLogger(__name__)


class Busy(RuntimeError):
    """Another process is at work on this run."""


def execute(
    planned: PlannedRun,
    out: Path | str,
    *,
    device: str,
    report: Callable[[dict[str, float]], None] | None = None,
    deviations: Sequence[Deviation] = (),
    save: bool = True,
    save_every: int = 1000,
) -> tuple[Record, bool]:
    """Return a run's record, training if there is none yet.

    Under `torchrun` every process calls this; the first one writes.

    Parameters
    ----------
    planned, deviations : PlannedRun and sequence of Deviation
        The run, and its departures from the paper, with reasons.
    out : Path or str
        Folder of records; checkpoints lie beside them until the run is over.
    device, report, save_every : str, callable and int
        As `preact.train.train`.
    save : bool
        Whether the weights of the last iteration are kept beside the record.

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
        If the record there is of another configuration, or what is to be
        written would be none.
    MemoryError
        If the run does not fit into memory.
    Stopped
        As `preact.train.train`: the same call goes on from there.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from tempfile import TemporaryDirectory
    >>> from preact.data import load
    >>> from preact.experiment import execute
    >>> from preact.experiment.matrix import PlannedRun
    >>> from preact.train import Run, find_recipe
    >>> recipe = replace(find_recipe("digits"), iterations=2)
    >>> data = load("digits")
    >>> run = Run(row="original", depth=8, convs=2, recipe=recipe, data=data)
    >>> with TemporaryDirectory() as out:
    ...     _ = execute(PlannedRun("mine", run), out, device="cpu")
    ...     record, new = execute(PlannedRun("mine", run), out, device="cpu")
    >>> record.iterations, new  # the second time it is read
    (2, False)
    """
    check_device(device)
    path = Path(out) / planned.path
    with workers(device) as crew:
        run = planned.run
        shared = replace(run.execution, processes=crew.count)
        run = replace(run, execution=shared)
        if path.exists():
            record = known_record(path, run)
            # of a kill just after it was written
            shutil.rmtree(path.with_suffix(".checkpoints"), ignore_errors=True)
            return record, False
        about = {
            "experiment": planned.experiment,
            **described(run, deviations),
            **environment(device, crew.count),
        }
        with _sole_work(path, crew):
            if path.exists():  # another process was faster
                return known_record(path, run), False
            for one in bn_deviations(run) if crew.leads else ():
                log.warning(
                    "deviation: %s -> %s (%s)", one.from_, one.to, one.why
                )
            if device.startswith("cuda"):
                torch.cuda.reset_peak_memory_stats()
            with _advice_on_memory(run):
                ended = train(
                    run,
                    path.with_suffix(".checkpoints"),
                    device=device,
                    report=report,
                    workers=crew,
                    save_every=save_every,
                )
            values = about | measured(ended) | peak_memory(device)
            if not crew.leads:
                return parse(Record, values, str(path)), True
            if save:  # first: who has a record has them
                save_weights(
                    path.with_suffix(".safetensors"),
                    run.plan,
                    ended.weights,
                    run.config,
                    run.data.preprocessing(run.recipe.normalization),
                    run.unit.make if isinstance(run.unit, OwnCode) else None,
                )
            return write_record(path, values, ended.curve), True


@contextmanager
def _sole_work(path: Path, crew: Workers) -> Iterator[None]:
    """Lock a run. Raises Busy; checkpoints go when all went well."""
    lock, is_busy = FileLock(path.with_suffix(".lock")), False
    if crew.leads:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            is_busy = True
    if any(crew.largest([is_busy])):
        raise Busy(f"{path} must wait: another process trains it")
    try:
        yield
        if crew.leads:  # the record is there, and is the run's
            shutil.rmtree(path.with_suffix(".checkpoints"), ignore_errors=True)
    finally:
        if crew.leads:
            # who waits for this very file looks for the record next
            Path(lock.lock_file).unlink(missing_ok=True)
            lock.release()


@contextmanager
def _advice_on_memory(run: Run) -> Iterator[None]:
    """Answer "out of memory" with what to try."""
    try:
        yield
    except RuntimeError as error:
        said = str(error)
        if not (
            isinstance(error, torch.OutOfMemoryError)
            or "allocate memory" in said  # PyTorch's, on the CPU
            or "could not create a primitive" in said  # oneDNN's
        ):
            raise
        raise MemoryError(
            f"out of memory: a step of {run.recipe.batch} images does not "
            "fit; use a smaller batch, or --memory recompute, unit or segment"
        ) from error


def known_record(path: Path, run: Run) -> Record:
    """Read the record of a run. Refuse that of another configuration."""
    record = read_record(path)
    if record.config_sha256 != run.config_sha256:
        name = " or name of the row" * (run.unit is not None)
        raise ValueError(
            f"{path} is the record of another configuration "
            f"({differences(record.config, run.config)}); choose another "
            f"--out{name}, or delete it"
        )
    return record
