"""Times of a training step and of a forward pass, taken by turns.

Each contestant has a process of its own. In one process the others' memory
gets in the way: the allocator hands out what they have left, scattered, and a
step of ours took a tenth longer than alone, one of theirs a twentieth.
"""

import signal
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from typing import Any

import torch

from preact.bench.contestants import Contestant
from preact.plan import NetworkPlan
from preact.train.footprint import step_bytes
from preact.train.recipe import find_recipe
from preact.train.step import TrainingStep, make_optimizer

LR = 1e-3  # thousands of steps on one batch of noise must not diverge


def compare_times(
    entries: Sequence[Contestant],
    plan: NetworkPlan,
    *,
    batch: int,
    rounds: int,
    progress: Callable[[int], None] = lambda _: None,
) -> list[dict[str, Any]]:
    """Time all contestants by turns, each in its own process.

    The machine's good and bad moments so fall on all of them alike. One turn
    more than `rounds` comes first and does not count; `progress` is called
    with the number of each. Returned are values of `BenchRow`.
    """
    shape = (batch, *plan.image)
    with ExitStack() as stack:
        workers = [
            stack.enter_context(closing(Worker(entry, shape)))
            for entry in entries
        ]
        facts = [worker.ask("prepare") for worker in workers]
        turns = []
        for turn in range(rounds + 1):
            turns.append([worker.ask("turn") for worker in workers])
            progress(turn)
    rows = []
    for i, entry in enumerate(entries):
        row: dict[str, Any] = {"name": entry.name, "peer": entry.peer}
        for k, what in enumerate(("train", "forward")):
            ms = [1e3 * turn[i][k] for turn in turns[1:]]
            row[f"{what}_ms_min"] = min(ms)
            row[f"{what}_ms_median"] = statistics.median(ms)
        rows.append(row | facts[i])
    return rows


class TimedNetwork:
    """A contestant with a batch of noise, in the step of `preact train`."""

    def __init__(self, contestant: Contestant, shape: tuple[int, ...]) -> None:
        rng = torch.Generator().manual_seed(0)
        images = torch.randn(shape, generator=rng)
        self.labels = torch.randint(0, 10, shape[:1], generator=rng)
        layout = (
            torch.channels_last
            if contestant.channels_last
            else torch.contiguous_format
        )
        self.images = images.contiguous(memory_format=layout)
        self.network = contestant.build()
        self.network.to(memory_format=layout)  # type: ignore[call-overload]
        optimizer = make_optimizer(self.network, find_recipe("paper"))
        self.training = TrainingStep(self.network, optimizer)
        self.training.set_lr(LR)

    def prepare(self) -> dict[str, Any]:
        """Take the first step; tell what is known then."""
        first_step_s = timed(self.train)
        kept, peak = step_bytes(self.network, self.images[:2])
        return {
            "parameters": sum(p.numel() for p in self.network.parameters()),
            "kept_bytes_per_image": kept,
            "peak_bytes_per_image": peak,
            "first_step_s": first_step_s,
        }

    def turn(self) -> tuple[float, float]:
        """Seconds of a training step and of a forward pass.

        Each comes after another one that finds its memory again and sets
        the network's mode: that takes its time, and is no step.
        """
        self.train()
        train_s = timed(self.train)
        self.forward()
        return train_s, timed(self.forward)

    def train(self) -> None:
        """One training step, the data at hand."""
        if not self.network.training:
            self.network.train()
        self.training(self.images, self.labels)

    @torch.no_grad()
    def forward(self) -> None:
        """One forward pass in evaluation."""
        if self.network.training:
            self.network.eval()
        self.network(self.images)


def timed(work: Callable[[], object]) -> float:
    """Seconds that some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@contextmanager
def _hold_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C wait for the end; a process started here never hears it.

    It keeps the mask of signals that it was started with. Windows has none.
    """
    heard: list[int] = []
    masks = hasattr(signal, "pthread_sigmask")
    resource_tracker.ensure_running()  # starting, it takes the mask away
    before = signal.signal(
        signal.SIGINT, lambda number, _: heard.append(number)
    )
    if masks:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if masks:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, before)
    if heard:
        raise KeyboardInterrupt


class Worker:
    """A `TimedNetwork` in another process; the same arguments."""

    def __init__(self, contestant: Contestant, shape: tuple[int, ...]) -> None:
        self.name = contestant.name
        spawn = get_context("spawn")
        self.pipe, end = spawn.Pipe()
        self.process = spawn.Process(
            target=_serve,
            args=(end, contestant, shape, torch.get_num_threads()),
            daemon=True,
        )
        with _hold_ctrl_c():
            self.process.start()
        end.close()

    def ask(self, what: str) -> Any:
        """Call a method over there and wait for what it returns.

        Raises ChildProcessError if the process ended, for want of memory say.
        """
        try:
            self.pipe.send(what)
            return self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            raise ChildProcessError(
                f"{self.name} must answer; its process ended with code "
                f"{self.process.exitcode}"
            ) from None

    def close(self) -> None:
        """End the process, whatever it does."""
        self.pipe.close()
        self.process.terminate()
        self.process.join()


def _serve(
    pipe: Connection,
    contestant: Contestant,
    shape: tuple[int, ...],
    threads: int,
) -> None:
    """Do what is asked until nobody asks."""
    torch.set_num_threads(threads)
    timed_network = TimedNetwork(contestant, shape)
    while True:
        try:
            what = pipe.recv()
        except EOFError:
            return
        pipe.send(getattr(timed_network, what)())
