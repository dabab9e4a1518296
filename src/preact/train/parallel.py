"""Many processes, one run: `torchrun` starts them, PyTorch's DDP joins them.

Each process takes its share of every batch, so nothing is seen twice and
nothing left out; its batch normalization takes statistics over that share, as
each GPU of the paper did.

Chapter `08-training`.
"""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from inspect import signature
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.rendezvous import rendezvous
from torch.nn.parallel import DistributedDataParallel

from preact.train.stop import finish_in_any_case


@dataclass(frozen=True)
class Workers:
    """The place of a process among all that share a run."""

    rank: int = 0
    count: int = 1

    @property
    def leads(self) -> bool:
        """Whether this is the process that saves and reports."""
        return self.rank == 0

    def share(self, batch: int) -> slice:
        """Which images of a batch are this process's.

        Raises
        ------
        ValueError
            If the batch cannot be shared evenly.
        """
        if batch % self.count:
            raise ValueError(
                "batch must be a multiple of the number of processes, "
                f"{self.count}; got {batch}"
            )
        size = batch // self.count
        return slice(self.rank * size, (self.rank + 1) * size)

    def total(self, value: Tensor) -> Tensor:
        """Sum over all processes."""
        if self.count > 1:
            dist.all_reduce(value)
        return value

    def largest(self, here: list[int]) -> list[int]:
        """Largest of each number over all processes, which wait for it."""
        if self.count == 1:
            return here
        numbers = torch.tensor(here)  # on the CPU: the GPU is not awaited
        dist.all_reduce(numbers, op=dist.ReduceOp.MAX)
        return [int(number) for number in numbers]

    def mean_of_statistics(self, network: nn.Module) -> None:
        """Give every process the mean of all running statistics."""
        if self.count > 1:
            for value in network.buffers():
                dist.all_reduce(value)
                value /= self.count

    def joined(self, network: nn.Module) -> nn.Module:
        """Average this network's gradients over all processes."""
        if self.count == 1:
            return network
        accepted = signature(DistributedDataParallel).parameters
        newer, older = "forward_sync_buffers", "broadcast_buffers"
        option: Any = {newer if newer in accepted else older: False}
        return DistributedDataParallel(network, **option)


ALONE = Workers()
MEET_S = 120  # that processes may take to find each other


@contextmanager
def workers(device: str) -> Iterator[Workers]:
    """Join the processes that `torchrun` started; alone without it.

    Raises
    ------
    ValueError
        If what torchrun sets is set in part, or is no number.
    RuntimeError
        If the others are not met, or one is lost; the message says what
        to do.
    """
    if os.environ.get("WORLD_SIZE", "1") == "1":
        yield ALONE
        return
    rank, count = _place()
    on_gpu = device.startswith("cuda")
    if on_gpu:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", rank)))
    # Small numbers are shared by way of the CPU, gradients by way of theirs.
    _meet(rank, count, "cpu:gloo,cuda:nccl" if on_gpu else "gloo")
    crew = Workers(rank, count)
    try:
        yield crew
    except RuntimeError as error:  # DistError is one
        if not (
            isinstance(error, dist.DistError) or "gloo" in str(error).lower()
        ):
            raise
        finish_in_any_case()
        raise RuntimeError(_lost(crew, error)) from error
    finally:
        dist.destroy_process_group()


def _place() -> tuple[int, int]:
    """Rank and number of processes, as torchrun names them."""
    numbers = ("RANK", "WORLD_SIZE", "MASTER_PORT")
    words = {k: os.environ.get(k, "")[:20] for k in numbers}
    for name in ("MASTER_ADDR", "MASTER_PORT"):
        if not os.environ.get(name):
            raise ValueError(
                f"WORLD_SIZE is {words['WORLD_SIZE']!r}, but {name} is "
                "not set: start with torchrun, or unset WORLD_SIZE"
            )
    for name, word in words.items():
        if not (word.isascii() and word.isdigit()):
            raise ValueError(f"{name} must be a whole number; got {word!r}")
    rank, count = int(words["RANK"]), int(words["WORLD_SIZE"])
    if rank >= count:
        raise ValueError(
            f"RANK must be less than WORLD_SIZE; got {rank} and {count}"
        )
    return rank, count


def _meet(rank: int, count: int, backend: str) -> None:
    """Find the other processes, and wait for them no longer than MEET_S."""
    deadline = time.monotonic() + MEET_S
    address, port = os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"]
    try:
        if rank:
            _await_master(address, int(port), deadline)
        left = timedelta(seconds=max(deadline - time.monotonic(), 1))
        store, _, _ = next(rendezvous("env://", rank, count, timeout=left))
    except (RuntimeError, ValueError, OSError, OverflowError) as error:
        raise RuntimeError(
            f"{count} processes must meet at {address}:{port} within "
            f"{MEET_S} s; they did not ({_said(error)})"
        ) from error
    dist.init_process_group(backend, store=store, rank=rank, world_size=count)


def _await_master(address: str, port: int, deadline: float) -> None:
    """Wait until the first process listens, where Ctrl-C still works.

    PyTorch's own wait takes twice its limit, heeds no signal and prints a
    page of C++.
    """
    while True:
        left = deadline - time.monotonic()
        try:
            socket.create_connection((address, port), max(left, 0.1)).close()
        except OSError:
            if left <= 0:
                raise
            time.sleep(min(left, 0.5))
        else:
            return


def _lost(crew: Workers, error: Exception) -> str:
    """Say that a process is gone and how to go on."""
    return (
        f"process {crew.rank} of {crew.count} lost another one "
        f"({_said(error)}); run the same command "
        "again to go on from the last checkpoint"
    )


def _said(error: Exception) -> str:
    """What an error says; of PyTorch's pages the first line."""
    words = getattr(error, "strerror", None) or str(error)
    return str(words).splitlines()[0][:100]
