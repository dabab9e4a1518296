"""Checkpoints that lose nothing: whole or not there, and two deep.

A run's random numbers are functions of its seed and iteration, so weights,
momentum, curve and iteration are all there is to keep. A file begins with
its version and the SHA-256 of what follows.
"""

import hashlib
import io
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from preact.records.compare import differences
from preact.records.files import write_new
from preact.records.record import sha256_of
from preact.typed import plain

NAME, PREVIOUS = "checkpoint.pt", "checkpoint-previous.pt"
NEW = "checkpoint-new.pt"
HEAD = b"preact checkpoint 2\n"
State = dict[str, Any]
log = logging.getLogger(__name__)


class Checkpoints:
    """The two newest checkpoints of a run, in a folder."""

    def __init__(self, folder: Path, config: Mapping[str, Any]) -> None:
        self.folder, self.config = folder, dict(config)
        self.config_sha256 = sha256_of(config)

    def load(self) -> State | None:
        """Return the newest state that can be read; None if there is none.

        ValueError if it is of another configuration, or none can be read.
        """
        reasons: list[str] = []
        for path in (self.folder / NAME, self.folder / PREVIOUS):
            if not path.exists():
                continue
            try:
                state = read(path)
            except Exception as error:
                reasons.append(f"{path}: {plain(error)}")
                continue
            if state["config_sha256"] != self.config_sha256:
                theirs = state.get("config")  # early ones have its hash alone
                why = differences(theirs, self.config) if theirs else "by hash"
                raise ValueError(
                    f"{path} is of another configuration ({why}): delete "
                    f"{self.folder} to start anew, or choose another --out"
                )
            if reasons:
                log.warning(
                    "%s; going on from iteration %d of %s",
                    reasons[0],
                    state["iteration"],
                    path.name,
                )
                # or it would push out the good one when the next is saved
                (self.folder / NAME).unlink(missing_ok=True)
            return state
        if reasons:
            raise ValueError(
                f"no checkpoint can be read: {'; '.join(reasons)}; delete "
                "the folder to start anew"
            )
        return None

    def save(self, state: State) -> None:
        """Write a checkpoint whole, and keep the one before it.

        The new file is complete on disk before it takes the name; a full
        disk or a kill at any point leaves the last good one in place.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        new, current = self.folder / NEW, self.folder / NAME
        about = {"config": self.config, "config_sha256": self.config_sha256}
        content = to_bytes(state | about)
        write_new(new, content, replace=True)
        if current.exists():
            current.replace(self.folder / PREVIOUS)
        new.replace(current)


def to_bytes(state: State) -> bytes:
    """Return the content of a checkpoint's file."""
    payload = io.BytesIO()
    torch.save(state, payload)
    body = payload.getvalue()
    return HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def read(path: Path) -> State:
    """Read a checkpoint, every byte checked. Refuse one that was changed."""
    content = path.read_bytes()
    if not content.startswith(HEAD):
        raise ValueError("is not a checkpoint of this version")
    digest, _, body = content[len(HEAD) :].partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        raise ValueError("is damaged: its SHA-256 is not the one it carries")
    state: State = torch.load(
        io.BytesIO(body), map_location="cpu", weights_only=True
    )
    return state
