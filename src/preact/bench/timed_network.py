"""A contestant on its device, ready to step.

Chapter `08-training`.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch.autograd import DeviceType  # type: ignore[attr-defined]
from torch.profiler import ProfilerActivity, profile

from preact.bench.contestants import Contestant
from preact.nn.layers import BatchNorm
from preact.train.footprint import network_bytes
from preact.train.precision import Precision, arithmetic, loss_scaler
from preact.train.recipe import find_recipe
from preact.train.step import TrainingStep, make_optimizer

LR = 1e-3  # thousands of steps on one batch of noise must not diverge


class Facts(NamedTuple):
    """What is known of a contestant before it is timed."""

    parameters: int
    first_step_s: float
    kept_bytes: int | None
    peak_bytes: int
    launches: int
    bn_batch: int


class TimedNetwork:
    """A contestant with one batch, in the step that `preact train` takes.

    Parameters
    ----------
    contestant : Contestant
    shape : (N, C, H, W)
        Of the images, which are noise.
    device : torch.device
    """

    def __init__(
        self,
        contestant: Contestant,
        shape: tuple[int, ...],
        device: torch.device,
    ) -> None:
        rng = torch.Generator().manual_seed(0)
        images = torch.randn(shape, generator=rng).to(device)
        labels = torch.randint(0, 10, shape[:1], generator=rng)
        self.contestant, self.labels = contestant, labels.to(device)
        layout = (
            torch.channels_last
            if contestant.channels_last
            else torch.contiguous_format
        )
        self.images = images.contiguous(memory_format=layout)
        self.network = contestant.build().to(images.device)
        self.network.to(memory_format=layout)  # type: ignore[call-overload]
        precision: Precision = "fp16" if contestant.half else "fp32"
        self.arithmetic = arithmetic(precision, device)
        self.training = TrainingStep(
            self.network,
            make_optimizer(self.network, find_recipe("paper")),
            arithmetic=self.arithmetic,
            scaler=loss_scaler(precision, device),
        )
        self.training.set_lr(LR)

    def prepare(self) -> Facts:
        """Take the first steps; tell what is known then."""
        first_step_s = timed(self.train, self.images.device)
        kept_bytes, peak_bytes = self.bytes_per_image()
        return Facts(
            sum(p.numel() for p in self.network.parameters()),
            first_step_s,
            kept_bytes,
            peak_bytes,
            self.launches(),
            self.bn_batch(),
        )

    def turn(self) -> tuple[float, float]:
        """Seconds of a training step and of a forward pass.

        Each comes after another one that finds its memory again and sets
        the network's mode.
        """
        device = self.images.device
        self.train()
        train_s = timed(self.train, device)
        self.forward()
        return train_s, timed(self.forward, device)

    def bytes_per_image(self) -> tuple[int | None, int]:
        """Activations kept between the passes (CPU only), and the peak."""
        if self.images.device.type == "cpu":
            few = self.images[:2]
            return network_bytes(self.network, few)
        self.train()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        self.train()
        peak = torch.cuda.max_memory_allocated() - before
        return None, peak // len(self.images)

    def bn_batch(self) -> int:
        """Images over which BN takes its statistics in a training step."""
        images = len(self.images)
        ghosts = (
            min(module.ghost_batch or images, images)
            for module in self.network.modules()
            if isinstance(module, BatchNorm)
        )
        return min(ghosts, default=images)

    def launches(self) -> int:
        """Kernels that a step launches on the GPU; 0 on the CPU."""
        if self.images.device.type == "cpu":
            return 0
        with profile(activities=[ProfilerActivity.CUDA]) as profiled:
            self.train()
            torch.cuda.synchronize()
        events = profiled.events() or []
        return sum(e.device_type == DeviceType.CUDA for e in events)

    def train(self) -> None:
        """One training step, the data at hand."""
        self._set_mode(training=True)
        self.training(self.images, self.labels)

    @torch.no_grad()
    def forward(self) -> None:
        """One forward pass in evaluation."""
        self._set_mode(training=False)
        with self.arithmetic:
            self.network(self.images)

    def _set_mode(self, *, training: bool) -> None:
        """Set it where it is another: that takes its time, and is no step."""
        if self.network.training != training:
            self.network.train(training)


def timed(work: Callable[[], object], device: torch.device) -> float:
    """Seconds that some work takes, the device's included."""
    if device.type == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    work()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start
