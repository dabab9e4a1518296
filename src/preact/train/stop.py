"""Requests to stop: Ctrl-C, SIGTERM and others, and a time that is over."""

import signal
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SENTENCES = {
    signal.SIGINT: "stopped by Ctrl-C",
    signal.SIGTERM: "stopped by SIGTERM",
}
if hasattr(signal, "SIGHUP"):  # not on Windows
    SENTENCES[signal.SIGHUP] = "stopped by SIGHUP"
    # Slurm's notice; to a program that handles it, it may mean anything.
    SENTENCES[signal.SIGUSR1] = "stopped by SIGUSR1"


class Stopped(KeyboardInterrupt):
    """A signal asked to stop; what was learned is kept.

    Parameters
    ----------
    number : int
        Of the signal.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.exit_code = 128 + number
        why = SENTENCES[signal.Signals(number)]
        super().__init__(f"{why}; run the same command again to go on")


class TimeOver(Exception):
    """The time that was given is over; what was learned is kept."""


class Requests:
    """What has been asked for since it began: a signal's number, or 0."""

    def __init__(self) -> None:
        self.number = 0
        self.was_suspended = False

    def note(self, number: int, _frame: FrameType | None) -> None:
        self.number = number

    def note_resumption(self, _number: int, _frame: FrameType | None) -> None:
        self.was_suspended = True


@contextmanager
def noted_requests() -> Iterator[Requests]:
    """Note signals instead of stopping at once; they are polled.

    A save in the middle of a step would hold weights of one iteration and
    the number of another. None is lost: one that was not polled, because it
    came in the last step or an error came first, stops in the end.

    Raises
    ------
    Stopped
        At the end, if there was a request that nobody answered.
    """
    requests = Requests()
    handlers: dict[int, Any] = dict.fromkeys(_heeded(), requests.note)
    if hasattr(signal, "SIGCONT"):
        handlers[signal.SIGCONT] = requests.note_resumption
    try:
        with _handled(handlers):
            yield requests
    finally:
        if requests.number:
            _tell_host(requests.number)
            if not isinstance(sys.exception(), Stopped):
                raise Stopped(requests.number)


def finish_in_any_case() -> None:
    """Ignore SIGTERM from now on: a process that ends anyway says why first.

    When one process is lost, torchrun sends SIGTERM to the others, often
    before they have told what happened. It kills what is left 30 s later.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


@contextmanager
def stopping_at_once() -> Iterator[None]:
    """Stop at a signal: where there is nothing to be saved.

    Raises
    ------
    Stopped
        At a signal.
    """
    try:
        with _handled(dict.fromkeys(_heeded(), _stop)):
            yield
    except Stopped as stopped:
        _tell_host(stopped.number)
        raise


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Stopped(number)


def _tell_host(number: int) -> None:
    """Let the program around us know of a signal, if it waits for it.

    It may raise an error of its own; else `Stopped` goes on.
    """
    handler = signal.getsignal(number)
    if callable(handler) and handler not in (
        _stop,
        signal.default_int_handler,  # would raise a KeyboardInterrupt anyway
    ):
        signal.raise_signal(number)


def _heeded() -> list[int]:
    """Signals that ask to stop; not the one that `nohup` has turned off.

    SIGINT is heeded even where a shell has turned it off, as it does for
    what a script starts with `&`; SIGUSR1 only where it would end us.
    """
    return [number for number in SENTENCES if _is_heeded(number)]


def _is_heeded(number: signal.Signals) -> bool:
    handler = signal.getsignal(number)
    match number.name:
        case "SIGHUP":
            return handler != signal.SIG_IGN
        case "SIGUSR1":
            return handler in (signal.SIG_DFL, _stop)
    return True


@contextmanager
def _handled(handlers: dict[int, Any]) -> Iterator[None]:
    """Install handlers of signals, and put back what was there."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread only
        return
    before: dict[int, Any] = {}
    try:
        with held_back(handlers):
            for number, handler in handlers.items():
                before[number] = signal.signal(number, handler)
        yield
    finally:
        with held_back(handlers):
            for number, handler in before.items():
                signal.signal(number, handler or signal.SIG_DFL)


@contextmanager
def held_back(numbers: Collection[int]) -> Iterator[None]:
    """Let signals wait: one that stops us half-way would leave handlers."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
