"""Stopped, started twice, or left by the others: nothing is lost."""

import os
import signal
import subprocess
import sys

import pytest
from filelock import FileLock
from judging import PLACE, answer_of, refusal, sentence

from preact.train.checkpoint import NAME, read

TRAIN = ["train", "--depth", "8", "--width", "4", "--device", "cpu"]
TRAIN += ["--iterations", "1000000"]
WORK = "train/digits/resnet-8-2-width-4/full-preactivation/seed-1.checkpoints"


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_torchrun_that_is_stopped_keeps_the_iteration(tmp_path, name):
    """What torchrun itself prints then is its own."""
    one = subprocess.Popen(
        [
            *(sys.executable, "-m", "torch.distributed.run"),
            *("--standalone", "--nproc-per-node", "2", "-m", "preact"),
            *TRAIN,
            *("--batch", "8", "--out", str(tmp_path)),
        ],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert "1000000" in one.stdout.readline()  # it trains
    one.send_signal(getattr(signal, name))
    answer = answer_of(one)
    assert answer.code != -9, "it hangs"
    state = read(tmp_path / WORK / NAME)
    assert state["iteration"] >= 20
    ours = [
        line for line in answer.err.splitlines() if line.startswith("preact:")
    ]
    assert ours, answer.err
    for line in ours:
        assert sentence(f"{line}\n", "run the same command again") == "good"
    assert "preact/train" not in answer.err  # no frame of ours in a traceback


@pytest.mark.parametrize("name", ["train", "ablate"])
def test_a_second_process_on_a_run_is_told_so(command, small, tmp_path, name):
    work = tmp_path / PLACE.replace("original", "original/seed-1.checkpoints")
    work.mkdir(parents=True)
    with FileLock(work / "lock"):
        answer = command(name, small, "--out", tmp_path)
    if name == "train":
        assert (
            refusal(answer, tmp_path, "must wait: another process") == "good"
        )
    else:
        assert answer.code == 0
        assert "1 trained by another process" in answer.out
