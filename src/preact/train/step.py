"""One step of training: forward, loss, backward, optimizer.

A `Session` takes it with its run's network.
"""

from contextlib import AbstractContextManager, nullcontext

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.train.recipe import Recipe


class TrainingStep:
    """Forward, loss, backward and update of one batch; call it with it.

    The network is any from images (N, C, H, W) to logits (N, classes); the
    arithmetic is a context around forward pass and loss, which the scaler
    scales in half precision.
    """

    def __init__(
        self,
        network: nn.Module,
        optimizer: torch.optim.Optimizer,
        *,
        arithmetic: AbstractContextManager[object] | None = None,
        scaler: torch.amp.GradScaler | None = None,
        label_smoothing: float = 0.0,
    ) -> None:
        self.network, self.optimizer = network, optimizer
        self.arithmetic = arithmetic or nullcontext()
        self.scaler = scaler or torch.amp.GradScaler("cpu", enabled=False)
        self.label_smoothing = label_smoothing

    def __call__(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Learn from a batch; return mean loss, in nats, and logits before.

        Neither carries a gradient.
        """
        with self.arithmetic:
            logits = self.network(x)
            loss = nnf.cross_entropy(
                logits, y, label_smoothing=self.label_smoothing
            )
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.detach(), logits.detach()

    def set_lr(self, lr: float) -> None:
        """Set the learning rate of the next steps."""
        for group in self.optimizer.param_groups:
            if isinstance(group["lr"], Tensor):  # where a graph reads it
                group["lr"].fill_(lr)
            else:
                group["lr"] = lr


class RepeatedStep:
    """The same step on a GPU, of a CUDA graph: all its kernels in one launch.

    The first `PLAIN` calls launch kernels one by one, the next records them;
    batches have one shape. Loss and logits are overwritten by the next call.
    """

    PLAIN = 4

    def __init__(self, step: TrainingStep) -> None:
        self.step, self.calls = step, 0
        self.stream = torch.cuda.Stream()
        self.graph = torch.cuda.CUDAGraph()

    def __call__(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Learn from a batch, as `TrainingStep`."""
        self.calls += 1
        if self.calls <= self.PLAIN:
            return self.plain(x, y)
        if self.calls == self.PLAIN + 1:
            self.x, self.y = x.clone(), y.clone()
            with torch.cuda.graph(self.graph, stream=self.stream):
                self.loss, self.logits = self.step(self.x, self.y)
        self.x.copy_(x)
        self.y.copy_(y)
        self.graph.replay()
        return self.loss, self.logits

    def plain(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Learn from a batch, kernel by kernel, on the stream recorded."""
        here = torch.cuda.current_stream()
        self.stream.wait_stream(here)
        with torch.cuda.stream(self.stream):
            loss, logits = self.step(x, y)
        here.wait_stream(self.stream)
        return loss, logits


def make_optimizer(
    network: nn.Module, recipe: Recipe
) -> torch.optim.Optimizer:
    """The recipe's optimizer, with weight decay where the recipe has it.

    On a GPU, SGD is one that a CUDA graph can hold: its rate is a tensor.
    """
    weights: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for value in network.parameters():
        kept = recipe.decayed == "weights" and value.ndim == 1
        (others if kept else weights).append(value)
    groups = [
        {"params": weights, "weight_decay": recipe.weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    if recipe.optimizer == "adamw":
        return torch.optim.AdamW(
            groups, lr=recipe.lr, betas=(recipe.momentum, 0.999)
        )
    device = next(network.parameters()).device
    on_gpu = device.type == "cuda"
    lr = torch.tensor(recipe.lr, device=device) if on_gpu else recipe.lr
    return torch.optim.SGD(
        groups,
        lr=lr,
        momentum=recipe.momentum,
        nesterov=recipe.nesterov,
        fused=on_gpu or None,
    )
