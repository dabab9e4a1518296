"""One run, from its lock to its record.

Chapter `08-training`.
"""

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from glob import escape as glob_escape
from pathlib import Path

from filelock import FileLock, Timeout

from preact.experiment.described import (
    check_about,
    described,
    differences,
    measured,
    shared,
)
from preact.experiment.kept import (
    check_save,
    checkpoints,
    hand_over,
    weights_path,
)
from preact.experiment.matrix import PlannedRun
from preact.experiment.memory_used import peak_memory, reset_peak_memory
from preact.experiment.provenance import environment
from preact.records import (
    Deviation,
    Record,
    read_record,
    write_record,
)
from preact.train import OwnCode, Run, train
from preact.train.checkpoint import NAME, PREVIOUS, clear
from preact.train.device import check_device, check_memory
from preact.train.footprint import with_oom_advice
from preact.train.parallel import Workers, workers
from preact.typed import parse
from preact.weights import save_weights

log = logging.getLogger(__name__)
ATTEMPTS = 10  # to lock a folder that others delete


class Busy(RuntimeError):
    """Another process is at work on this run.

    Examples
    --------
    >>> from preact.experiment import Busy, execute
    >>> def made(planned, out):
    ...     try:
    ...         return execute(planned, out, device="cpu")
    ...     except Busy:
    ...         return None  # go on with another run
    >>> issubclass(Busy, RuntimeError)
    True
    """


