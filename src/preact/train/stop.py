"""Requests to stop: Ctrl-C and SIGTERM."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SENTENCES = {
    signal.SIGINT: "stopped by Ctrl-C",
    signal.SIGTERM: "stopped by SIGTERM",
}


class Stopped(KeyboardInterrupt):
    """A signal asked to stop; what was learned is kept."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.exit_code = 128 + number
        why = SENTENCES[signal.Signals(number)]
        super().__init__(f"{why}; run the same command again to go on")


@contextmanager
def noted_signals() -> Iterator[list[int]]:
    """Note signals instead of stopping at once; the list is polled.

    A save in the middle of a step would hold weights of one iteration and
    the number of another. Raises Stopped in the end for one that was not
    polled, because it came in the last step or an error came first.
    """
    noted: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield noted  # signals reach the main thread only
        return
    before = {
        number: signal.signal(number, lambda number, _: noted.append(number))
        for number in SENTENCES
    }
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)
        if noted:
            raise Stopped(noted[0])
