"""`preact train`: one run, from the command line to its record."""

import argparse
import platform
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from preact.cli.plan import add_network, fitting_convs
from preact.data import NAMES, load
from preact.records import read_record, write_record
from preact.train import Outcome, Run, find_protocol, protocols, train
from preact.train.checkpoint import clear


def add_command(commands: Any) -> None:
    """Describe `preact train`."""
    parser = commands.add_parser(
        "train",
        help="train one network; the same command again resumes",
        description="Train one network and write its record: the error of "
        "the last iteration, the curve, the whole configuration. The same "
        "command again goes on where it stopped; a finished run is not "
        "repeated.",
    )
    add_network(parser)
    parser.add_argument("--data", default="digits", choices=NAMES)
    parser.add_argument(
        "--folder", type=Path, default=Path("data"), help="where CIFAR lies"
    )
    parser.add_argument(
        "--protocol",
        choices=sorted(protocols()),
        help="default: digits for digits, else paper",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--iterations", type=int, help="stop earlier than the protocol"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("runs"),
        help="records and checkpoints",
    )
    parser.add_argument(
        "--device",
        default="cuda" if torch.cuda.is_available() else "cpu",
        help="default: %(default)s",
    )
    parser.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> int:
    """Train, report, record."""
    name = options.protocol or (
        "digits" if options.data == "digits" else "paper"
    )
    protocol = find_protocol(name)
    if options.iterations is not None:
        protocol = replace(protocol, iterations=options.iterations)
    depth = options.depth or 110
    run = Run(
        row=options.row,
        depth=depth,
        convs=options.convs or fitting_convs(depth),
        protocol=protocol,
        data=load(options.data, options.folder),
        seed=options.seed,
    )
    network = f"resnet-{run.depth}-{run.convs}"
    folder = options.out / run.data.name / network / run.row
    path = folder / f"seed-{run.seed}.json"
    if path.exists():
        known = read_record(path)
        if known["config_sha256"] != run.config_sha256:
            raise ValueError(
                f"{path} is the record of another configuration; choose "
                "another --out or delete it"
            )
        print(f"{path}: already recorded, {_summary(known)}")
        return 0
    started = datetime.now(UTC).isoformat(timespec="seconds")
    work = folder / f"seed-{run.seed}.checkpoints"
    ended = train(
        run,
        work,
        device=options.device,
        report=lambda point: print(_line(point, run), flush=True),
    )
    record = _record(run, ended, options.device, started)
    write_record(path, record, ended.curve)
    clear(work)
    work.rmdir()
    print(f"{path}: {_summary(record)}")
    return 0


def _line(point: dict[str, float], run: Run) -> str:
    """One line of progress."""
    left = (run.protocol.iterations - point["iteration"]) * run.protocol.batch
    return (
        f"{point['iteration']:>7.0f}/{run.protocol.iterations}  "
        f"lr {point['lr']:<7.4g} loss {point['loss']:.4f}  "
        f"{point['images_per_s']:,.0f} images/s  "
        f"{left / point['images_per_s'] / 60:.1f} min left"
    )


def _summary(record: dict[str, Any]) -> str:
    """Say how a run ended."""
    return (
        f"{record['outcome']} after {record['iterations']} iterations, test "
        f"error {record['test_error_pct']:.2f} % on {record['data_label']}, "
        f"{record['wall_s']:.0f} s"
    )


def _record(
    run: Run, ended: Outcome, device: str, started: str
) -> dict[str, Any]:
    """Gather what a record must say."""
    return {
        **{k: v for k, v in run.config.items() if k != "protocol"},
        "config": run.config,
        "config_sha256": run.config_sha256,
        "outcome": ended.outcome,
        "iterations": ended.iterations,
        "test_error_pct": ended.test_error_pct,
        "test_error_is": "last iteration",
        "wall_s": ended.wall_s,
        "started_utc": started,
        "device": device,
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "git": _git(),
    }


def _git() -> dict[str, Any]:
    """Commit of the code that ran, and whether it was changed since."""
    here = Path(__file__).parent

    def ask(*words: str) -> str:
        return subprocess.run(
            ["git", *words],
            cwd=here,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    try:
        return {
            "commit": ask("rev-parse", "HEAD"),
            "dirty": bool(ask("status", "--porcelain", "--", str(here))),
        }
    except (OSError, subprocess.CalledProcessError):
        return {"commit": None, "dirty": True}  # installed, not checked out
