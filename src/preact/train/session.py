"""Network, optimizer and data of a run on a device: one step, one test.

Chapter `08-training`.
"""

import copy
from typing import Any

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.data.augment import batch_indices, draws
from preact.data.loader import Cut, Draw, Loader
from preact.fast import fast, with_memory
from preact.nn import Network
from preact.nn.layers import set_ghost_batch
from preact.train.graph import Graph
from preact.train.parallel import Workers
from preact.train.precision import arithmetic, loss_scaler
from preact.train.recipe import Recipe
from preact.train.run import Run


class Session:
    """One process's part in a run.

    Parameters
    ----------
    run : Run
    device : str
        "cpu" or "cuda".
    workers : Workers
        This process among those that share every batch.

    Raises
    ------
    ValueError
        If the batch cannot be shared by the workers in whole ghost batches.
    """

    def __init__(self, run: Run, device: str, workers: Workers) -> None:
        self.run, self.workers = run, workers
        self.device = torch.device(device)
        recipe, data = run.recipe, run.data
        self.part = workers.share(recipe.batch)
        size = self.part.stop - self.part.start
        if size % min(recipe.ghost_batch, size):
            raise ValueError(
                f"a process's share of the batch, {size} images, must be a "
                f"multiple of ghost_batch; got {recipe.ghost_batch}"
            )
        self.layout = (
            torch.channels_last
            if run.execution.channels_last
            else torch.contiguous_format
        )
        self.network = with_memory(
            Network(run.plan, seed=run.seed), run.execution.memory
        )
        if run.execution.fast:
            self.network = fast(self.network)
        self.network.to(self.device)
        self.network.to(memory_format=self.layout)  # type: ignore[call-overload]
        set_ghost_batch(self.network, recipe.ghost_batch)
        self.network.train()
        self.joined = workers.joined(self.network)
        # Checkpoints repeat a forward pass with the generator's old state,
        # and processes talk: neither can be recorded.
        self.recordable = (
            run.execution.fast
            and self.device.type == "cuda"
            and workers.count == 1
            and run.execution.memory in ("keep", "recompute")
        )
        self.recorded: Recorded | None = None
        self.sgd = make_sgd(self.network, recipe, recordable=self.recordable)
        self.scaler = loss_scaler(run.execution.precision, self.device)
        self.arithmetic = arithmetic(run.execution.precision, self.device)
        cut = Cut(
            normalization=recipe.normalization,
            pad=recipe.pad,
            pad_before_normalization=recipe.pad_before_normalization,
            flip=recipe.flip,
        )
        self.loader: Loader = data.loader(cut, self.device)
        self.sums = torch.zeros(3, dtype=torch.float64, device=self.device)
        self.count = torch.tensor(size, device=self.device)

    def step(self, iteration: int, *, watched: bool = False) -> None:
        """One training step in full; nothing waits for the device.

        On a GPU a `fast` run records it once as a CUDA graph. A step that is
        watched, unit by unit, is not taken from the record.
        """
        x, y = self.batch(iteration)
        recorded = self.recorded
        if self.recordable and not watched and recorded is None:
            recorded = self.recorded = Recorded(self, x, y)
        # Dropout draws from the global generator: make it this iteration's.
        stream = 3 + self.workers.rank
        seed = draws(self.run.seed, iteration, stream).initial_seed()
        torch.manual_seed(seed)
        lr = self.run.recipe.lr_at(iteration)
        for group in self.sgd.param_groups:
            if isinstance(group["lr"], Tensor):  # the record reads it
                group["lr"].fill_(lr)
            else:
                group["lr"] = lr
        if recorded is None or watched:
            self.learn(x, y)
        else:
            recorded.learn(x, y)

    def learn(self, x: Tensor, y: Tensor) -> None:
        """Forward, loss, backward, SGD, and what the curve will show."""
        with self.arithmetic:
            logits = self.joined(x)
            loss = nnf.cross_entropy(
                logits, y, label_smoothing=self.run.recipe.label_smoothing
            )
        self.sgd.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        self.scaler.step(self.sgd)
        self.scaler.update()
        wrong = (logits.detach().argmax(1) != y).sum()
        of_all = loss.detach() * self.count
        self.sums += torch.stack([of_all, wrong, self.count])

    def batch(self, iteration: int) -> tuple[Tensor, Tensor]:
        """The images of this process, normalized and augmented, and labels."""
        run, batch = self.run, self.run.recipe.batch
        n, _ = run.data.counts
        draw = Draw(
            chosen=batch_indices(n, batch, run.seed, iteration)[self.part],
            seed=run.seed,
            iteration=iteration,
            part=self.part,
            batch=batch,
        )
        x, y = self.loader.train(draw)
        return x.contiguous(memory_format=self.layout), y

    def since_last_time(self) -> tuple[float, float]:
        """Mean loss and training error in percent since the last call."""
        loss, wrong, n = self.workers.total(self.sums).tolist()
        self.sums.zero_()
        return loss / n, 100.0 * wrong / n

    @torch.no_grad()
    def evaluate(self) -> float:
        """Error in percent on the test images, running statistics in use."""
        self.workers.mean_of_statistics(self.network)
        self.network.eval()
        wrong = torch.zeros((), dtype=torch.float64, device=self.device)
        workers = self.workers
        for x, y in self.loader.test(workers.rank, workers.count):
            with self.arithmetic:
                logits = self.network(x.contiguous(memory_format=self.layout))
            wrong += (torch.nan_to_num(logits).argmax(1) != y).sum()
        self.network.train()
        _, n = self.run.data.counts
        return 100.0 * float(workers.total(wrong)) / n

    def state(self) -> dict[str, Any]:
        """All that must survive; random numbers follow from the iteration."""
        return {
            "network": self.network.state_dict(),
            "sgd": self.sgd.state_dict(),
            "scaler": self.scaler.state_dict(),
            "sums": self.sums.clone(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to where `state` was taken."""
        self.network.load_state_dict(state["network"])
        # Momentum is state; the rest is the recipe's, on this device.
        groups = self.sgd.state_dict()["param_groups"]
        momentum = state["sgd"]["state"]
        self.sgd.load_state_dict({"state": momentum, "param_groups": groups})
        self.scaler.load_state_dict(state["scaler"])
        if self.workers.leads:  # the sums of all processes are in one place
            self.sums.copy_(state["sums"])


class Recorded:
    """A session's `learn` as a CUDA graph.

    Parameters
    ----------
    session : Session
        Left as it is found: what the warm-up has learned is taken back.
    x, y : tensors
        A batch, for shapes and layouts.
    """

    def __init__(self, session: Session, x: Tensor, y: Tensor) -> None:
        before = copy.deepcopy(session.state())
        self.x, self.y = x.clone(), y.clone()
        self.graph = Graph(lambda: session.learn(self.x, self.y))
        # In place, each of them: the record knows addresses.
        session.network.load_state_dict(before["network"])
        session.scaler.load_state_dict(before["scaler"])
        session.sums.copy_(before["sums"])
        momentum = before["sgd"]["state"]
        for i, state in enumerate(session.sgd.state.values()):
            now = state["momentum_buffer"]
            if i in momentum:
                now.copy_(momentum[i]["momentum_buffer"])
            else:
                now.zero_()

    def learn(self, x: Tensor, y: Tensor) -> None:
        """Learn from a batch."""
        self.x.copy_(x)
        self.y.copy_(y)
        self.graph.replay()


def make_sgd(
    network: nn.Module, recipe: Recipe, *, recordable: bool = False
) -> torch.optim.SGD:
    """SGD with momentum, and weight decay where the recipe has it.

    With `recordable`, one kernel that reads its learning rate on the GPU.
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
        lr=torch.tensor(recipe.lr, device=device) if recordable else recipe.lr,
        fused=recordable or None,
        momentum=recipe.momentum,
        nesterov=recipe.nesterov,
    )
