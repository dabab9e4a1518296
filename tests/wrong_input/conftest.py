"""A command to attack, and a small run that it should not lose."""

import os
import signal
import subprocess
import sys

import pytest
import torch
from judging import SMALL, Command

from preact.data import load
from preact.experiment import execute, planned_runs, read_experiment
from preact.train.stop import TimeOver


@pytest.fixture(autouse=True)
def one_thread():
    """More would fight in networks as small as these."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def command(capsys, caplog):
    return Command(capsys, caplog)


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """An experiment file of one run of four iterations."""
    path = tmp_path_factory.mktemp("small") / "small.toml"
    path.write_text(SMALL)
    return path


def run_until(file, out, iterations):
    """Train a file's run, a checkpoint each iteration, until time is up."""
    (planned,) = planned_runs(read_experiment(file), load("digits"))
    left = iter([1.0] * (iterations - 1))
    return execute(
        planned,
        out,
        device="cpu",
        save_every=1,
        left_s=lambda: next(left, 0.0),
    )


@pytest.fixture(scope="session")
def broken_off(small, tmp_path_factory):
    """Records' folder with checkpoints of iterations 2 and 3 of 4."""
    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("broken-off")
    with pytest.raises(TimeOver):
        run_until(small, out, 3)
    return out


@pytest.fixture(scope="session")
def calm(small, tmp_path_factory):
    """Records' folder of the run that nothing has happened to."""
    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("calm")
    run_until(small, out, 9)
    return out


@pytest.fixture
def process(tmp_path):
    """`process(words, ...)`: a command in a process of its own."""
    started = []

    def start(*words, env=None, **options):
        # own group: what it starts ends with it
        options = {"stdout": subprocess.PIPE, "cwd": tmp_path} | options
        one = subprocess.Popen(
            [sys.executable, "-m", "preact", *map(str, words)],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"} | (env or {}),
            **options,
        )
        started.append(one)
        return one

    yield start
    for one in started:
        if one.poll() is None:
            os.killpg(one.pid, signal.SIGKILL)
        one.communicate()
