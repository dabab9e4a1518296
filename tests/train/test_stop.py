"""A request to stop is never lost, and handlers are put back."""

import signal
from contextlib import suppress

import pytest

from preact.train import train
from preact.train.checkpoint import NAME, read
from preact.train.stop import Stopped
from small import small_run

LAST = 6
ASKED = [signal.SIGINT, signal.SIGTERM]


@pytest.fixture
def run():
    return small_run(recipe={"iterations": LAST})


@pytest.fixture(autouse=True)
def _handlers_of_a_bare_process():
    before = {number: signal.getsignal(number) for number in ASKED}
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def at(iteration, number):
    """A report that is sent a signal when it is told of an iteration."""

    def report(point):
        if point["iteration"] == iteration:
            signal.raise_signal(number)

    return report


@pytest.mark.parametrize("number", ASKED)
def test_a_request_in_the_last_step_stops_and_the_run_is_kept(
    run, tmp_path, number
):
    with pytest.raises(Stopped) as stopped:
        train(run, tmp_path, report_every=1, report=at(LAST, number))
    assert stopped.value.number == number
    assert read(tmp_path / NAME)["iteration"] == LAST
    assert train(run, tmp_path).iterations == LAST


def test_a_request_before_an_error_is_not_lost_with_it(run, tmp_path):
    """Else what makes run after run would begin the next one."""

    def report(point):
        signal.raise_signal(signal.SIGTERM)
        raise ValueError("no report")

    with pytest.raises(Stopped) as stopped:
        train(run, tmp_path, report_every=1, report=report)
    assert str(stopped.value.__context__) == "no report"


@pytest.mark.parametrize("ends", ["well", "in an error"])
def test_a_handler_of_the_calling_program_is_back(run, tmp_path, ends):
    def handle(*_):
        pass

    def report(point):
        if ends == "in an error":
            raise ValueError("no report")

    signal.signal(signal.SIGTERM, handle)
    with suppress(ValueError):
        train(run, tmp_path, report_every=1, report=report)
    assert signal.getsignal(signal.SIGTERM) is handle
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
