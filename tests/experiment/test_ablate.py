"""In what order runs are made, and what becomes of those that cannot be."""

import errno
from collections import Counter

import pytest

from preact.cli.ablate import Job, work_through
from preact.data import load
from preact.experiment import read_experiment
from preact.experiment.execute import Busy
from preact.experiment.matrix import planned_runs

FILE = """
[scientific]
rows = ["original", "full-preactivation"]
networks = [{ depth = 8, convs = 2, width = 4 }]
[nuisance]
seeds = [1, 2]
[fixed]
recipe = "digits"
"""


@pytest.fixture
def jobs(tmp_path):
    """Those of two files, one after another."""
    found = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.toml"
        path.write_text(FILE)
        experiment = read_experiment(path)
        plan = planned_runs(experiment, load("digits"))
        found += [Job(experiment, planned) for planned in plan]
    return found


class Worker:
    """Makes runs, some of which go wrong."""

    def __init__(self, wrong=None):
        self.wrong, self.made, self.ended = wrong or {}, [], Counter()

    def make(self, job):
        self.made.append(job)
        if error := self.wrong.get(len(self.made)):
            raise error
        return "finished"

    def work(self, jobs):
        work_through(jobs, self.make, self.ended)


def test_first_seeds_of_all_files_come_first(jobs):
    worker = Worker()
    worker.work(jobs)
    made = [(job.planned.run.seed, job.experiment.name) for job in worker.made]
    assert made == [
        (seed, name)
        for seed in (1, 2)
        for name in ("one", "two")
        for _ in range(2)
    ]


def test_a_run_that_cannot_be_made_does_not_keep_the_others(jobs, capsys):
    worker = Worker({2: ValueError("no such row"), 3: MemoryError("large")})
    worker.work(jobs)
    assert worker.ended == {"finished": 6, "failed": 2}
    first, second = capsys.readouterr().err.splitlines()
    assert "no such row" in first
    assert "large" in second


def test_a_run_of_another_process_is_looked_at_once_more_at_the_end(jobs):
    worker = Worker({1: Busy("a"), 2: Busy("b"), 9: Busy("a")})
    worker.work(jobs)
    assert worker.made[8:] == worker.made[:2]
    assert worker.ended == {"finished": 7, "trained by another process": 1}


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "disk full"), KeyboardInterrupt]
)
def test_a_full_disk_and_ctrl_c_end_all_runs(jobs, error):
    worker = Worker({3: error})
    with pytest.raises((OSError, KeyboardInterrupt)):
        worker.work(jobs)
    assert len(worker.made) == 3
