"""Many processes, one run: `torchrun` starts them, PyTorch's DDP joins them.

Each process takes its share of every batch, so nothing is seen twice and
nothing left out; its batch normalization takes statistics over that share, as
each GPU of the paper did.

Chapter `08-training`.
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

    def any(self, here: bool, iteration: int) -> bool:
        """Whether something holds anywhere; asked every 20th iteration.

        Alone the answer is at once. Together all must ask at the same
        iteration, and each time they wait for each other.
        """
        if self.count == 1:
            return here
        if iteration % 20:
            return False
        return bool(self.total(torch.tensor(int(here))))

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
        known = signature(DistributedDataParallel).parameters
        newer, older = "forward_sync_buffers", "broadcast_buffers"
        option: Any = {newer if newer in known else older: False}
        return DistributedDataParallel(network, **option)


ALONE = Workers()


@contextmanager
def workers(device: str) -> Iterator[Workers]:
    """Join the processes that `torchrun` started; alone without it.

    Raises
    ------
    RuntimeError
        If another process is lost; what to do is in the message.
    """
    if "WORLD_SIZE" not in os.environ or os.environ["WORLD_SIZE"] == "1":
        yield ALONE
        return
    on_gpu = device.startswith("cuda")
    if on_gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if on_gpu else "gloo")
    found = Workers(dist.get_rank(), dist.get_world_size())
    try:
        yield found
    except dist.DistError as error:
        raise RuntimeError(_lost(found, error)) from error
    except RuntimeError as error:
        if "gloo" not in str(error).lower():
            raise
        raise RuntimeError(_lost(found, error)) from error
    finally:
        dist.destroy_process_group()


def _lost(found: Workers, error: Exception) -> str:
    """Say that a process is gone and how to go on."""
    return (
        f"process {found.rank} of {found.count} lost another one "
        f"({str(error).splitlines()[0][:100]}); run the same command "
        "again to go on from the last checkpoint"
    )
