"""Network, optimizer and data of a run on a device: one step, one test."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from preact.data.augment import Augmentation, Batch, draws
from preact.nn import Network
from preact.nn.layers import set_ghost_batch
from preact.train.device import arithmetic, check_device
from preact.train.evaluation import count_wrong
from preact.train.own_code import OwnCode
from preact.train.parallel import Workers
from preact.train.profiles import ProfileValues, watched
from preact.train.run import Run
from preact.train.step import RepeatedStep, TrainingStep, make_optimizer

Step = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


class Session:
    """One process's part in a run, whose batches all workers share."""

    def __init__(self, run: Run, device: str, workers: Workers) -> None:
        self.run, self.workers = run, workers
        self.device = check_device(device)
        recipe = run.recipe
        self.part = workers.share(recipe.batch)
        size = self.part.stop - self.part.start
        if size % min(recipe.ghost_batch, size):
            raise ValueError(
                f"a process's share of the batch, {size} images, must be a "
                f"multiple of ghost_batch; got {recipe.ghost_batch}"
            )
        self.layout = run.execution.layout
        self.network = self._network()
        self.arithmetic = arithmetic(run.execution.precision, self.device)
        self.training = TrainingStep(
            workers.joined(self.network),
            make_optimizer(self.network, recipe),
            arithmetic=self.arithmetic,
            scaler=torch.amp.GradScaler(
                self.device.type, enabled=run.execution.precision == "fp16"
            ),
            label_smoothing=recipe.label_smoothing,
        )
        self.repeated = None
        if self.device.type == "cuda" and self._can_be_recorded():
            self.repeated = RepeatedStep(self.training)
        augmentation = Augmentation(
            normalization=recipe.normalization,
            pad=recipe.pad,
            pad_before_normalization=recipe.pad_before_normalization,
            flip=recipe.flip,
        )
        self.loader = run.data.loader(augmentation, self.device)
        self.sums = torch.zeros(3, dtype=torch.float64, device=self.device)
        self.count = torch.tensor(size, device=self.device)

    def _network(self) -> Network:
        """The run's network on the device, as it is to be computed."""
        network = self.run.make_network().to(self.device)
        network.to(memory_format=self.layout)  # type: ignore[call-overload]
        set_ghost_batch(network, self.run.recipe.ghost_batch)
        return network.train()

    def _can_be_recorded(self) -> bool:
        """Whether a step's kernels can be a CUDA graph.

        Processes talk, checkpoints draw anew, own code may do anything, and
        AdamW's rate is no tensor.
        """
        return (
            self.workers.count == 1
            and self.run.recipe.optimizer == "sgd"
            and self.run.execution.memory in ("keep", "recompute")
            and not isinstance(self.run.unit, OwnCode)
        )

    def step(self, iteration: int) -> None:
        """One training step in full; nothing waits for the device."""
        self._step(iteration, self.repeated or self.training)

    def _step(self, iteration: int, step: Step) -> None:
        x, y = self.batch(iteration)
        # Dropout draws from the global generator: make it this iteration's.
        stream = 3 + self.workers.rank
        seed = draws(self.run.seed, iteration, stream).initial_seed()
        torch.manual_seed(seed)
        self.training.set_lr(self.run.recipe.lr_at(iteration))
        loss, logits = step(x, y)
        wrong = (logits.argmax(1) != y).sum()
        self.sums += torch.stack([loss * self.count, wrong, self.count])

    def watched_step(self, iteration: int) -> ProfileValues:
        """One training step; returns what was seen in it, unit by unit."""
        scale = self.training.scaler.get_scale()  # the step may change it
        plain = self.repeated.plain if self.repeated else self.training
        with watched(self.network, iteration, scale) as profile:
            self._step(iteration, plain)
        return profile

    def batch(self, iteration: int) -> tuple[Tensor, Tensor]:
        """The images of this process, normalized and augmented, and labels."""
        batch = Batch(
            seed=self.run.seed,
            iteration=iteration,
            size=self.run.recipe.batch,
            part=self.part,
        )
        x, y = self.loader.train(batch)
        return x.contiguous(memory_format=self.layout), y

    def since_last_time(self) -> tuple[float, float]:
        """Mean loss and training error in percent since the last call."""
        loss, wrong, n = self.workers.total(self.sums).tolist()
        self.sums.zero_()
        return loss / n, 100.0 * wrong / n

    def evaluate(self) -> float:
        """Error in percent on the test images, running statistics in use."""
        self.workers.mean_of_statistics(self.network)
        self.network.eval()
        workers = self.workers
        batches = self.loader.test(workers.rank, workers.count)
        wrong = count_wrong(self.logits, batches, self.layout, self.device)
        self.network.train()
        _, n = self.run.data.counts
        return 100.0 * float(workers.total(wrong)) / n

    def logits(self, x: Tensor) -> Tensor:
        """Logits (N, classes) of images (N, C, H, W), in the run's numbers."""
        with self.arithmetic:
            return self.network(x)  # type: ignore[no-any-return]

    def state(self) -> dict[str, Any]:
        """All that must survive; random numbers follow from the iteration.

        Every process calls this, for each has statistics and sums of its own.
        """
        return {
            "network": self.network.state_dict(),
            "optimizer": self.training.optimizer.state_dict(),
            "scaler": self.training.scaler.state_dict(),
            "own": [self.workers.of_all(value) for value in self._own()],
        }

    def _own(self) -> list[Tensor]:
        """What differs from process to process."""
        return [self.sums, *self.network.buffers()]

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to where `state` was taken."""
        optimizer = self.training.optimizer
        self.network.load_state_dict(state["network"])
        # Momentum is state; the rest is the recipe's, on this device.
        groups = optimizer.state_dict()["param_groups"]
        moments = state["optimizer"]["state"]
        optimizer.load_state_dict({"state": moments, "param_groups": groups})
        self.training.scaler.load_state_dict(state["scaler"])
        for value, each in zip(self._own(), state["own"], strict=True):
            value.copy_(each[self.workers.rank])
