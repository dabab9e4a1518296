"""A contestant in a process of its own.

In one process the others' memory gets in the way: the allocator hands out
what they have left, scattered, and a step of ours took a tenth longer than
alone, one of theirs a twentieth.

Chapter `08-training`.
"""

import signal
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import torch

from preact.bench.contestants import Contestant
from preact.bench.timed_network import Facts, TimedNetwork


class WorkerProcess:
    """A `TimedNetwork` on the CPU, elsewhere.

    Parameters
    ----------
    contestant : Contestant
    shape : (N, C, H, W)
    """

    def __init__(self, contestant: Contestant, shape: tuple[int, ...]) -> None:
        self.name = contestant.name
        self.pipe, end = get_context("spawn").Pipe()
        self.process = get_context("spawn").Process(
            target=_serve,
            args=(end, contestant, shape, torch.get_num_threads()),
            daemon=True,
        )
        _start_without_sigint(self.process)
        end.close()

    def prepare(self) -> Facts:
        """See `TimedNetwork.prepare`."""
        facts: Facts = self._ask("prepare")
        return facts

    def turn(self) -> tuple[float, float]:
        """See `TimedNetwork.turn`."""
        train_s, forward_s = self._ask("turn")
        return train_s, forward_s

    def close(self) -> None:
        """End the process, whatever it does."""
        self.pipe.close()
        self.process.terminate()
        self.process.join()

    def _ask(self, what: str) -> Any:
        """Let the process do something and wait for what it says.

        Raises
        ------
        ChildProcessError
            If the process has ended, for want of memory perhaps.
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


def _start_without_sigint(process: BaseProcess) -> None:
    """Start a process that never sees Ctrl-C, not while it imports either.

    A child inherits what its parent blocks. Here the signal waits until the
    child has been told what to do: another thread may have received it.
    """
    waiting: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda *_: waiting.append(1))
    resource_tracker.ensure_running()  # it unblocks the signal
    has_masks = hasattr(signal, "pthread_sigmask")
    if has_masks:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        process.start()
    finally:
        if has_masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGINT, handler)
    if waiting:
        signal.raise_signal(signal.SIGINT)


def _serve(
    pipe: Connection,
    contestant: Contestant,
    shape: tuple[int, ...],
    threads: int,
) -> None:
    """Do what is asked until nobody asks."""
    torch.set_num_threads(threads)
    timed_network = TimedNetwork(contestant, shape, torch.device("cpu"))
    while True:
        try:
            what = pipe.recv()
        except EOFError:
            return
        pipe.send(
            timed_network.prepare()
            if what == "prepare"
            else timed_network.turn()
        )
