"""Beyond one GPU: two processes, what a run costs, Table 5 step by step.

What is recorded is read from files, so this is asked for by its own name,
like `preact.book.cover`.

Chapter `10-imagenet`.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import torch

import preact
from preact import paper
from preact.book.imagenet import planner, two_processes
from preact.book.imagenet.figures import gradient_distances
from preact.book.page import words
from preact.figures import Picture, Table
from preact.records.compare import load_records
from preact.reference.caches import Array

LONGEST_S = 120  # that two processes may take
VALIDATION = 50_000  # images of ImageNet that Table 5 is counted on
SIZES = (2, 4, 8, 16, 32)  # images that a BN sees, of 64


# ------------------------------------------------------------- what it costs
def cost_table() -> Table:
    """All networks on eight H100 of 32 images each, half precision."""
    say = words()
    body = []
    for name, job in planner.jobs().items():
        step = planner.step_seconds(job.plan, planner.H100, 32, 2)
        hours = planner.training_hours(job, planner.H100, 8, 32, 2)
        body.append(
            [
                name,
                f"{job.plan.parameters / 1e6:.1f}",
                f"{job.plan.multiply_adds / 1e9:.2f}",
                f"{planner.kept_bytes(job.plan, 2) / 1e6:.0f}",
                f"{1e3 * step:.1f}",
                f"{hours:.2f}",
            ]
        )
    names = (
        *("head_network", "head_m", "head_g"),
        *("head_mb_image", "head_ms_step", "head_h"),
    )
    head = [say(f"costs.{name}") for name in names]
    return Table(head, body, say("costs.caption"))


# -------------------------------------------------------------------- Table 5
def table_5() -> Table:
    """Table 5: networks on ImageNet, their crops and errors."""
    say, body = words(), []
    for row in paper.read("table_5")["row"]:
        network, _, unit = row["method"].partition(", ")
        body.append(
            [
                network,
                say(f"table_5.{unit}") if unit else "–",
                say(f"table_5.{row['augmentation']}"),
                str(row["test_crop"]),
                f"{row['top1_pct']:.1f}",
                f"{row['top5_pct']:.1f}",
            ]
        )
    names = ("unit", "training", "test_crop", "top1", "top5")
    head = [say("table.network"), *(say(f"table_5.{name}") for name in names)]
    return Table(head, body, say("table_5.caption"))


class Change(NamedTuple):
    """Two rows of Table 5 that differ in one thing; points of top-1 error."""

    key: str
    before: float
    after: float

    @property
    def points(self) -> float:
        return self.after - self.before


def changes() -> list[Change]:
    """Every pair of Table 5's residual networks that differs in one thing."""
    error = {
        (
            int(row["method"].removeprefix("ResNet-")[:3]),
            "pre" in row["method"],
            row["test_crop"],
            "aspect" in row["augmentation"],
        ): row["top1_pct"]
        for row in paper.read("table_5")["row"]
        if row["method"].startswith("ResNet")
    }
    pairs = {
        "crop": ((152, False, 224, False), (152, False, 320, False)),
        "unit_152": ((152, False, 320, False), (152, True, 320, False)),
        "unit_200": ((200, False, 320, False), (200, True, 320, False)),
        "depth_original": ((152, False, 320, False), (200, False, 320, False)),
        "depth_pre": ((152, True, 320, False), (200, True, 320, False)),
        "augmentation": ((200, True, 320, False), (200, True, 320, True)),
    }
    return [Change(k, error[a], error[b]) for k, (a, b) in pairs.items()]


def sampling_error(error_pct: float, images: int = VALIDATION) -> float:
    """Standard error in points of an error counted on so many images."""
    share = error_pct / 100
    return 100 * sqrt(share * (1 - share) / images)


# -------------------------------------------------------------- two processes
def run_two_processes(seed: int = 0) -> dict[str, Any]:
    """Let `torchrun` start two processes here; return what they found.

    The seed draws their network; the system chooses the port at which they
    meet. Raises RuntimeError, with their last line, if they do not end well.
    """
    home = str(Path(preact.__file__).parents[1])
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": home}
    with TemporaryDirectory() as folder:
        out = Path(folder) / "two.pt"
        done = subprocess.run(
            [
                *(sys.executable, "-m", "torch.distributed.run"),
                *("--standalone", "--nproc-per-node", "2"),
                *("-m", two_processes.__name__, str(out), str(seed)),
            ],
            capture_output=True,
            text=True,
            env=environment,
            timeout=LONGEST_S,
            check=False,
        )
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:]
            raise RuntimeError(f"two processes failed: {' '.join(last)}")
        outcome: dict[str, Any] = torch.load(out, weights_only=True)
    return outcome


def distance(
    got: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor]
) -> float:
    """Length of the difference of all tensors together, relative."""
    off = torch.cat([(got[n] - wanted[n]).flatten() for n in wanted])
    size = torch.cat([tensor.flatten() for tensor in wanted.values()])
    return float(off.norm() / size.norm())


def gradients_by_size(seeds: Sequence[int]) -> tuple[Array, Array]:
    """How far fewer images behind each BN take the gradient, by size and seed.

    From that with BN over all 64 images to those with ghost batches, (sizes,
    seeds), and to that of 64 other images, (seeds,).
    """
    x, y = two_processes.the_batch()
    other = two_processes.the_batch(1)
    ghosts, others = [], []
    for seed in seeds:
        whole = two_processes.alone(x, y, seed)
        few = [two_processes.alone(x, y, seed, size) for size in SIZES]
        ghosts.append([distance(found, whole) for found in few])
        others.append(distance(two_processes.alone(*other, seed), whole))
    return np.array(ghosts).T, np.array(others)


def distance_by_images(ghosts: Array, others: Array) -> Picture:
    """Draw what `gradients_by_size` has found."""
    return gradient_distances(SIZES, ghosts, others, words())


# ------------------------------------------------------------------ on digits
def fifty() -> dict[str, Array]:
    """Test errors of the narrow ResNet-50 on digits, in percent.

    (2, seeds) by row: without and with a BN before the classifier.
    """
    runs: dict[str, tuple[list[float], list[float]]] = {}
    for run in load_records("digits_resnet_50"):
        heads = runs.setdefault(run.row, ([], []))
        heads["BN" in run.tail].append(run.test_error_pct)
    return {row: np.array(heads) for row, heads in runs.items()}
