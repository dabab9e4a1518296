"""Requests to stop: Ctrl-C, SIGTERM, and a time that is over."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

SENTENCES = {
    signal.SIGINT: "stopped by Ctrl-C",
    signal.SIGTERM: "stopped by SIGTERM",
}
Handler = Callable[[int, FrameType | None], None]


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

    def note(self, number: int, _frame: FrameType | None) -> None:
        self.number = number


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
    try:
        with _handled(requests.note):
            yield requests
    finally:
        if requests.number:
            _pass_on(requests.number)


@contextmanager
def stopping_at_once() -> Iterator[None]:
    """Stop at a signal: where there is nothing to be saved.

    Raises
    ------
    Stopped
        At a signal.
    """
    try:
        with _handled(_stop):
            yield
    except Stopped as stopped:
        _pass_on(stopped.number)


def _pass_on(number: int) -> NoReturn:
    """Let the calling program's own handler know of a signal, then stop."""
    handler = signal.getsignal(number)
    if callable(handler) and handler is not signal.default_int_handler:
        handler(number, None)
    raise Stopped(number)


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Stopped(number)


def finish_in_any_case() -> None:
    """Ignore SIGTERM from now on: a process that ends anyway says why first.

    When one process is lost, torchrun sends SIGTERM to the others, often
    before they have told what happened. It kills what is left 30 s later.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


@contextmanager
def _handled(handler: Handler) -> Iterator[None]:
    """Install a handler, and put back what was there."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread only
        return
    before = {n: signal.signal(n, handler) for n in SENTENCES}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old or signal.SIG_DFL)
