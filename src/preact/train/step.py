"""One step of training: forward, loss, backward, SGD.

A `Session` takes it with its run's network, `preact bench` with any other.
"""

import copy
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.train.graph import Graph, Pool
from preact.train.recipe import Recipe

Record = Callable[[Callable[[], None], Pool | None], Graph]
# Of a step: kernels may add up in another order each time, no more.
TOLERANCE = 0.1
log = logging.getLogger("preact")


class TrainingStep:
    """Forward, loss, backward and SGD of one batch; call it with the batch.

    Parameters
    ----------
    network : nn.Module
        Images (N, C, H, W) to logits (N, classes).
    sgd : torch.optim.SGD
        Of its parameters; with `captured`, as `make_sgd(captured=True)` has
        it.
    arithmetic : context manager
        Around forward pass and loss.
    scaler : torch.amp.GradScaler, optional
        Scales the loss of half precision.
    label_smoothing : float
        Share of the target that is spread over all classes.
    captured : bool
        Take the step as one CUDA graph, captured at the first call: the
        network is on a GPU, and batches have the first one's shape.
    pool : Pool, optional
        Memory of other graphs that never run at the same time.
    record : function
        Records work, to be repeated: `Graph`.
    """

    def __init__(
        self,
        network: nn.Module,
        sgd: torch.optim.SGD,
        *,
        arithmetic: AbstractContextManager[object] | None = None,
        scaler: torch.amp.GradScaler | None = None,
        label_smoothing: float = 0.0,
        captured: bool = False,
        pool: Pool | None = None,
        record: Record = Graph,
    ) -> None:
        self.network, self.sgd = network, sgd
        self.arithmetic = arithmetic or nullcontext()
        self.scaler = scaler or torch.amp.GradScaler("cpu", enabled=False)
        self.label_smoothing = label_smoothing
        self.captured, self.pool, self.record = captured, pool, record
        self.capture: CapturedStep | None = None

    def __call__(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Learn from a batch.

        Returns
        -------
        loss : () float32
            Mean over the batch, in nats.
        logits : (N, classes)
            Of before the step. Both are without gradient, and overwritten by
            the next call where the step is captured.
        """
        if self.captured:
            self.prepare(x, y)
        if self.capture is None:
            return self.eager(x, y)
        return self.capture(x, y)

    def prepare(self, x: Tensor, y: Tensor) -> None:
        """Capture the step if it is not yet; the weights do not move.

        A graph that does not learn what the step learns is not used, and the
        log says so.
        """
        if self.capture is not None:
            return
        capture = CapturedStep(self, x, y, self.record)
        if capture.error <= TOLERANCE:  # not so if it is NaN
            self.capture = capture
            return
        self.captured = False
        log.warning(
            "the CUDA graph of the training step is not used: the weights "
            "after it differ from those after a plain step by %.2g of that "
            "step; kernels are launched one by one",
            capture.error,
        )

    def eager(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Learn from a batch, every kernel launched by itself."""
        with self.arithmetic:
            logits = self.network(x)
            loss = nnf.cross_entropy(
                logits, y, label_smoothing=self.label_smoothing
            )
        self.sgd.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.sgd)
        self.scaler.update()
        return loss.detach(), logits.detach()

    def set_lr(self, lr: float) -> None:
        """Set the learning rate of the next steps."""
        for group in self.sgd.param_groups:
            if isinstance(group["lr"], Tensor):  # a captured step reads it
                group["lr"].fill_(lr)
            else:
                group["lr"] = lr


class CapturedStep:
    """A training step as a CUDA graph; call it with a batch.

    Parameters
    ----------
    step : TrainingStep
        Left as it is found: what warm-up and comparison have learned is
        taken back.
    x, y : tensors
        A batch, for shapes and layouts.
    record : function
        Records work, `Graph`.

    Attributes
    ----------
    error : float
        How far the weights are off after the graph's step, relative to the
        length of a plain step; NaN where a plain step is NaN.
    """

    def __init__(
        self, step: TrainingStep, x: Tensor, y: Tensor, record: Record
    ) -> None:
        before = _State(step)
        self.x, self.y = x.clone(), y.clone()

        def learn() -> None:
            self.loss, self.logits = step.eager(self.x, self.y)

        # First, so that what it needs is free again before the graph takes
        # memory for itself.
        plain = before.moved_by(learn, step)
        before.restore(step)
        self.graph = record(learn, step.pool)
        before.restore(step)
        moved = before.moved_by(self.graph.replay, step)
        before.restore(step)
        off = _length([a - b for a, b in zip(moved, plain, strict=True)])
        # A step that the scaler skips has no length, and is none to fail.
        self.error = off / _length(plain) if off else 0.0

    def __call__(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Learn from a batch; loss and logits are the next call's too."""
        self.x.copy_(x)
        self.y.copy_(y)
        self.graph.replay()
        return self.loss, self.logits


class _State:
    """Weights, momentum and scale of a step, to be put back in place."""

    def __init__(self, step: TrainingStep) -> None:
        self.weights = copy.deepcopy(step.network.state_dict())
        self.scale = step.scaler.state_dict()
        self.momentum = copy.deepcopy(step.sgd.state_dict()["state"])

    def moved_by(
        self, learn: Callable[[], None], step: TrainingStep
    ) -> list[Tensor]:
        """What is added to each parameter, with equal draws of dropout."""
        devices = [t.device for t in self.weights.values() if t.is_cuda]
        with torch.random.fork_rng(devices=devices[:1]):
            torch.manual_seed(0)
            learn()
        return [
            value.detach() - self.weights[name]
            for name, value in step.network.named_parameters()
        ]

    def restore(self, step: TrainingStep) -> None:
        """In place, each of them: a graph knows addresses."""
        step.network.load_state_dict(self.weights)
        step.scaler.load_state_dict(self.scale)
        for i, state in enumerate(step.sgd.state.values()):
            now = state["momentum_buffer"]
            if i in self.momentum:
                now.copy_(self.momentum[i]["momentum_buffer"])
            else:
                now.zero_()


def _length(tensors: list[Tensor]) -> float:
    """Euclidean length of all numbers together."""
    return float(torch.stack([t.norm() for t in tensors]).norm())


def make_sgd(
    network: nn.Module, recipe: Recipe, *, captured: bool = False
) -> torch.optim.SGD:
    """SGD with momentum, and weight decay where the recipe has it.

    With `captured`, one kernel that reads its learning rate on the GPU.
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
    device = weights[0].device
    return torch.optim.SGD(
        [group for group in groups if group["params"]],
        lr=torch.tensor(recipe.lr, device=device) if captured else recipe.lr,
        fused=captured or None,
        momentum=recipe.momentum,
        nesterov=recipe.nesterov,
    )
