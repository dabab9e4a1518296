"""Devices by name: the fastest that is here, and what it could hold."""

import os
import re
from contextlib import suppress

import torch

from preact.train.run import Run


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


def check_memory(run: Run, device: str) -> None:
    """Refuse a run of which not even weights and one signal fit.

    Before anything is made of it: a machine short of memory ends other
    processes. What a step truly needs is measured when it does not fit.

    Raises
    ------
    MemoryError
        If it could not be trained here; gives both numbers.
    """
    images = run.recipe.batch // run.execution.processes
    _, height, width = run.plan.image
    # Each weight is there itself, as gradient and as momentum, of 4 bytes.
    stem = images * run.plan.stream_shapes[0][0] * height * width
    needed = 12 * run.plan.parameters + 4 * stem
    total = memory_bytes(device)
    if total is not None and needed > total:
        raise MemoryError(
            f"out of memory: the network and {images:,} images must fit into "
            f"{total / 1e9:,.1f} GB; they need more than "
            f"{needed / 1e9:,.1f} GB: use a smaller network or batch"
        )


def memory_bytes(device: str) -> int | None:
    """Bytes of memory in all, or that a process may have; None: unknown."""
    if device.startswith("cuda"):
        return int(torch.cuda.get_device_properties(device).total_memory)
    sizes = []
    with suppress(OSError, ValueError, AttributeError):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(ImportError):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        sizes += [limit] if limit != resource.RLIM_INFINITY else []
    return min(sizes, default=None)
