r"""Two processes share a batch of digits; `torchrun` starts them.

    torchrun --standalone --nproc-per-node 2 \\
        -m preact.book.imagenet.two_processes OUT.pt SEED

Every process takes its half of 64 images. The first writes what the chapter
compares: gradients by DDP, and running statistics of both processes.
"""

import sys
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as nnf
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from preact.data.digits import read_digits
from preact.nn import Network
from preact.nn.layers import set_ghost_batch
from preact.plan import NetworkPlan, cifar_plan

BATCH = 64


def the_plan() -> NetworkPlan:
    """Return the network: ResNet-20 of full pre-activation for digits."""
    row = "full-preactivation"
    return cifar_plan(row, depth=20, convs=2, image=(1, 8, 8))


def the_batch(number: int = 0) -> tuple[Tensor, Tensor]:
    """Return 64 images (64, 1, 8, 8) float32 and their labels."""
    digits = read_digits()
    which = slice(number * BATCH, (number + 1) * BATCH)
    x = digits.train_images[which].float() / 8 - 1
    return x, digits.train_labels[which]


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


def alone(
    x: Tensor, y: Tensor, seed: int = 0, ghost_batch: int | None = None
) -> dict[str, Tensor]:
    """Gradients of one process, whose BNs see so many images."""
    network = Network(the_plan(), seed)
    set_ghost_batch(network, ghost_batch)
    backward(network, x, y)
    return gradients(network)


def gradients(network: nn.Module) -> dict[str, Tensor]:
    """Gradient of every parameter."""
    return {
        name: value.grad
        for name, value in network.named_parameters()
        if value.grad is not None
    }


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
    if rank == 0:
        outcome = {"count": count, "ddp": ddp, "statistics": statistics}
        torch.save(outcome, out)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
