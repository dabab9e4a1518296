"""`preact bench`: our times beside those of the peers."""

import argparse
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from preact.bench.check import check, checked_plan
from preact.bench.contestants import contestants, missing_peers
from preact.bench.times import compare_times
from preact.experiment.provenance import git
from preact.fast import kernels
from preact.fast.network import processor_name
from preact.plan import cifar_plan
from preact.plan.checks import check_positive
from preact.plan.depth import fitting_convs
from preact.records.files import write_new
from preact.records.speed import fused_pays
from preact.spec import TABLE_2

# Far beyond any use; of threads, what a processor may have.
MOST = {"batch": 65_536, "rounds": 100_000, "threads": 1_024}


def run(options: argparse.Namespace) -> int:
    """Check, measure, print, record. Refuse to replace a record."""
    started_utc = datetime.now(UTC).isoformat(timespec="seconds")
    if options.threads is None:
        options.threads = torch.get_num_threads()
    for name, most in MOST.items():
        check_positive(name, getattr(options, name), most)
    if options.record:  # before any time is spent
        if os.path.lexists(options.record):
            raise FileExistsError(
                f"{options.record} is there already; give another name or "
                "delete it"
            )
        options.record.parent.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False)
    torch.set_num_threads(options.threads)
    if kernels() is None:
        console.print("no C compiler: `fast` runs without its kernels")
    units = "fused" if fused_pays(processor_name()) else "plain"
    console.print(f"on this processor `fast` runs {units} units")
    plan = cifar_plan(
        TABLE_2["full-preactivation"],
        depth=options.depth,
        convs=fitting_convs(options.depth),
    )
    for package in missing_peers():
        console.print(
            f"{package} is not installed: `pip install --no-deps -r "
            "requirements-peers.txt`",
            soft_wrap=True,
        )
    shallow = checked_plan(plan)
    error = check(shallow)
    console.print(
        f"gradients within {error:.1g} of float64 ({shallow.depth} layers)"
    )
    entries = list(contestants(plan))
    with console.status(f"{len(entries)} contestants get ready") as status:
        rows = compare_times(
            entries,
            plan,
            batch=options.batch,
            rounds=options.rounds,
            progress=lambda turn: status.update(
                f"round {turn} of {options.rounds} is done"
            ),
        )
    record: dict[str, Any] = {
        "network": f"ResNet-{plan.depth}, full pre-activation",
        "batch": options.batch,
        "bn_batch": options.batch,
        "precision": "float32",
        "rounds": options.rounds,
        "threads": options.threads,
        "device": processor_name(),
        "torch": torch.__version__,
        "git": git(),
        "started_utc": started_utc,
        "gradient_error": error,
        "rows": rows,
    }
    console.print(times_table(rows))
    console.print(
        "{network}: batch {batch}, {precision}, {threads} threads of "
        "{device}; minima of {rounds} rounds by turns. × is how many times "
        "as fast as the best of the other packages.".format(**record)
    )
    if options.record:
        text = json.dumps(record, indent=1) + "\n"
        write_new(options.record, text, replace=False)
    return 0


def times_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Milliseconds, and bytes for an image; × is against the best peer."""
    table = Table("network")
    for head in (
        "training step, ms",
        "×",
        "forward pass, ms",
        "×",
        "kept, MB an image",
        "peak, MB an image",
        "first step, s",
    ):
        table.add_column(head, justify="right")
    best = {
        field: min((row[field] for row in rows if row["peer"]), default=None)
        for field in ("train_ms_min", "forward_ms_min")
    }
    for row in rows:
        cells = [row["name"]]
        for field, least in best.items():
            times = "" if least is None else f"{least / row[field]:.2f}"
            cells += [f"{row[field]:.0f}", times]
        for field in ("kept_bytes_per_image", "peak_bytes_per_image"):
            cells.append(f"{row[field] / 1e6:.2f}")
        table.add_row(*cells, f"{row['first_step_s']:.1f}")
    return table
