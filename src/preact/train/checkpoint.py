"""Checkpoints that lose nothing: whole or not there, two deep, refused if odd.

A run's random numbers are functions of its seed and iteration, so weights,
momentum, curve and iteration are all there is to keep.
"""

import os
import pickle
from pathlib import Path
from typing import Any

import torch

NAME, PREVIOUS = "checkpoint.pt", "checkpoint-previous.pt"
State = dict[str, Any]


def save(folder: Path, state: State) -> None:
    """Write a checkpoint whole, and keep the one before it.

    The new file is complete on disk before it takes the name; a full disk or
    a kill at any point leaves the last good checkpoint in place.
    """
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{NAME}.writing"
    try:
        with fresh.open("wb") as out:
            torch.save(state, out)
            out.flush()
            os.fsync(out.fileno())
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    current = folder / NAME
    if current.exists():
        current.replace(folder / PREVIOUS)
    fresh.replace(current)


def load(folder: Path, config_sha256: str) -> State | None:
    """Return the newest checkpoint that can be read; None if there is none.

    Raises
    ------
    ValueError
        If a checkpoint is of another configuration, or none can be read.
    """
    reasons = []
    for name in (NAME, PREVIOUS):
        path = folder / name
        if not path.exists():
            continue
        try:
            state: State = torch.load(
                path, map_location="cpu", weights_only=True
            )
            found = state["config_sha256"]
        except (
            OSError,
            RuntimeError,
            EOFError,
            KeyError,
            TypeError,
            ValueError,
            pickle.UnpicklingError,
        ) as error:
            reasons.append(f"{path}: {str(error).splitlines()[0][:120]}")
            continue
        if found != config_sha256:
            raise ValueError(
                f"{path} belongs to another configuration: its hash must be "
                f"{config_sha256[:12]}; got {found[:12]}; choose another "
                "folder or delete this one"
            )
        return state
    if reasons:
        raise ValueError(
            "no checkpoint can be read: " + "; ".join(reasons) + "; delete "
            "the folder to start anew"
        )
    return None


def clear(folder: Path) -> None:
    """Delete the checkpoints of a run that has its record."""
    for name in (NAME, PREVIOUS):
        (folder / name).unlink(missing_ok=True)
