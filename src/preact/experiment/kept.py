"""The weights of a run: where they may go, and from where they are copied.

Chapter `08-training`.
"""

from pathlib import Path
from tempfile import NamedTemporaryFile

from preact.records import sha256_of
from preact.records.files import write_new
from preact.train import Run
from preact.weights import load, read_config


def weights_path(path: Path) -> Path:
    """Return where the weights of a record's run lie, if they were kept."""
    return path.with_suffix(".safetensors")


def checkpoints(path: Path) -> Path:
    """Where the checkpoints of a record's run lie until it is over."""
    return path.with_suffix(".checkpoints")


def check_save(save: Path, path: Path, run: Run) -> None:
    """Refuse a place for weights before there are any to lose.

    Parameters
    ----------
    save : Path
        Where they shall go.
    path : Path
        Of the run's record.

    Raises
    ------
    ValueError
        If the run itself writes there, if something else is there, or if no
        file can be made there.
    """
    try:
        place = save.resolve()
        for taken in (path, path.with_suffix(".csv"), checkpoints(path)):
            taken = taken.resolve()
            if place.is_relative_to(taken) or taken.is_relative_to(place):
                raise ValueError(
                    "--save must name a file apart from the run's own, "
                    f"{taken}; got {save}"
                )
        if save.is_dir():
            raise ValueError(f"--save must name a file; got {save}")
        if save.exists() and not _is_of(save, run):
            raise ValueError(
                "--save must name a new file, or one with the weights of this "
                f"very configuration; got {save}, which is something else"
            )
        save.parent.mkdir(parents=True, exist_ok=True)
        NamedTemporaryFile(dir=save.parent, prefix=f".{save.name}.").close()
    except OSError as error:
        raise ValueError(
            "--save must name a file that can be written; got "
            f"{save} ({error.strerror})"
        ) from error


def hand_over(path: Path, save: Path, run: Run) -> None:
    """Copy the weights of a recorded run, unless they are there already.

    Raises
    ------
    ValueError
        If they were not kept, or are damaged, or are those of another run.
    """
    if _is_of(save, run) and not _damage(save):
        return
    kept = weights_path(path)
    if not kept.is_file():
        fault = f"{path} is there, but its weights were not kept"
    elif damage := _damage(kept):
        fault = damage
    elif not _is_of(kept, run):
        fault = f"{kept} holds the weights of another configuration"
    else:
        write_new(save, kept.read_bytes(), replace=True)
        return
    raise ValueError(f"{fault}; delete {path} to train again")


def _is_of(file: Path, run: Run) -> bool:
    """Whether a file says that it holds the weights of a run."""
    try:
        config = read_config(file)
    except (ValueError, OSError):
        return False
    return config is not None and sha256_of(config) == run.config_sha256


def _damage(file: Path) -> str:
    """What is wrong with a file of weights; nothing if it can be read."""
    try:
        load(file)
    except (ValueError, OSError) as error:
        return str(error)
    return ""
