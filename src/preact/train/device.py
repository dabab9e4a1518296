"""Devices by name, and the fastest that is here."""

import re

import torch


def find_device() -> str:
    """Return the fastest device that is here.

    Examples
    --------
    >>> import torch
    >>> from preact.experiment import find_device
    >>> find_device() == ("cuda" if torch.cuda.is_available() else "cpu")
    True
    """
    return "cuda" if torch.cuda.is_available() else "cpu"


def check_device(name: str) -> torch.device:
    """Return the device of that name.

    Raises
    ------
    ValueError
        If it is not "cpu", "cuda" or "cuda:<number>", or is not here.
    """
    if name == "cpu":
        return torch.device("cpu")
    match = re.fullmatch(r"cuda(?::([0-9]{1,3}))?", name)
    if match is None:
        raise ValueError(f"device must be cpu or cuda; got {name[:40]!r}")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        raise ValueError(
            f"device must be cpu: no CUDA device is here; got {name!r}"
        )
    if match[1] is not None and int(match[1]) >= count:
        raise ValueError(
            f"device must be one of cuda:0 to cuda:{count - 1}; got {name!r}"
        )
    return torch.device(name)
