"""One run: from a plan and a protocol to a record that can be trusted.

Chapter `08-training`.
"""

import hashlib
import json
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as nnf
from torch import Tensor

from preact.data.augment import batch_indices, crop_and_flip, draws, normalize
from preact.data.images import ImageSet
from preact.nn import Network
from preact.nn.layers import set_ghost_batch
from preact.plan import CONVENTIONS, NetworkPlan, cifar_plan
from preact.spec import find_row
from preact.train import checkpoint
from preact.train.protocol import Protocol

Report = Callable[[dict[str, float]], None]


@dataclass(frozen=True, kw_only=True)
class Run:
    """What is trained, on what, how, and from which seed."""

    row: str
    depth: int
    convs: int
    protocol: Protocol
    data: ImageSet
    seed: int = 1
    width: int = 16

    @property
    def plan(self) -> NetworkPlan:
        """The network: protocol's conventions, shape of the data."""
        return cifar_plan(
            find_row(self.row),
            depth=self.depth,
            convs=self.convs,
            classes=self.data.classes,
            image=self.data.shape,
            width=self.width,
            conventions=CONVENTIONS[self.protocol.conventions],
        )

    @property
    def config(self) -> dict[str, Any]:
        """Everything that determines the result, resolved."""
        return {
            "row": self.row,
            "spec": str(self.plan.spec),
            "depth": self.depth,
            "convs": self.convs,
            "width": self.width,
            "protocol": asdict(self.protocol)
            | {"drop_at": list(self.protocol.drop_at)},
            "data": self.data.name,
            "data_label": self.data.label,
            "data_sha256": self.data.sha256,
            "seed": self.seed,
        }

    @property
    def config_sha256(self) -> str:
        """Hash of the configuration: the run's identity."""
        text = json.dumps(self.config, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Outcome:
    """How a run ended."""

    outcome: str  # "finished" or "diverged"
    iterations: int
    test_error_pct: float
    train_loss: float
    curve: list[dict[str, float]]
    wall_s: float


def train(
    run: Run,
    folder: Path,
    *,
    device: str = "cpu",
    save_every: int = 100,
    report: Report | None = None,
    report_every: int = 20,
) -> Outcome:
    """Train from the start, or from the checkpoint in `folder`.

    Resumed runs end bit for bit where uninterrupted ones end, on the same
    device and number of threads.

    Parameters
    ----------
    run : Run
    folder : Path
        Where checkpoints are kept until the run is over.
    device : str
        "cpu" or "cuda".
    save_every, report_every : int
        Iterations between checkpoints, and between reports and points of
        the curve.
    report : callable, optional
        Called with iteration, lr, loss, images_per_s.

    Returns
    -------
    Outcome
        With the error of the *last* iteration, never the best one. A loss
        that is not finite ends the run as "diverged".

    Raises
    ------
    ValueError
        If the folder's checkpoint is damaged or of another configuration.
    """
    protocol, data = run.protocol, run.data
    network = Network(run.plan, seed=run.seed).to(device)
    set_ghost_batch(network, protocol.ghost_batch)
    sgd = torch.optim.SGD(
        network.parameters(),
        lr=protocol.lr,
        momentum=protocol.momentum,
        nesterov=protocol.nesterov,
        weight_decay=protocol.weight_decay,
    )
    state = checkpoint.load(folder, run.config_sha256)
    curve: list[dict[str, float]] = []
    first, before_s = 0, 0.0
    if state is not None:
        network.load_state_dict(state["network"])
        sgd.load_state_dict(state["sgd"])
        first, before_s = state["iteration"], state["wall_s"]
        curve = state["curve"]
    mean, deviation = (
        t.to(device) for t in data.statistics(protocol.normalization)
    )
    images, labels = data.train_images.to(device), data.train_labels.to(device)
    start = last = time.perf_counter()
    reported, loss_value, outcome = first, math.nan, "finished"

    def keep(iteration: int) -> None:
        checkpoint.save(
            folder,
            {
                "config_sha256": run.config_sha256,
                "iteration": iteration,
                "network": network.state_dict(),
                "sgd": sgd.state_dict(),
                "curve": curve,
                "wall_s": before_s + time.perf_counter() - start,
            },
        )

    iteration = first
    network.train()
    # Ctrl-C waits for the end of the step: a save in its middle would hold
    # weights of one iteration and the number of another.
    with deferred_interrupt() as interrupted:
        while iteration < protocol.iterations:
            loss = step(
                network, sgd, run, images, labels, mean, deviation, iteration
            )
            iteration += 1
            ends = iteration == protocol.iterations
            if iteration % report_every == 0 or ends:
                loss_value = float(loss.detach())
                now = time.perf_counter()
                rate = (iteration - reported) * protocol.batch / (now - last)
                reported, last = iteration, now
                curve.append(
                    {
                        "iteration": iteration,
                        "lr": protocol.lr_at(iteration - 1),
                        "loss": loss_value,
                    }
                )
                if report:
                    report(curve[-1] | {"images_per_s": rate})
                if not math.isfinite(loss_value):
                    outcome = "diverged"
                    break
            if interrupted.is_set():
                keep(iteration)
                raise KeyboardInterrupt
            if iteration % save_every == 0 and not ends:
                keep(iteration)
    error = evaluate(network, data, mean, deviation, device)
    wall_s = before_s + time.perf_counter() - start
    keep(iteration)
    return Outcome(outcome, iteration, error, loss_value, curve, wall_s)


@contextmanager
def deferred_interrupt() -> Iterator[threading.Event]:
    """Note Ctrl-C instead of raising at once; give the event that tells."""
    noted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield noted  # signals reach the main thread only
        return
    before = signal.signal(signal.SIGINT, lambda *_: noted.set())
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


def step(
    network: Network,
    sgd: torch.optim.Optimizer,
    run: Run,
    images: Tensor,
    labels: Tensor,
    mean: Tensor,
    deviation: Tensor,
    iteration: int,
) -> Tensor:
    """One training step in full; returns the loss, still on its device."""
    protocol = run.protocol
    chosen = batch_indices(
        len(images), protocol.batch, run.seed, iteration
    ).to(images.device)
    x, y = images[chosen], labels[chosen]
    cut: dict[str, Any] = {
        "pad": protocol.pad,
        "flip": protocol.flip,
        "seed": run.seed,
        "iteration": iteration,
    }
    if protocol.pad_before_normalization:
        x = normalize(crop_and_flip(x, **cut), mean, deviation)
    else:
        x = crop_and_flip(normalize(x, mean, deviation), **cut)
    # Dropout draws from the global generator: make it this iteration's.
    torch.manual_seed(draws(run.seed, iteration, stream=3).initial_seed())
    for group in sgd.param_groups:
        group["lr"] = protocol.lr_at(iteration)
    loss = nnf.cross_entropy(network(x), y)
    sgd.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    sgd.step()
    return loss


@torch.no_grad()
def evaluate(
    network: Network,
    data: ImageSet,
    mean: Tensor,
    deviation: Tensor,
    device: str,
) -> float:
    """Error in percent on the test images, running statistics in use."""
    network.eval()
    wrong = 0
    for start in range(0, len(data.test_labels), 500):
        part = slice(start, start + 500)
        x = normalize(data.test_images[part].to(device), mean, deviation)
        guess = torch.nan_to_num(network(x)).argmax(1).cpu()
        wrong += int((guess != data.test_labels[part]).sum())
    network.train()
    return 100.0 * wrong / len(data.test_labels)
