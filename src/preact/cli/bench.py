"""`preact bench`: our times beside those of the peers."""

import argparse
import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from preact.bench import check, compare_times, contestants, limit_ms
from preact.bench.contestants import missing_peers
from preact.bench.measure import checked_depth
from preact.cli import COMMANDS
from preact.cli.report import as_rich
from preact.experiment import find_device
from preact.experiment.provenance import git
from preact.fast import kernels
from preact.figures import times_table
from preact.plan import cifar_plan, fitting_convs
from preact.plan.checks import check_positive
from preact.records.files import write_new
from preact.spec import TABLE_2
from preact.strings import Strings
from preact.train.device import check_device
from preact.train.stop import Stopped, stopping_at_once

# Far beyond any use; of threads, what a processor may have.
MOST = {"batch": 65_536, "rounds": 100_000, "threads": 1_024}


def add_command(commands: Any) -> None:
    """Describe `preact bench`."""
    parser = commands.add_parser(
        "bench",
        help=COMMANDS["bench"],
        description="Time a training step (forward, loss, backward, SGD) and "
        "a forward pass in evaluation of the full pre-activation network, "
        "ours and the peers' by turns, on the CPU each in a process of its "
        "own. Gradients are compared with float64 first.",
    )
    parser.add_argument("--depth", type=int, default=164)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument(
        "--threads",
        type=int,
        default=torch.get_num_threads(),
        help="CPU threads of all (default: %(default)s)",
    )
    parser.add_argument(
        "--device", default=find_device(), help="default: %(default)s"
    )
    parser.add_argument("--record", type=Path, help="write a JSON record")
    parser.set_defaults(run=_stoppable)


def _stoppable(options: argparse.Namespace) -> int:
    """Measure; after Ctrl-C there is nothing to go on from."""
    try:
        with stopping_at_once():
            return _bench(options)
    except Stopped as stopped:
        print("preact: stopped; no times are kept", file=sys.stderr)
        return stopped.exit_code


def _bench(options: argparse.Namespace) -> int:
    """Check, measure, print, record."""
    started_utc = datetime.now(UTC).isoformat(timespec="seconds")
    for name, most in MOST.items():
        check_positive(name, getattr(options, name), most)
    if options.record:
        check_place(options.record)
    device = check_device(options.device)
    console = Console(highlight=False)
    torch.set_num_threads(options.threads)
    if device.type == "cpu" and kernels() is None:
        console.print("no C compiler: `fast` runs without its kernels")
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
    error = max(
        row.ours for row in check(plan, device) if row.part == "gradients"
    )
    layers = checked_depth(plan)
    console.print(f"gradients within {error:.1g} of float64 ({layers} layers)")
    entries = list(contestants(plan, device))
    with console.status(f"{len(entries)} contestants get ready") as status:
        measured = compare_times(
            entries,
            plan,
            batch=options.batch,
            rounds=options.rounds,
            device=device,
            progress=lambda turn: status.update(
                f"round {turn} of {options.rounds} is done"
            ),
        )
    record: dict[str, Any] = {
        "network": f"ResNet-{plan.depth}, full pre-activation",
        "batch": options.batch,
        "precision": " / ".join(
            ["float32", *(["fp16"] if any(e.half for e in entries) else [])]
        ),
        "rounds": options.rounds,
        "threads": options.threads,
        "device": _name(device),
        "torch": torch.__version__,
        "git": git(),
        "started_utc": started_utc,
        "gradient_error": error,
        "rows": [one.summary() for one in measured],
    }
    if device.type == "cuda":
        record["limit_ms"] = limit_ms(plan, options.batch, device)
    console.print(as_rich(times_table(record, Strings("en"))))
    if options.record:
        text = json.dumps(record, indent=1) + "\n"
        write_new(options.record, text, replace=False)
    return 0


def check_place(path: Path) -> None:
    """Make the folder of a record, before any time is spent.

    Raises
    ------
    FileExistsError
        If there is something of this name.
    """
    if os.path.lexists(path):
        raise FileExistsError(
            f"{path} is there already; give another name or delete it"
        )
    path.parent.mkdir(parents=True, exist_ok=True)


def _name(device: torch.device) -> str:
    """What the device calls itself."""
    if device.type == "cuda":
        return torch.cuda.get_device_name()
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [
        line.split(":")[1].strip() for line in lines if "model name" in line
    ]
    return names[0] if names else platform.processor()
