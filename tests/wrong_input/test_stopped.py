"""A run of two processes that is stopped goes on."""

import os
import signal
import subprocess
import sys

import pytest

from preact.train.checkpoint import NAME, read
from wrong_input.judging import sentence

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
    assert "1,000,000 iterations" in one.stdout.readline()
    assert "20/1000000" in one.stdout.readline()  # it trains
    one.send_signal(getattr(signal, name))
    _, err = one.communicate(timeout=300)
    state = read(tmp_path / WORK / NAME)
    assert state["iteration"] >= 20
    ours = [line for line in err.splitlines() if line.startswith("preact:")]
    assert ours, err
    for line in ours:
        assert sentence(f"{line}\n", "run the same command again") == "good"
    assert "preact/train" not in err  # no frame of ours in a traceback
