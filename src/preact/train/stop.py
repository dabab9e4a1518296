"""Requests to stop: Ctrl-C, SIGTERM, SIGHUP, and a time that is over."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SENTENCES = {
    signal.SIGINT: "stopped by Ctrl-C",
    signal.SIGTERM: "stopped by SIGTERM",
}
if hasattr(signal, "SIGHUP"):  # not on Windows
    SENTENCES[signal.SIGHUP] = "stopped by SIGHUP"


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
    the number of another.
    """
    requests = Requests()
    handlers: dict[int, Any] = dict.fromkeys(_heeded(), requests.note)
    if hasattr(signal, "SIGCONT"):
        handlers[signal.SIGCONT] = requests.note_resumption
    with _handled(handlers):
        yield requests


@contextmanager
def stopping_at_once() -> Iterator[None]:
    """Stop at a signal: where there is nothing to be saved.

    Raises
    ------
    Stopped
        At a signal.
    """

    def stop(number: int, _frame: FrameType | None) -> None:
        raise Stopped(number)

    with _handled(dict.fromkeys(_heeded(), stop)):
        yield


def _heeded() -> list[int]:
    """Signals that ask to stop; not the one that `nohup` has turned off.

    SIGINT is heeded even where a shell has turned it off, as it does for
    what a script starts with `&`.
    """
    return [
        number
        for number in SENTENCES
        if number in (signal.SIGINT, signal.SIGTERM)
        or signal.getsignal(number) != signal.SIG_IGN
    ]


@contextmanager
def _handled(handlers: dict[int, Any]) -> Iterator[None]:
    """Install handlers of signals, and put back what was there."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread only
        return
    before = {n: signal.signal(n, each) for n, each in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)
