"""Times of a training step and of a forward pass, taken by turns.

Chapter `08-training`.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as nnf

from preact.bench.contestants import Contestant
from preact.bench.racer import Racer
from preact.nn import Network
from preact.nn.fast import fast
from preact.plan import NetworkPlan, cifar_plan

TOLERANCE = 1e-3  # of a float32 gradient against float64, 29 layers


@dataclass
class Measured:
    """Seconds of each round, and bytes for each image."""

    name: str
    peer: bool
    parameters: int
    train_s: list[float] = field(default_factory=list)
    forward_s: list[float] = field(default_factory=list)
    kept_bytes: int | None = None
    peak_bytes: int | None = None

    def summary(self) -> dict[str, Any]:
        """Minima and medians, as a record has them."""
        return {
            "name": self.name,
            "peer": self.peer,
            "parameters": self.parameters,
            "train_ms_min": 1e3 * min(self.train_s),
            "train_ms_median": 1e3 * statistics.median(self.train_s),
            "forward_ms_min": 1e3 * min(self.forward_s),
            "forward_ms_median": 1e3 * statistics.median(self.forward_s),
            "kept_bytes_per_image": self.kept_bytes,
            "peak_bytes_per_image": self.peak_bytes,
        }


def check(plan: NetworkPlan, device: torch.device) -> float:
    """Compare the fast network with float64 before any time is taken.

    On the plan's unit at 29 layers (20 for two convolutions): deeper
    networks are chaotic in any precision.

    Returns
    -------
    float
        Largest error of a gradient, relative to the largest number in it.

    Raises
    ------
    ArithmeticError
        If it is more than `TOLERANCE`.
    """
    shallow = cifar_plan(
        plan.spec, depth=29 if plan.convs == 3 else 20, convs=plan.convs
    )
    rng = torch.Generator().manual_seed(0)
    images = torch.randn(16, *shallow.image, generator=rng)
    labels = torch.randint(0, shallow.classes, (16,), generator=rng)
    exact = Network(shallow, seed=0).double()
    ours = fast(Network(shallow, seed=0)).to(device)
    last = images.contiguous(memory_format=torch.channels_last)
    for network, x in ((exact, images.double()), (ours, last.to(device))):
        loss = nnf.cross_entropy(network(x), labels.to(x.device))
        loss.backward()  # type: ignore[no-untyped-call]
    worst = 0.0
    for a, b in zip(exact.parameters(), ours.parameters(), strict=True):
        assert a.grad is not None
        assert b.grad is not None
        error = (
            a.grad - b.grad.cpu().double()
        ).abs().max() / a.grad.abs().max()
        worst = max(worst, float(error))
    if worst > TOLERANCE:
        raise ArithmeticError(
            f"a gradient of the fast network must be within {TOLERANCE:g} of "
            f"float64; got {worst:.2g}: times of it would mean nothing"
        )
    return worst


def compare_times(
    entries: Sequence[Contestant],
    plan: NetworkPlan,
    *,
    batch: int,
    rounds: int,
    device: torch.device,
    progress: Callable[[int], None] = lambda _: None,
) -> list[Measured]:
    """Time all contestants by turns: two steps each, of which one counts.

    The machine's good and bad moments so fall on all of them alike.

    Parameters
    ----------
    batch : int
        Images in a step.
    rounds : int
        Steps of each; one more before them does not count.
    """
    rng = torch.Generator().manual_seed(0)
    images = torch.randn(batch, *plan.image, generator=rng).to(device)
    labels = torch.randint(0, plan.classes, (batch,), generator=rng)
    labels = labels.to(device)
    found, racers = [], []
    for entry in entries:
        racer = Racer(entry, images, labels)
        kept, peak = racer.bytes_per_image()
        racer.capture()
        racers.append(racer)
        found.append(
            Measured(
                name=entry.name,
                peer=entry.peer,
                parameters=sum(p.numel() for p in racer.network.parameters()),
                kept_bytes=kept,
                peak_bytes=peak,
            )
        )
    for turn in range(rounds + 1):
        for one, racer in zip(found, racers, strict=True):
            racer.train()  # finds its memory again, as in a run
            train_s = _timed(racer.train, device)
            racer.forward()  # what evaluation prepares once
            forward_s = _timed(racer.forward, device)
            if turn:
                one.train_s.append(train_s)
                one.forward_s.append(forward_s)
        progress(turn)
    return found


def _timed(work: Callable[[], object], device: torch.device) -> float:
    """Seconds that some work takes, the device's included."""
    if device.type == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    work()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start
