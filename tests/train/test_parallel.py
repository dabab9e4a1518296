"""Several processes share a run as one would have done it."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from safetensors.torch import load_file
from torch.multiprocessing import spawn

from preact.data.augment import Batch, crop_and_flip
from preact.train import loop, session, train
from preact.train.checkpoint import read
from preact.train.parallel import Workers
from train import sharing

SCRIPT = Path(sharing.__file__)


def torchrun(*arguments, script=(str(SCRIPT),), timeout=600):
    """Start two processes as a user would, on this machine alone."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", "2", *script, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=timeout
    )


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """The record and the curve of a run by two processes."""
    folder = tmp_path_factory.mktemp("shared")
    told = torchrun(str(folder), "5", "float64")
    assert told.returncode == 0, told.stderr[-2000:]
    return folder


@pytest.mark.slow
def test_two_processes_train_as_one_with_ghost_batches(
    shared, tmp_path, monkeypatch
):
    monkeypatch.setattr(loop, "Session", sharing.DoubleSession)
    try:
        alone = train(sharing.run(1, 8), tmp_path)
    finally:
        torch.set_default_dtype(torch.float32)
    (path,) = shared.rglob("*.json")
    record = json.loads(path.read_text())
    assert record["devices"] == 2
    assert record["bn_batch"] == 8
    assert record["test_error_pct"] == alone.test_error_pct
    lines = path.with_suffix(".csv").read_text().splitlines()[1:]
    together = [float(line.split(",")[2]) for line in lines]
    assert len(together) == len(alone.curve) == 2
    for loss, point in zip(together, alone.curve, strict=True):
        # 30 steps of a 20-layer net in float64: rounding grows, not more.
        assert loss == pytest.approx(point["loss"], rel=1e-9)


@pytest.mark.slow
def test_two_processes_leave_one_record_with_its_weights_alone(shared):
    names = sorted(p.name for p in shared.rglob("*") if p.is_file())
    assert names == ["seed-1.csv", "seed-1.json", "seed-1.safetensors"]


@pytest.mark.slow
def test_a_killed_process_ends_the_run_and_the_next_goes_on(shared, tmp_path):
    told = torchrun(str(tmp_path), "5", "float64", "17")
    assert told.returncode != 0
    (path,) = tmp_path.rglob("checkpoint.pt")
    state = read(path)
    assert state["iteration"] == 15
    assert torchrun(str(tmp_path), "5", "float64").returncode == 0
    (whole,), (resumed,) = (p.rglob("*.csv") for p in (shared, tmp_path))
    assert resumed.read_text() == whole.read_text()


@pytest.mark.slow
def test_how_often_processes_save_changes_no_bit_of_what_they_learn(tmp_path):
    weights = []
    for save_every in ("7", "1000"):
        folder = tmp_path / save_every
        assert torchrun(str(folder), save_every, "float32").returncode == 0
        (path,) = folder.rglob("*.safetensors")
        weights.append(load_file(path))
    often, never = weights
    assert often.keys() == never.keys()
    assert all(torch.equal(often[name], never[name]) for name in often)


@pytest.mark.slow
def test_a_smaller_batch_of_bn_is_told_once_and_recorded(tmp_path):
    """The recipe of the digits has 64 images, two processes 32 each."""
    options = "--depth 8 --width 4 --iterations 2 --device cpu"
    script = ["-m", "preact", "train", *options.split()]
    told = torchrun("--out", str(tmp_path), script=script)
    assert told.returncode == 0, told.stderr[-2000:]
    sentence = (
        "deviation: bn_batch 64 -> bn_batch 32 "
        "(2 processes share a batch of 64)"
    )
    assert told.stderr.count(sentence) == 1
    (path,) = tmp_path.rglob("seed-1.json")
    record = json.loads(path.read_text())
    assert record["bn_batch"] == 32
    assert {
        "from": "bn_batch 64",
        "to": "bn_batch 32",
        "why": "2 processes share a batch of 64",
    } in record["deviations"]


@pytest.mark.slow
def test_processes_make_the_run_of_a_file_together(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        """
        [scientific]
        rows = ["full-preactivation"]
        networks = [{ depth = 8, convs = 2, width = 4 }]
        [fixed]
        recipe = "digits"
        recipe_changes = { iterations = 2, drop_at = [] }
        """
    )
    script = ["-m", "preact", "ablate", str(file), "--device", "cpu"]
    told = torchrun("--out", str(tmp_path), script=script)
    assert told.returncode == 0, told.stderr[-2000:]
    assert "1 run to go, 0 recorded\n" in told.stdout
    assert told.stdout.count("run 1 of 1\n") == 1
    (path,) = tmp_path.rglob("seed-1.json")
    assert json.loads(path.read_text())["devices"] == 2


@pytest.mark.parametrize("count", [2, 4])
def test_shares_make_up_the_batch_augmented_as_in_the_whole(count):
    images = torch.randint(0, 256, (16, 3, 8, 8)).float()
    batch = Batch(seed=3, iteration=5, size=16)
    whole = crop_and_flip(images, batch, pad=2, flip=True)
    parts = [Workers(rank, count).share(16) for rank in range(count)]
    shares = [replace(batch, part=part) for part in parts]
    chosen = torch.cat([share.indices(100) for share in shares])
    assert torch.equal(chosen, batch.indices(100))
    for part, share in zip(parts, shares, strict=True):
        cut = crop_and_flip(images[part], share, pad=2, flip=True)
        assert torch.equal(cut, whole[part])


def test_a_batch_that_cannot_be_shared_is_refused():
    with pytest.raises(ValueError, match="number of processes, 3; got 16"):
        Workers(0, 3).share(16)
    run = sharing.run(2, 8)
    run = replace(run, recipe=replace(run.recipe, batch=24))
    with pytest.raises(ValueError, match="12 images, must be a multiple"):
        session.Session(run, "cpu", Workers(0, 2))


def write_buffer_after_a_pass(rank, folder):
    store = dist.FileStore(str(folder / "store"), 2)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    norm = torch.nn.BatchNorm1d(1, momentum=0.0)  # moves by itself never
    joined = Workers(rank, 2).joined(norm)
    norm.running_mean += rank
    joined(torch.zeros(4, 1))
    (folder / str(rank)).write_text(str(norm.running_mean.item()))
    dist.destroy_process_group()


@pytest.mark.slow
def test_every_process_keeps_its_own_running_statistics(tmp_path):
    spawn(write_buffer_after_a_pass, (tmp_path,), nprocs=2)
    assert [(tmp_path / rank).read_text() for rank in "01"] == ["0.0", "1.0"]
