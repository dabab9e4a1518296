"""A request to stop is never lost, and the program around us gets it too."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count

import psutil
import pytest

from paths import ROOT
from preact.cli import main
from preact.data import load
from preact.train import Run, find_recipe, train
from preact.train.checkpoint import NAME, read
from preact.train.session import Session
from preact.train.stop import Stopped, noted_requests, stopping_at_once

LAST = 6
ASKED = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
TINY = ["--depth", "8", "--width", "4", "--batch", "8", "--device", "cpu"]
TINY += ["--iterations", str(LAST)]


@pytest.fixture(scope="module")
def run():
    return Run(
        row="full-preactivation",
        depth=8,
        convs=2,
        width=4,
        recipe=replace(
            find_recipe("digits"), iterations=LAST, batch=16, ghost_batch=8
        ),
        data=load("digits"),
    )


@pytest.fixture(autouse=True)
def _handlers_of_a_bare_process():
    numbers = [*ASKED, signal.SIGUSR1]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)
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


@contextmanager
def host_with(handle, number):
    """A program that has a handler of its own, which stays in its place."""
    signal.signal(number, handle)
    yield
    assert signal.getsignal(number) is handle


@pytest.mark.parametrize("number", [*ASKED, signal.SIGUSR1])
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


def test_a_request_in_the_last_step_of_a_run_begins_no_other_run(
    tmp_path, monkeypatch, capsys
):
    path = tmp_path / "two.toml"
    path.write_text(
        "[scientific]\nrows = ['original', 'full-preactivation']\n"
        "networks = [{depth = 8, convs = 2, width = 4}]\n"
        "[fixed]\nrecipe = 'digits'\n[fixed.recipe_changes]\n"
        f"iterations = {LAST}\nbatch = 8\nghost_batch = 8\n"
        "drop_at = [5]\nwarmup_iterations = 2\n"
    )
    real, trained = Session.evaluate, []

    def evaluate(self):
        trained.append(self.run.row)
        signal.raise_signal(signal.SIGTERM)
        return real(self)

    monkeypatch.setattr(Session, "evaluate", evaluate)
    command = ["ablate", str(path), "--out", str(tmp_path), "--device", "cpu"]
    assert main(command) == 128 + signal.SIGTERM
    assert len(set(trained)) == 1
    assert "stopped by SIGTERM" in capsys.readouterr().err


@pytest.mark.parametrize("number", ASKED)
@pytest.mark.parametrize("iteration", [2, LAST])
def test_a_program_with_its_own_handler_gets_the_signal_after_the_save(
    run, tmp_path, number, iteration
):
    got = []

    def handle(*arguments):
        got.append((arguments[0], read(tmp_path / NAME)["iteration"]))

    with host_with(handle, number):
        with pytest.raises(Stopped):
            train(run, tmp_path, report_every=1, report=at(iteration, number))
        assert got == [(number, iteration)]


def test_what_the_handler_around_us_raises_comes_out_of_training(
    run, tmp_path
):
    def leave(*_):
        raise SystemExit(7)

    with host_with(leave, signal.SIGTERM), pytest.raises(SystemExit):
        train(run, tmp_path, report_every=1, report=at(2, signal.SIGTERM))
    assert read(tmp_path / NAME)["iteration"] == 2


def test_the_program_around_a_command_gets_the_signal(tmp_path, monkeypatch):
    got, real = [], Session.step

    def step(self, iteration, **options):
        real(self, iteration, **options)
        if iteration == 2:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(Session, "step", step)
    with host_with(lambda *_: got.append(1), signal.SIGTERM):
        command = ["train", *TINY, "--out", str(tmp_path)]
        assert main(command) == 128 + signal.SIGTERM
    assert got == [1]


def test_a_sigusr1_that_the_program_handles_is_its_own(run, tmp_path):
    """To it, it may mean anything; to a bare process it is Slurm's notice."""
    got = []
    with host_with(lambda *_: got.append(1), signal.SIGUSR1):
        report = at(2, signal.SIGUSR1)
        ended = train(run, tmp_path, report_every=1, report=report)
    assert (ended.iterations, got) == (LAST, [1])


@pytest.mark.parametrize("ends", ["well", "stopped", "in an error"])
def test_after_training_a_signal_goes_where_it_went_before(
    run, tmp_path, ends
):
    got = []

    def report(point):
        if ends == "stopped":
            signal.raise_signal(signal.SIGINT)
        elif ends == "in an error":
            raise ValueError

    before = [signal.getsignal(number) for number in (*ASKED, signal.SIGCONT)]
    with host_with(lambda *_: got.append(1), signal.SIGTERM):
        try:
            train(run, tmp_path, report_every=1, report=report)
        except (Stopped, ValueError):
            assert ends != "well"
        assert got == []
        signal.raise_signal(signal.SIGTERM)
        assert got == [1]
    signal.signal(signal.SIGTERM, before[1])
    after = [signal.getsignal(number) for number in (*ASKED, signal.SIGCONT)]
    assert after == before


@pytest.mark.parametrize("handled", [noted_requests, stopping_at_once])
@pytest.mark.parametrize("number", ASKED)
def test_a_signal_amid_the_handlers_leaves_none_of_ours(
    monkeypatch, handled, number
):
    """Sent after the first, second ... of them was put in or out of place."""

    class ByHost(Exception):
        pass

    def leave(*_):
        raise ByHost

    for each in ASKED:
        signal.signal(each, leave)
    real = signal.signal
    for n in count(1):
        calls = count(1)

        def moved(*arguments, calls=calls, n=n):
            before = real(*arguments)
            if next(calls) == n:
                signal.raise_signal(number)
            return before

        monkeypatch.setattr(signal, "signal", moved)
        try:
            with handled():
                pass
        except (Stopped, ByHost):
            pass
        else:  # all calls are through
            assert n > 2 * len(ASKED)
            return
        finally:
            monkeypatch.undo()
        assert [signal.getsignal(each) for each in ASKED] == [leave] * 3, n
        assert not set(ASKED) & signal.pthread_sigmask(signal.SIG_BLOCK, ())


TRAINS = f"""
from preact.cli import main
from preact.train.session import Session

def test_is_ended(tmp_path, monkeypatch):
    real = Session.step
    def step(self, iteration, **options):
        real(self, iteration, **options)
        os.kill(os.getpid(), signal.SIGTERM)
    monkeypatch.setattr(Session, "step", step)
    main(["train", *{TINY}, "--out", str(tmp_path)])
"""
# As Triton's interpreter does with the lines of a kernel.
WRAPS = """
def test_is_ended():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except BaseException as error:
        raise RuntimeError from error
"""
STARTS = """
def test_is_ended():
    code = "print('UP', flush=True); import time; time.sleep(600)"
    child = Popen([sys.executable, "-c", code], stdout=PIPE)
    child.stdout.readline()
    Path("child").write_text(str(child.pid))
    os.kill(os.getpid(), signal.SIGTERM)
"""
HOST = """
import os, signal, sys
from pathlib import Path
from subprocess import PIPE, Popen
{}

def test_is_not_begun():
    Path("begun").touch()
"""


@pytest.mark.slow
@pytest.mark.parametrize("test", [TRAINS, WRAPS, STARTS])
def test_this_suite_ends_at_sigterm_whatever_a_test_is_doing(tmp_path, test):
    (tmp_path / "test_host.py").write_text(HOST.format(test))
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
    if (child := tmp_path / "child").exists():
        with suppress(psutil.NoSuchProcess):
            psutil.Process(int(child.read_text())).wait(60)
