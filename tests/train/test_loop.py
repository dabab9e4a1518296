"""Runs that resume bit for bit, checkpoints that are refused, divergence."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from paths import ROOT
from preact.nn import Network
from preact.nn.layers import set_ghost_batch
from preact.plan import cifar_plan
from preact.spec import TABLE_2
from preact.train import loop, train
from preact.train.checkpoint import NAME, read
from sampled import sampled
from small import small_run


def tiny(iterations=12, **changes):
    return small_run(recipe={"iterations": iterations, **changes})


def final(folder):
    return read(folder / NAME)


def assert_same_end(a, b):
    assert a["iteration"] == b["iteration"]
    for name in ("curve", "profiles", "images"):
        assert a["history"][name] == b["history"][name]
    a, b = a["session"], b["session"]
    for (one,), (other,) in zip(a["own"], b["own"], strict=True):
        assert torch.equal(one, other)
    assert a["network"].keys() == b["network"].keys()
    for name, value in a["network"].items():
        assert torch.equal(value, b["network"][name]), name
    for one, two in zip(
        a["optimizer"]["state"].values(),
        b["optimizer"]["state"].values(),
        strict=True,
    ):
        assert torch.equal(one["momentum_buffer"], two["momentum_buffer"])


@pytest.mark.parametrize("stop", [*sampled([6, 1, 11], 3)])
@pytest.mark.parametrize("where", ["between steps", "inside a step"])
def test_a_run_stopped_by_ctrl_c_ends_as_if_it_had_not_been(
    tmp_path, stop, where, monkeypatch
):
    run = tiny()
    train(run, tmp_path / "calm", save_every=4, report_every=1)

    steps = []

    def interrupt(point):
        if where == "between steps" and point["iteration"] == stop:
            signal.raise_signal(signal.SIGINT)

    real = torch.optim.SGD.step

    def interrupted_step(self, *arguments):
        """Ctrl-C when the weights have moved and the count has not."""
        real(self, *arguments)
        steps.append(1)
        if where == "inside a step" and len(steps) == stop:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(torch.optim.SGD, "step", interrupted_step)
    with pytest.raises(KeyboardInterrupt):
        train(
            run,
            tmp_path / "cut",
            save_every=4,
            report_every=1,
            report=interrupt,
        )
    monkeypatch.undo()
    assert final(tmp_path / "cut")["iteration"] == stop
    train(run, tmp_path / "cut", save_every=4, report_every=1)
    assert_same_end(final(tmp_path / "calm"), final(tmp_path / "cut"))


@pytest.mark.slow
def test_a_run_killed_at_50_random_points_ends_bit_for_bit_the_same(tmp_path):
    script = Path(__file__).with_name("killed.py")
    told = subprocess.run(
        [sys.executable, str(script), str(tmp_path), "50"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert int(told.stdout.split()[0]) == 50
    assert_same_end(final(tmp_path / "calm"), final(tmp_path / "killed"))


def test_training_lowers_the_error(tmp_path):
    short = train(tiny(2), tmp_path / "a")
    long = train(tiny(120), tmp_path / "b")
    assert long.outcome == "finished"
    assert long.test_error_pct < 0.7 * short.test_error_pct


def test_the_first_point_behind_each_tenth_has_a_test_error(tmp_path):
    ended = train(tiny(40), tmp_path, report_every=3)
    tested = [p["iteration"] for p in ended.curve if "test_error_pct" in p]
    assert tested == [6, 9, 12, 18, 21, 24, 30, 33, 36, 40]


def test_a_point_has_the_rate_of_the_step_before_it_a_profile_its_own(
    tmp_path,
):
    run = tiny(21, lr=0.1, warmup_iterations=0, drop_at=(14, 20))
    ended = train(run, tmp_path, report_every=5)
    assert [p["iteration"] for p in ended.curve] == [5, 10, 15, 20, 21]
    rates = [point["lr"] for point in ended.curve]
    assert rates == pytest.approx([0.1, 0.1, 0.01, 0.01, 0.001])
    seen = [profile["iteration"] for profile in ended.profiles]
    assert seen == [0, 1, 3, 10, 12, 15, 18, 20]


def test_a_loss_that_is_not_finite_ends_the_run_as_diverged(tmp_path):
    run = tiny(50, lr=1e30, warmup_iterations=0)
    ended = train(run, tmp_path, report_every=1)
    assert ended.outcome == "diverged"
    assert ended.iterations < 50
    assert 0 <= ended.test_error_pct <= 100


def test_a_checkpoint_is_saved_every_minute_too(tmp_path, monkeypatch):
    """Here every moment; by iterations none would be due."""
    saved = []

    def look(point):
        there = (tmp_path / NAME).exists()
        saved.append(there and final(tmp_path)["iteration"])

    run = tiny(3)
    often = {"save_every": 1000, "report_every": 1, "report": look}
    monkeypatch.setattr(loop, "SAVE_EVERY_S", 0.0)
    train(run, tmp_path, **often)
    assert saved == [False, 1, 2]


def test_a_run_that_was_killed_before_its_record_keeps_its_speed(tmp_path):
    """All steps were done before: the speed is not 0, and no step's."""
    first = train(tiny(3), tmp_path)
    kept = final(tmp_path)["history"]  # all but the time of its own save
    again = train(tiny(3), tmp_path)
    assert first.images_per_s == again.images_per_s > 0
    assert first.wall_s >= kept["busy_s"] + kept["away_s"] > 0
    assert again.wall_s >= kept["busy_s"] + kept["away_s"]


def test_a_full_disk_loses_nothing_that_was_saved(tmp_path, monkeypatch):
    run = tiny()
    train(run, tmp_path / "calm", save_every=4)
    folder, syncs = tmp_path / "full", []

    def full(descriptor):
        syncs.append(descriptor)
        if len(syncs) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        train(run, folder, save_every=4)
    monkeypatch.undo()
    assert sorted(p.name for p in folder.iterdir()) == [NAME]
    assert final(folder)["iteration"] == 4
    train(run, folder, save_every=4)
    assert_same_end(final(tmp_path / "calm"), final(folder))


def test_ghost_gradients_are_those_of_separate_batches():
    plan = cifar_plan(TABLE_2["full-preactivation"], depth=8, convs=2, width=3)
    x = torch.randn(6, 3, 8, 8, dtype=torch.float64)
    labels = torch.arange(6)
    network = Network(plan, seed=0).double()
    set_ghost_batch(network, 2)
    torch.nn.functional.cross_entropy(network(x), labels).backward()
    ghosts = [p.grad.clone() for p in network.parameters()]
    network.zero_grad()
    set_ghost_batch(network, None)
    for part in range(0, 6, 2):
        some = slice(part, part + 2)
        loss = torch.nn.functional.cross_entropy(
            network(x[some]), labels[some]
        )
        (loss / 3).backward()
    for ghost, parameter in zip(ghosts, network.parameters(), strict=True):
        torch.testing.assert_close(
            ghost, parameter.grad, rtol=1e-9, atol=1e-12
        )
