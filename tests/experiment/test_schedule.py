"""Which runs are begun, and in what order, by a clock that is handed in."""

import errno
from collections import Counter

import pytest

from preact.data import load
from preact.experiment import matrix, read_experiment
from preact.experiment.execute import Busy
from preact.experiment.matrix import PlannedRun, planned_runs
from preact.experiment.schedule import (
    Job,
    time_limit,
    work_through,
)
from preact.train.stop import TimeOver

FILE = """
[scientific]
rows = ["original", "full-preactivation"]
networks = [
  { depth = 8, convs = 2, width = 4 },
  { depth = 11, convs = 3, width = 4 },
]
[nuisance]
seeds = [1, 2]
[fixed]
recipe = "digits"
recipe_changes = { iterations = 12, drop_at = [] }
"""
COSTS = {"resnet-8-2-width-4": 3.0, "resnet-11-3-width-4": 1.0}


@pytest.fixture
def jobs(tmp_path) -> list[Job]:
    path = tmp_path / "small.toml"
    path.write_text(FILE)
    experiment = read_experiment(path)
    return [
        Job(experiment, planned, COSTS[planned.network])
        for planned in planned_runs(experiment, load("digits"))
    ]


class Worker:
    """Makes runs of known costs and reads the clock that it moves."""

    def __init__(self, limit_s: float, wrong: dict | None = None) -> None:
        self.limit_s, self.wrong = limit_s, wrong or {}
        self.made: list[PlannedRun] = []
        self.told: list[str] = []
        self.ended: Counter[str] = Counter()

    def make(self, job: Job) -> str:
        self.made.append(job.planned)
        self.limit_s -= job.cost_s
        if error := self.wrong.get(len(self.made)):
            raise error
        return "finished"

    def work(self, jobs: list[Job]) -> list[tuple[int, int]]:
        work_through(
            jobs,
            self.make,
            left_s=lambda: self.limit_s,
            complain=self.told.append,
            ended=self.ended,
        )
        return [(made.run.seed, made.run.depth) for made in self.made]


def test_first_seeds_come_first_and_among_them_cheap_networks(jobs):
    assert Worker(100.0).work(jobs[::-1]) == [
        (1, 11),
        (1, 11),
        (1, 8),
        (1, 8),
        (2, 11),
        (2, 11),
        (2, 8),
        (2, 8),
    ]


def test_a_run_that_fits_exactly_is_made_and_a_longer_one_comes_last(jobs):
    worker = Worker(4.0)
    # 1 + 1, then 8 layers do not fit, 1 + 1 do; nothing is left for others
    assert worker.work(jobs) == [(1, 11), (1, 11), (2, 11), (2, 11)]
    assert worker.ended == {"finished": 4, "not begun": 4}


def test_a_run_that_cannot_be_made_does_not_keep_the_others(jobs):
    wrong = {2: ValueError("no such row"), 3: MemoryError("too large")}
    worker = Worker(100.0, wrong)
    assert len(worker.work(jobs)) == 8
    assert worker.ended == {"finished": 6, "failed": 2}
    assert [*map(str, worker.told)] == ["no such row", "too large"]


def test_a_run_of_another_process_is_looked_at_once_more_at_the_end(jobs):
    worker = Worker(100.0, {1: Busy("a"), 2: Busy("b"), 9: Busy("a")})
    worker.work(jobs)
    assert [run.path for run in worker.made[8:]] == [
        run.path for run in worker.made[:2]
    ]
    assert worker.ended == {"finished": 7, "trained by another process": 1}
    assert worker.told == []


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "disk full"), KeyboardInterrupt]
)
def test_a_full_disk_and_ctrl_c_end_all_runs(jobs, error):
    worker = Worker(100.0, {3: error})
    with pytest.raises((OSError, KeyboardInterrupt)):
        worker.work(jobs)
    assert len(worker.made) == 3


def test_a_limit_reached_inside_a_run_ends_the_queue(jobs):
    worker = Worker(100.0, {3: TimeOver()})
    worker.work(jobs)
    assert len(worker.made) == 3
    assert worker.ended == {"finished": 2, "stopped by the limit": 1}


def test_of_short_steps_so_many_are_timed_that_one_is_not_kept_waiting(
    jobs, monkeypatch
):
    waited = [0.1, 0.15, 0.15, 0.01, 0.2, 0.001]  # of half a second in all

    class Clocked:
        """Takes its steps in no time, by a clock that it moves."""

        repeated, now = None, 0.0

        def __init__(self, *_):
            self.steps = iter(waited)

        def step(self, iteration):
            Clocked.now += next(self.steps)

        def since_last_time(self):
            pass

    monkeypatch.setattr(matrix, "Session", Clocked)
    monkeypatch.setattr(matrix.time, "perf_counter", lambda: Clocked.now)
    run = jobs[0].planned.run
    assert matrix.cost(run, "cpu") == pytest.approx(0.01 * 12)
    waited[:] = [9.0, 7.0, 8.0]  # of long ones three
    assert matrix.cost(run, "cpu") == pytest.approx(7 * 12)


def test_a_limit_is_in_minutes_and_none_is_none():
    assert time_limit(None)() == float("inf")
    left_s = time_limit(10.0)
    first = left_s()
    assert 300 < first <= 600
    assert left_s() <= first
    assert 20 < time_limit(0.5)() <= 30
    for minutes in (float("nan"), 0):
        with pytest.raises(ValueError, match="must be a finite number"):
            time_limit(minutes)
