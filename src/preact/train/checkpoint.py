"""Checkpoints that lose nothing: whole or not there.

A run's random numbers are functions of its seed and iteration, so weights,
momentum, curve and iteration are all there is to keep. A file begins with
its version and the SHA-256 of what follows.
"""

import hashlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from preact.records.compare import differences
from preact.records.files import write_new
from preact.records.record import sha256_of
from preact.typed import plain

NAME = "checkpoint.pt"
HEAD = b"preact checkpoint 3\n"
State = dict[str, Any]


class Checkpoint:
    """The checkpoint of a run, in a folder."""

    def __init__(self, folder: Path, config: Mapping[str, Any]) -> None:
        self.path, self.config = folder / NAME, dict(config)

    def load(self) -> State | None:
        """Return the state that was saved; None if there is none.

        ValueError if it is of another configuration, or cannot be read.
        """
        if not self.path.exists():
            return None
        anew = f"delete {self.path.parent} to start anew"
        try:
            state = read(self.path)
        except Exception as error:
            raise ValueError(f"{self.path} {plain(error)}; {anew}") from error
        if state["config_sha256"] != sha256_of(self.config):
            why = differences(state["config"], self.config)
            raise ValueError(
                f"{self.path} is of another configuration ({why}): {anew}, or "
                "choose another --out"
            )
        return state

    def save(self, state: State) -> None:
        """Write a checkpoint whole, in place of the one before.

        A full disk or a kill at any point leaves the last good one in place.
        """
        about = {
            "config": self.config,
            "config_sha256": sha256_of(self.config),
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_new(self.path, to_bytes(state | about), replace=True)


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
