"""The comparison compares the same thing, and refuses to time a wrong one."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import torch
from torch import nn

from paths import ROOT
from preact.bench import (
    Contestant,
    check,
    compare_times,
    contestants,
    errors,
    measure,
)
from preact.bench.contestants import missing_peers
from preact.bench.errors import Compared
from preact.bench.timed_network import LR, Facts, TimedNetwork
from preact.bench.worker_process import WorkerProcess
from preact.cli import main
from preact.figures import times_table
from preact.nn import Network
from preact.nn.layers import set_ghost_batch
from preact.plan import cifar_plan
from preact.records import BenchRecord
from preact.spec import TABLE_2
from preact.strings import Strings
from preact.train import find_recipe
from preact.train.step import TrainingStep, make_optimizer
from preact.typed import parse

CPU = torch.device("cpu")


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
    timed_network = TimedNetwork(entry, (4, 3, 8, 8), CPU)
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
    entries = list(contestants(planned(164), CPU))
    assert [e.name for e in entries if e.peer] == [
        "pytorchcv, as shipped",
        "torch-resnet, as shipped",
    ]
    for entry in entries:
        timed_network = TimedNetwork(entry, (2, 3, 32, 32), CPU)
        n = sum(p.numel() for p in timed_network.network.parameters())
        assert n == 1_703_258
        assert timed_network.network(timed_network.images).shape == (2, 10)


@pytest.mark.slow
def test_times_are_taken_by_turns_and_the_first_turn_does_not_count():
    turns = []
    found = compare_times(
        list(contestants(planned(11), CPU))[-2:],  # each loads PyTorch
        planned(11),
        batch=4,
        rounds=2,
        device=CPU,
        progress=turns.append,
    )
    assert turns == [0, 1, 2]
    assert len(found) == 2
    for one in found:
        assert len(one.train_s) == len(one.forward_s) == 2
        assert 0 < one.summary()["train_ms_min"]
        assert one.summary()["kept_bytes_per_image"] > 0


@pytest.mark.slow
def test_a_contestant_whose_process_dies_is_named():
    entry = next(contestants(planned(11), CPU))
    with closing(WorkerProcess(entry, (2, 3, 32, 32))) as worker:
        worker.process.kill()
        with pytest.raises(ChildProcessError, match=f"{entry.name} must"):
            worker.turn()


def test_gradients_of_the_fast_network_are_checked_first(monkeypatch):
    rows = check(planned(29), CPU)
    assert {row.part for row in rows} == {"logits", "gradients", "statistics"}
    monkeypatch.setattr(errors, "FACTOR", 0)
    with pytest.raises(ArithmeticError, match="times of it would mean"):
        check(planned(29), CPU)


@pytest.mark.slow
def test_the_command_prints_a_table_and_writes_a_record(
    tmp_path, capsys, monkeypatch
):
    """With three contestants; `gpu.sh` below times all that there are."""
    monkeypatch.setattr(
        "preact.cli.bench.contestants",
        lambda *there: [*contestants(*there)][-3:],
    )
    path = tmp_path / "bench" / "cpu.json"
    command = ["bench", "--depth", "11", "--batch", "4", "--rounds", "1"]
    command += ["--threads", "1", "--device", "cpu", "--record", str(path)]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "of float64 (29 layers)" in said
    record = json.loads(path.read_text())
    assert record["threads"] == 1
    assert record["gradient_error"] < 1e-4
    names = [row["name"] for row in record["rows"]]
    assert names == [
        f"preact, fast{how}" for how in ("", ", keep", ", segment")
    ]
    assert {row["bn_batch"] for row in record["rows"]} == {4}
    parse(BenchRecord, record)


@pytest.mark.parametrize(
    ("ghost_batch", "bn_batch"), [(None, 4), (2, 2), (64, 4)]
)
def test_a_contestant_tells_over_how_many_images_its_bn_goes(
    ghost_batch, bn_batch
):
    def build():
        network = Network(planned(11), seed=0)
        set_ghost_batch(network, ghost_batch)
        return network

    entry = Contestant(name="a net", peer=False, build=build)
    timed_network = TimedNetwork(entry, (4, 3, 32, 32), CPU)
    assert timed_network.bn_batch() == bn_batch


def test_a_peer_s_bn_goes_over_the_batch():
    def build():
        return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))

    entry = Contestant(name="a net", peer=True, build=build)
    assert TimedNetwork(entry, (4, 3, 8, 8), CPU).bn_batch() == 4


@pytest.mark.parametrize(
    ("depth", "halves", "precision"),
    [(11, [False], "float32"), (8, [False, True], "float32 / fp16")],
)
def test_what_is_said_and_recorded_is_what_was_compared_and_timed(
    tmp_path, capsys, monkeypatch, depth, halves, precision
):
    compared = []

    def compare(view, plan, device):
        compared.append((plan.depth, datetime.now(UTC)))
        time.sleep(1)  # a record has whole seconds
        return [Compared("gradients", 1e-6, 1e-6)]

    entries = [
        Contestant(name=f"net {half}", peer=False, build=Network, half=half)
        for half in halves
    ]
    facts = Facts(5, 1.0, None, 1, 0, 16)
    times = [measure.Measured(e.name, False, facts, [1], [1]) for e in entries]
    monkeypatch.setattr(measure, "compare", compare)
    monkeypatch.setattr("preact.cli.bench.contestants", lambda *_: entries)
    monkeypatch.setattr(
        "preact.cli.bench.compare_times", lambda *_, **__: times
    )
    path = tmp_path / "cpu.json"
    command = ["bench", "--depth", str(depth), "--threads", "1"]
    command += ["--device", "cpu", "--record", str(path)]
    before = datetime.now(UTC).replace(microsecond=0)
    assert main(command) == 0
    assert f"of float64 ({compared[0][0]} layers)" in capsys.readouterr().out
    record = json.loads(path.read_text())
    parse(BenchRecord, record)
    assert record["precision"] == precision
    assert "bn_batch" not in record
    assert [row["bn_batch"] for row in record["rows"]] == [16] * len(halves)
    started = datetime.fromisoformat(record["started_utc"])
    assert before <= started <= compared[0][1]


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
@pytest.mark.timeout(600)
@pytest.mark.parametrize("who", ["the first process", "all"])
def test_ctrl_c_is_one_sentence_and_leaves_no_process(who):
    command = [sys.executable, "-m", "preact", "bench", "--depth", "11"]
    command += ["--batch", "2", "--rounds", "100000", "--threads", "1"]
    with subprocess.Popen(
        [*command, "--device", "cpu"],
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
            while len(started := contestants_of(process.pid)) < 3:
                assert process.poll() is None
                time.sleep(0.05)  # the last of them still imports
            if who == "all":
                os.killpg(process.pid, signal.SIGINT)
            else:
                process.send_signal(signal.SIGINT)
            _, error = process.communicate()
        finally:
            process.kill()
    assert error == "preact: stopped\n"
    assert process.returncode == 130
    assert not any(map(is_contestant, started))


def test_on_a_gpu_half_precision_runs_too():
    there = list(contestants(planned(164), torch.device("cuda")))
    assert [e.name for e in there if e.half] == [
        "pytorchcv, channels_last, fp16",
        "torch-resnet, channels_last, fp16",
        "preact, channels_last, keep, fp16",
        "preact, channels_last, recompute, fp16",
    ]
    shipped = [e.name for e in there if e.peer]
    assert shipped == ["pytorchcv, as shipped", "torch-resnet, as shipped"]


def test_the_limit_is_the_traffic_of_the_narrow_tensors(monkeypatch):
    monkeypatch.setattr(measure, "copy_bytes_per_s", lambda _: 1e9)
    bytes_an_image = 1e6 * measure.limit_ms(planned(1001), 1, CPU)
    # 333 units hold 3.1826 million narrow numbers an image.
    assert bytes_an_image == pytest.approx(2 * 42 * 3.1826e6, rel=1e-3)


def test_a_gpu_s_table_shows_launches_and_the_share_of_the_limit():
    row = {
        "name": "a net",
        "peer": False,
        "train_ms_min": 40.0,
        "forward_ms_min": 10.0,
        "kept_bytes_per_image": None,
        "peak_bytes_per_image": 1e6,
        "launches": 3210,
    }
    said = ("network", "batch", "precision", "threads", "device", "rounds")
    record = dict.fromkeys(said, "") | {"limit_ms": 10.0, "rows": [row]}
    table = times_table(record, Strings("en"))
    assert table.body[0][-2:] == ["3,210", "25"]


@pytest.mark.nightly
def test_the_gpu_command_can_be_tried_on_a_cpu(tmp_path):
    told = subprocess.run(
        ["bash", str(ROOT / "bench" / "gpu.sh")],
        env={
            **os.environ,
            "OUT": str(tmp_path),
            "PYTHON": sys.executable,
            "DEVICE": "cpu",
            "DEPTHS": "11",
            "BATCH": "4",
            "ROUNDS": "1",
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=900,
    )
    assert "ResNet-11, full pre-activation: batch 4" in told.stdout
    record = json.loads((tmp_path / "cpu-11.json").read_text())
    assert record["batch"] == 4
    assert {row["name"] for row in record["rows"]} == {
        entry.name for entry in contestants(planned(11), CPU)
    }
