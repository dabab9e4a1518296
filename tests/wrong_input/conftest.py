"""A command to attack, and a small run that it should not lose."""

import pytest
import torch

from preact.book.stacks import single_thread
from preact.data import load
from preact.experiment import execute, read_experiment
from preact.experiment.matrix import planned_runs
from wrong_input.judging import SMALL, Command


@pytest.fixture(autouse=True)
def one_thread():
    """More would fight in networks as small as these."""
    with single_thread():
        yield


@pytest.fixture
def command(capsys, caplog):
    return Command(capsys, caplog)


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """An experiment file of one run of four iterations."""
    path = tmp_path_factory.mktemp("small") / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture(scope="session")
def calm(small, tmp_path_factory):
    """Folder with the record of its run."""
    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("calm")
    (planned,) = planned_runs(read_experiment(small), load("digits"))
    execute(planned, out, device="cpu")
    return out
