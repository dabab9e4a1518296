r"""Two processes share a batch of digits; `torchrun` starts them.

    torchrun --standalone --nproc-per-node 2 \\
        -m preact.book.two_processes OUT.pt SEED

Every process takes its half of 64 images. The first writes what the chapter
compares: gradients by DDP and by FSDP2, running statistics of both processes,
bytes of weights that each holds, and times of all-reduces.

Chapter `09-imagenet`.
"""

import sys
import time
from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as nnf
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

from preact.data.digits import read_digits
from preact.nn import Network
from preact.plan import NetworkPlan, cifar_plan

BATCH = 64
SIZES = [4**k for k in range(1, 12)]  # numbers in an all-reduce
ROUNDS = 9  # of which the median is taken


def the_plan() -> NetworkPlan:
    """Return the network: ResNet-20 of full pre-activation for digits."""
    row = "full-preactivation"
    return cifar_plan(row, depth=20, convs=2, image=(1, 8, 8))


def the_batch() -> tuple[Tensor, Tensor]:
    """Return 64 images (64, 1, 8, 8) float32 and their labels."""
    digits = read_digits()
    x = digits.train_images[:BATCH].float() / 8 - 1
    return x, digits.train_labels[:BATCH]


def backward(network: nn.Module, x: Tensor, y: Tensor) -> None:
    """Leave in every parameter the gradient of the mean loss."""
    loss = nnf.cross_entropy(network(x), y)
    loss.backward()


def by_ddp(
    x: Tensor, y: Tensor, seed: int
) -> tuple[dict[str, Tensor], Network]:
    """Gradients averaged over the processes; the weights are in each."""
    network = Network(the_plan(), seed)
    backward(DistributedDataParallel(network), x, y)
    return gradients(network), network


def by_fsdp(x: Tensor, y: Tensor, seed: int) -> tuple[dict[str, Tensor], int]:
    """Gradients, and bytes of weights a process holds between steps."""
    network = Network(the_plan(), seed)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    policy = MixedPrecisionPolicy(reduce_dtype=torch.float32)
    for unit in network.units:
        fully_shard(unit, mesh=mesh, mp_policy=policy)
    fully_shard(network, mesh=mesh, mp_policy=policy)
    backward(network, x, y)
    own = sum(
        p.to_local().nbytes
        for p in network.parameters()
        if isinstance(p, DTensor)
    )
    return gradients(network), own


def gradients(network: nn.Module) -> dict[str, Tensor]:
    """Gradient of every parameter, put together where it is in pieces."""
    complete = {}
    for name, value in network.named_parameters():
        grad: Any = value.grad
        if isinstance(grad, DTensor):
            grad = grad.full_tensor().clone()  # the copy waits for it
        complete[name] = grad
    return complete


def all_reduce_seconds(sizes: Sequence[int]) -> list[float]:
    """Time the sum of so many float32 over all processes; the median."""
    seconds = []
    for size in sizes:
        value, times = torch.ones(size), []
        for _ in range(ROUNDS):
            dist.barrier()
            start = time.perf_counter()
            dist.all_reduce(value)
            times.append(time.perf_counter() - start)
        seconds.append(sorted(times)[ROUNDS // 2])
    return seconds


def main(out: str, seed: int) -> None:
    """Be one of the processes that torchrun starts."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, count = dist.get_rank(), dist.get_world_size()
    x, y = the_batch()
    mine = slice(rank * BATCH // count, (rank + 1) * BATCH // count)
    ddp, network = by_ddp(x[mine], y[mine], seed)
    statistics: list[Any] = [None] * count
    dist.all_gather_object(statistics, dict(network.named_buffers()))
    fsdp, own_bytes = by_fsdp(x[mine], y[mine], seed)
    seconds = all_reduce_seconds(SIZES)
    if rank == 0:
        torch.save(
            {
                "count": count,
                "ddp": ddp,
                "fsdp": fsdp,
                "fsdp_bytes": own_bytes,
                "statistics": statistics,
                "seconds": seconds,
            },
            out,
        )
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
