"""A request to stop is never lost, and the program around us gets it too."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import psutil
import pytest

from paths import ROOT
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


@pytest.mark.parametrize("ends", ["well", "stopped", "in an error"])
def test_a_handler_of_the_calling_program_is_back_and_hears_of_the_signal(
    run, tmp_path, ends
):
    got = []

    def handle(*_):
        got.append(read(tmp_path / NAME)["iteration"])

    def report(point):
        if ends == "stopped":
            signal.raise_signal(signal.SIGTERM)
        elif ends == "in an error":
            raise ValueError

    signal.signal(signal.SIGTERM, handle)
    try:
        train(run, tmp_path, report_every=1, report=report)
    except (Stopped, ValueError):
        assert ends != "well"
    assert got == ([1] if ends == "stopped" else [])
    assert signal.getsignal(signal.SIGTERM) is handle
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# As compilers do with what they trace.
HOST = """
import os, signal, sys
from pathlib import Path
from subprocess import PIPE, Popen

def test_is_ended():
    code = "print('UP', flush=True); import time; time.sleep(600)"
    child = Popen([sys.executable, "-c", code], stdout=PIPE)
    child.stdout.readline()
    Path("child").write_text(str(child.pid))
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except BaseException as error:
        raise RuntimeError from error

def test_is_not_begun():
    Path("begun").touch()
"""


@pytest.mark.slow
def test_this_suite_ends_at_sigterm_whatever_a_test_is_doing(tmp_path):
    (tmp_path / "test_host.py").write_text(HOST)
    paths = [str(ROOT / "tests"), str(ROOT / "src")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "conftest", tmp_path],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 128 + signal.SIGTERM, done.stdout + done.stderr
    assert done.stdout.endswith("pytest: stopped by SIGTERM\n")
    assert "failed" not in done.stdout
    assert not (tmp_path / "begun").exists()
    with suppress(psutil.NoSuchProcess):
        psutil.Process(int((tmp_path / "child").read_text())).wait(60)
