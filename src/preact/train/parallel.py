"""Many processes, one run: `torchrun` starts them, PyTorch's DDP joins them.

Each process takes its share of every batch, so nothing is seen twice and
nothing left out; its batch normalization takes statistics over that share, as
each GPU of the paper did.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from preact.typed import plain


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

        ValueError if the processes cannot share the batch equally.
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

    def of_all(self, value: Tensor) -> list[Tensor]:
        """List what each process has here, in the order of their ranks."""
        if self.count == 1:
            return [value.clone()]
        values = [torch.empty_like(value) for _ in range(self.count)]
        dist.all_gather(values, value)
        return values

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


@contextmanager
def workers(device: str) -> Iterator[Workers]:
    """Join the processes that `torchrun` started; alone without it.

    RuntimeError if another process is lost.
    """
    if os.environ.get("WORLD_SIZE", "1") == "1":
        yield ALONE
        return
    on_gpu = device.startswith("cuda")
    if on_gpu:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    # Small numbers are shared by way of the CPU, gradients by way of theirs.
    dist.init_process_group("cpu:gloo,cuda:nccl" if on_gpu else "gloo")
    crew = Workers(dist.get_rank(), dist.get_world_size())
    try:
        yield crew
    except RuntimeError as error:  # DistError is one
        if isinstance(error, dist.DistError) or "gloo" in str(error).lower():
            raise RuntimeError(
                f"process {crew.rank} of {crew.count} lost another one "
                f"({plain(error)[:100]}); run the same command again to go "
                "on from the last checkpoint"
            ) from error
        raise
    finally:
        dist.destroy_process_group()