def execute(
    planned: PlannedRun,
    out: Path | str,
    *,
    device: str,
    report: Callable[[dict[str, float]], None] | None = None,
    deviations: Sequence[Deviation] = (),
    save_every: int = 100,
    left_s: Callable[[], float] = lambda: math.inf,
    save: Path | str | bool = True,
) -> tuple[Record, bool]:
    """Return a run's record, training if there is none yet.

    Under `torchrun` every process calls this; the first one writes.

    Parameters
    ----------
    planned : PlannedRun
        The run, and where its record goes.
    out : Path or str
        Folder of records; checkpoints lie beside them until the run is over.
    device : str
        "cpu", "cuda" or "cuda:<number>".
    report : callable, optional
        Called with each point of the curve.
    deviations : sequence of Deviation
        Departures from the paper, with reasons.
    save_every : int
        Iterations between checkpoints; one is due every minute in any case.
    left_s : callable
        Seconds that are left to train.
    save : Path, str or bool
        Where the weights of the last iteration go: beside the record (True),
        nowhere (False), or into this file, which must be new or hold weights
        of this very configuration.

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
        If the record there is of another configuration, or none can be
        written: a number in it is not finite, or its name leads astray; if
        `save` cannot be written, or is something else's file; or if the
        record is there and the weights that are asked for are not.
    MemoryError
        If the run does not fit into memory.
    Stopped, TimeOver
        As `preact.train.train`: the same call goes on from there.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from tempfile import TemporaryDirectory
    >>> from preact.data import load
    >>> from preact.experiment import PlannedRun, execute
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
    if not isinstance(planned, PlannedRun):
        raise ValueError(
            'planned must be a run with a name, PlannedRun("mine", run); got '
            f"{type(planned).__name__}"
        )
    path = record_path(Path(out), planned)
    asked = None if isinstance(save, bool) else Path(save)
    kept = weights_path(path) if save is True else asked
    with workers(device) as crew:
        run = with_processes(planned.run, crew.count)
        if asked and crew.leads:
            check_save(asked, path, run)
        if path.exists():
            record = known_record(path, run)
            clear_leftovers(path)  # of a kill just before that
            if asked and crew.leads:
                hand_over(path, asked, run)
            return record, False
        # before anything is written: what is wrong leaves nothing behind
        about = {
            "experiment": planned.experiment,
            **described(run, deviations),
            **environment(device, crew.count),
        }
        check_about(about, str(path))
        check_memory(run, device)
        for one in shared(run) if crew.leads else ():
            log.warning("deviation: %s -> %s (%s)", one.from_, one.to, one.why)
        with _sole_work(path, crew) as work:
            if path.exists():  # another process was faster
                record = known_record(path, run)
                if asked and crew.leads:
                    hand_over(path, asked, run)
                return record, False
            reset_peak_memory(device)
            training = partial(
                train,
                run,
                work,
                device=device,
                report=report,
                workers=crew,
                save_every=save_every,
                left_s=left_s,
            )
            ended = with_oom_advice(training, run)
            values = about | measured(run, ended) | peak_memory(device)
            if not crew.leads:
                return parse(Record, values, str(path)), True
            if kept is not None:  # first: who has a record has them
                save_weights(
                    kept,
                    run.plan,
                    ended.weights,
                    run.config,
                    run.data.preprocessing(run.recipe.normalization),
                    run.unit.make if isinstance(run.unit, OwnCode) else None,
                )
            return write_record(path, values, ended.curve), True


def record_path(out: Path, planned: PlannedRun) -> Path:
    """Where the record of a run lies: in `out`, and able to be written.

    Raises
    ------
    ValueError
        If its name leads out of the folder, is no text, or is a link to
        nothing.
    """
    if planned.path.is_absolute() or ".." in planned.path.parts:
        raise ValueError(
            "a record must lie in its folder; got the name "
            f"{str(planned.path)!r}"
        )
    path = out / planned.path
    try:
        str(planned.path).encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"a record's name must be text; got {str(planned.path)!a}"
        ) from error
    if path.is_symlink() and not path.exists():
        raise ValueError(f"{path} is a link to nothing; delete it")
    return path


@contextmanager
def _sole_work(path: Path, crew: Workers) -> Iterator[Path]:
    """Folder of checkpoints, locked; gone when all went well."""
    work = checkpoints(path)
    lock = _lock(path, work) if crew.leads else None
    (busy,) = crew.largest([crew.leads and lock is None])
    if busy:
        raise Busy(f"{path} must wait: another process trains it")
    try:
        yield work
    finally:
        if lock:
            lock.release()
    if lock:  # no error: the record is there, and is the run's
        clear_leftovers(path)


def _lock(path: Path, work: Path) -> FileLock | None:
    """Lock the folder of checkpoints; None if another process has it."""
    lock = FileLock(work / "lock")
    for attempt in range(ATTEMPTS):
        work.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return None
        except FileNotFoundError:
            if attempt + 1 == ATTEMPTS:
                raise
            continue  # one that is done has just deleted the folder
        except OSError as error:
            raise OSError(
                f"{work / 'lock'} cannot be locked ({error.strerror}); "
                "choose an --out on a drive that has locks"
            ) from error
        return lock
    raise AssertionError(path)


def clear_leftovers(path: Path) -> None:
    """Delete checkpoints and drafts of a record that is there."""
    clear(checkpoints(path))
    others = (path.with_suffix(".csv"), weights_path(path))
    for name in (path.name, *(other.name for other in others)):
        for draft in path.parent.glob(f".{glob_escape(name)}.*"):
            with suppress(OSError):
                draft.unlink()


def find_checkpoint(path: Path) -> Path | None:
    """Return the newest checkpoint of a record's run, if there is one.

    Parameters
    ----------
    path : Path
        Of the record, which need not be there yet.

    Examples
    --------
    >>> from pathlib import Path
    >>> from preact.experiment import find_checkpoint
    >>> from preact.records.compare import PUBLISHED
    >>> folder = PUBLISHED / "digits_table_2/digits/resnet-110-2/original"
    >>> print(find_checkpoint(folder / "seed-1.json"))
    None
    """
    for name in (NAME, PREVIOUS):
        checkpoint = checkpoints(path) / name
        if checkpoint.exists():
            return checkpoint
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
    record = read_record(path)
    if record.config_sha256 != run.config_sha256:
        raise ValueError(
            f"{path} is the record of another configuration "
            f"({differences(record.config, run.config)}); choose another "
            "--out or delete it"
        )
    return record
