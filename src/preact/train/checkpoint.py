"""Checkpoints that lose nothing: whole or not there, two deep, refused if odd.

A run's random numbers are functions of its seed and iteration, so weights,
momentum, curve and iteration are all there is to keep. A file begins with
its version and the SHA-256 of what follows.
"""

import errno
import hashlib
import io
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from preact.records.files import write_whole

NAME, PREVIOUS = "checkpoint.pt", "checkpoint-previous.pt"
WRITING = f".{NAME}.writing"
HEAD = b"preact checkpoint 2\n"
FIELDS = {
    "config_sha256": str,
    "iteration": int,
    "session": dict,
    "history": dict,
}
State = dict[str, Any]
log = logging.getLogger(__name__)


class NoSpaceError(OSError):
    """The disk is full: nothing more can be kept."""


class Checkpoints:
    """The two newest checkpoints of a run, in a folder.

    Parameters
    ----------
    folder : Path
    config_sha256 : str
        The run's identity.
    """

    def __init__(self, folder: Path, config_sha256: str) -> None:
        self.folder, self.config_sha256 = folder, config_sha256
        self.newest_is_bad = False

    def load(self, restore: Callable[[State], None]) -> None:
        """Restore from the newest checkpoint that can be; else do nothing.

        Parameters
        ----------
        restore : callable
            Takes over a state; what it raises makes the checkpoint bad.

        Raises
        ------
        ValueError
            If one is of another configuration, or none can be read.
        """
        reasons = []
        for name in (NAME, PREVIOUS):
            path = self.folder / name
            if not path.exists():
                continue
            try:
                state = read(path)
            except Exception as error:
                reasons.append(f"{path}: {_reason(error)}")
                continue
            self._refuse_foreign(path, state["config_sha256"])
            try:
                restore(state)
            except Exception as error:  # of another version of the code
                reasons.append(f"{path}: {_reason(error)}")
                continue
            if reasons:
                self.newest_is_bad = True
                log.warning(
                    "%s; going on from iteration %d of %s",
                    "; ".join(reasons),
                    state["iteration"],
                    path.name,
                )
            return
        if reasons:
            raise ValueError(
                f"no checkpoint can be read: {'; '.join(reasons)}; delete "
                "the folder to start anew"
            )

    def _refuse_foreign(self, path: Path, config_sha256: str) -> None:
        """Refuse a checkpoint of another run: nobody lost this one."""
        if config_sha256 != self.config_sha256:
            raise ValueError(
                f"{path} belongs to another configuration: its hash must be "
                f"{self.config_sha256[:12]}; got {config_sha256[:12]}; "
                "choose another folder or delete this one"
            )

    def save(self, state: State) -> None:
        """Write a checkpoint whole, and keep the one before it.

        The new file is complete on disk before it takes the name; a full
        disk or a kill at any point leaves the last good one in place.

        Raises
        ------
        NoSpaceError
            If the disk is full.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        fresh, current = self.folder / WRITING, self.folder / NAME
        content = to_bytes(state | {"config_sha256": self.config_sha256})
        try:
            write_whole(fresh, content)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise NoSpaceError(
                f"no space left in {self.folder} for the checkpoint of "
                f"iteration {state['iteration']}; make some, and the same "
                "command goes on from the one before"
            ) from error
        # What could not be read must not push out what could.
        if current.exists() and not self.newest_is_bad:
            current.replace(self.folder / PREVIOUS)
        fresh.replace(current)
        self.newest_is_bad = False


def to_bytes(state: State) -> bytes:
    """Return the content of a checkpoint's file."""
    payload = io.BytesIO()
    torch.save(state, payload)
    body = payload.getvalue()
    return HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def read(path: Path) -> State:
    """Read a checkpoint, every byte of it checked.

    Raises
    ------
    ValueError
        If the file is not a checkpoint of this version, or was changed.
    OSError
        If it cannot be read.
    """
    if not path.is_file():
        raise ValueError("must be an ordinary file")
    content = path.read_bytes()
    if not content:
        raise ValueError("is empty")
    if not content.startswith(HEAD):
        raise ValueError("is not a checkpoint of this version")
    digest, _, body = content[len(HEAD) :].partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        raise ValueError("is damaged: its SHA-256 is not the one it carries")
    try:
        state = torch.load(
            io.BytesIO(body), map_location="cpu", weights_only=True
        )
    except Exception as error:  # whatever was signed; nothing of it was run
        raise ValueError(
            "holds something else than tensors, numbers and text"
        ) from error
    if not isinstance(state, dict):
        raise ValueError("must hold a dictionary")
    for field, kind in FIELDS.items():
        if type(state.get(field)) is not kind:  # True is no number
            raise ValueError(f"must have {field!r}, a {kind.__name__}")
    return state


def _reason(error: Exception) -> str:
    """What an error says, in one short line of our own words."""
    match error:
        case OSError():
            return str(error.strerror or type(error).__name__)
        case KeyError():
            return f"lacks {str(error)[:60]}"
        case AttributeError() | IndexError() | TypeError():
            return "holds values of another kind"
        case RuntimeError():  # PyTorch's, from networks and optimizers
            return "holds tensors of other names or shapes"
    lines = str(error).splitlines() or [""]
    return lines[0][:120] or type(error).__name__


def clear(folder: Path) -> None:
    """Delete the checkpoints of a run that has its record.

    Other processes may be at it too, and other files may lie there: they
    stay, and so does the folder.
    """
    for name in (NAME, PREVIOUS, WRITING, "lock"):
        with suppress(OSError):
            (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
