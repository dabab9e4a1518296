"""The comparison compares the same thing, and refuses to time a wrong one."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import torch

from preact.bench.check import check
from preact.bench.contestants import Contestant, contestants, missing_peers
from preact.bench.times import LR, TimedNetwork, Worker, compare_times
from preact.cli import main
from preact.cli.bench import times_table
from preact.fast import fast
from preact.nn import Network
from preact.plan import cifar_plan
from preact.records.speed import BenchRecord
from preact.spec import TABLE_2
from preact.train import find_recipe
from preact.train.step import TrainingStep, make_optimizer
from preact.typed import parse


def planned(depth):
    return cifar_plan(TABLE_2["full-preactivation"], depth=depth, convs=3)


def test_the_peers_are_installed():
    assert missing_peers() == []


@pytest.mark.parametrize("channels_last", [False, True])
def test_the_step_that_is_timed_is_the_one_that_trains(channels_last):
    """Bit for bit, on the contestant's batch: SGD, decay and momentum too."""

    def build():
        return Network(planned(11), seed=0)

    entry = Contestant(
        name="a net", peer=False, build=build, channels_last=channels_last
    )
    timed_network = TimedNetwork(entry, (4, 3, 8, 8))
    network = build()
    network.to(
        memory_format=torch.channels_last
        if channels_last
        else torch.contiguous_format
    )
    sgd = make_optimizer(network.train(), find_recipe("paper"))
    step = TrainingStep(network, sgd)
    step.set_lr(LR)
    for _ in range(3):
        timed_network.train()
        step(timed_network.images, timed_network.labels)
    for a, b in zip(
        network.state_dict().values(),
        timed_network.network.state_dict().values(),
        strict=True,
    ):
        assert torch.equal(a, b)


@pytest.mark.slow
def test_every_contestant_is_the_same_network():
    entries = list(contestants(planned(164)))
    assert [e.name for e in entries if e.peer] == [
        f"{package}, {layout}"
        for package in ("pytorchcv", "torch-resnet")
        for layout in ("as shipped", "channels_last")
    ]
    for entry in entries:
        timed_network = TimedNetwork(entry, (2, 3, 32, 32))
        n = sum(p.numel() for p in timed_network.network.parameters())
        assert n == 1_703_258
        assert timed_network.network(timed_network.images).shape == (2, 10)


@pytest.mark.slow
def test_times_are_taken_by_turns_and_the_first_turn_does_not_count():
    turns = []
    rows = compare_times(
        list(contestants(planned(11)))[-2:],  # each loads PyTorch
        planned(11),
        batch=4,
        rounds=2,
        progress=turns.append,
    )
    assert turns == [0, 1, 2]
    assert len(rows) == 2
    for row in rows:
        assert 0 < row["train_ms_min"] <= row["train_ms_median"]
        assert row["kept_bytes_per_image"] > 0


@pytest.mark.slow
def test_a_contestant_whose_process_dies_is_named():
    entry = next(contestants(planned(11)))
    with closing(Worker(entry, (2, 3, 32, 32))) as worker:
        worker.process.kill()
        with pytest.raises(ChildProcessError, match=f"{entry.name} must"):
            worker.ask("turn")


def test_a_network_whose_gradients_are_off_is_not_timed():
    """A thousandth, at the input of the units."""

    class Mistaken(Network):
        def run_units(self, x):
            x.register_hook(lambda dx: dx * 1.001)
            return super().run_units(x)

    def view(network):
        network.__class__ = Mistaken
        return network

    plan = cifar_plan(
        TABLE_2["full-preactivation"], depth=14, convs=2, image=(3, 16, 16)
    )
    assert check(plan, fast) < 1e-4
    with pytest.raises(ArithmeticError, match="times of it would mean"):
        check(plan, view)


@pytest.mark.slow
def test_the_command_prints_a_table_and_writes_a_record(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(
        "preact.cli.bench.contestants",
        lambda *there, **how: [*contestants(*there, **how)][-2:],
    )
    path = tmp_path / "bench" / "cpu.json"
    command = ["bench", "--depth", "11", "--batch", "4", "--rounds", "1"]
    assert main([*command, "--threads", "1", "--record", str(path)]) == 0
    said = capsys.readouterr().out
    assert "of float64 (29 layers)" in said
    record = json.loads(path.read_text())
    assert record["threads"] == 1
    assert record["gradient_error"] < 1e-4
    names = [row["name"] for row in record["rows"]]
    assert names == [f"preact, fast, {how}" for how in ("keep", "segment")]
    parse(BenchRecord, record)


def test_times_are_held_against_the_best_that_a_peer_can_do():
    rows = [
        {
            "name": name,
            "peer": peer,
            "train_ms_min": ms,
            "forward_ms_min": ms / 4,
            "kept_bytes_per_image": 1e6,
            "peak_bytes_per_image": 1e6,
            "first_step_s": 1.0,
        }
        for name, peer, ms in (
            ("theirs, as shipped", True, 12.0),
            ("theirs, channels_last", True, 9.0),
            ("ours", False, 6.0),
        )
    ]
    columns = [[*column.cells] for column in times_table(rows).columns]
    assert columns[2] == columns[4] == ["0.75", "1.00", "1.50"]


def is_contestant(pid):
    """Whether a process is alive, and one that multiprocessing started."""
    try:
        return (
            b"multiprocessing-fork"
            in Path(f"/proc/{pid}/cmdline").read_bytes()
        )
    except OSError:
        return False


def contestants_of(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [child for child in children if is_contestant(child)]


@pytest.mark.slow
def test_ctrl_c_is_one_sentence_and_leaves_no_process():
    command = [sys.executable, "-m", "preact", "bench", "--depth", "11"]
    command += ["--batch", "2", "--rounds", "100000", "--threads", "1"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a shell turns it off for what it starts with `&`
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.default_int_handler
        ),
    ) as process:
        try:
            if not Path(f"/proc/{process.pid}/task").exists():
                pytest.skip("the kernel does not tell of children here")
            while "gradients within" not in process.stdout.readline():
                assert process.poll() is None
            while len(started := contestants_of(process.pid)) < 7:
                assert process.poll() is None
                time.sleep(0.05)  # the last of them still imports
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            _, error = process.communicate()
        finally:
            process.kill()
    assert error == "preact: stopped\n"
    assert process.returncode == 130
    assert not any(map(is_contestant, started))
