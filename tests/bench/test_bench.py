"""The comparison compares the same thing, and refuses to time a wrong one."""

import json

import pytest
import torch

from preact.bench import check, compare_times, contestants, measure
from preact.bench.contestants import missing_peers, prepared
from preact.cli import main
from preact.plan import cifar_plan
from preact.spec import TABLE_2

CPU = torch.device("cpu")


def planned(depth):
    return cifar_plan(TABLE_2["full-preactivation"], depth=depth, convs=3)


def test_the_peers_are_installed():
    assert missing_peers() == []


@pytest.mark.slow
def test_every_contestant_is_the_same_network():
    entries = list(contestants(planned(164)))
    assert [e.name for e in entries if e.peer] == [
        "pytorchcv, as shipped",
        "torch-resnet, as shipped",
    ]
    for entry in entries:
        network, _, layout = prepared(entry, CPU)
        assert sum(p.numel() for p in network.parameters()) == 1_703_258
        x = torch.randn(2, 3, 32, 32).contiguous(memory_format=layout)
        assert network(x).shape == (2, 10)


def test_times_are_taken_by_turns_and_the_first_turn_does_not_count():
    turns = []
    found = compare_times(
        list(contestants(planned(11))),
        planned(11),
        batch=4,
        rounds=2,
        device=CPU,
        progress=turns.append,
    )
    assert turns == [0, 1, 2]
    for one in found:
        assert len(one.train_s) == len(one.forward_s) == 2
        assert 0 < one.summary()["train_ms_min"]
        assert one.summary()["kept_bytes_per_image"] > 0


def test_gradients_of_the_fast_network_are_checked_first(monkeypatch):
    assert check(planned(164), CPU) < 1e-4
    monkeypatch.setattr(measure, "TOLERANCE", 1e-12)
    with pytest.raises(ArithmeticError, match="times of it would mean"):
        check(planned(164), CPU)


def test_the_command_prints_a_table_and_writes_a_record(tmp_path, capsys):
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
    assert "preact, fast" in names
