"""What a record says: what was run, by what code, where, what came out."""

import hashlib
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from preact.records import Deviation
from preact.records.compare import flat
from preact.train import Run
from preact.train.loop import Outcome
from preact.train.own_code import OwnCode
from preact.typed import shortened, shortened_key

Values = dict[str, Any]
# Of `config`, and nowhere else in a record.
INSIDE = ("execution", "init_sha256", "stages", "unit")
HERE = Path(__file__).parents[1]
CODE = (".py", ".toml")
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def described(run: Run, deviations: Sequence[Deviation]) -> Values:
    """What is run: the fields that tables join on, and the whole of it."""
    config = run.config
    return {
        **{k: v for k, v in config.items() if k not in INSIDE},
        "recipe": run.recipe.name,
        "config": config,
        "config_sha256": run.config_sha256,
        "parameters": run.parameters,
        "bn_batch": bn_batch(run),
        "deviations": [
            {"from": one.from_, "to": one.to, "why": one.why}
            for one in (
                *deviations,
                *init_deviations(run),
                *bn_deviations(run),
            )
        ],
        "started_utc": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def bn_batch(run: Run) -> int:
    """Images over which BN takes its statistics, in each process."""
    batch = run.recipe.batch // run.execution.processes
    if isinstance(run.unit, OwnCode):  # which know no ghost batches
        return batch
    return min(run.recipe.ghost_batch, batch)


def init_deviations(run: Run) -> list[Deviation]:
    """Weights that were not drawn anew."""
    digest = run.config.get("init_sha256")
    if digest is None:
        return []
    return [
        Deviation(
            from_="weights drawn at random",
            to=f"those of a file, {digest[:8]}",
            why="asked for by --init",
        )
    ]


def bn_deviations(run: Run) -> list[Deviation]:
    """Departures from the recipe's batch of BN."""
    wanted, taken = run.recipe.ghost_batch, bn_batch(run)
    if taken == wanted:
        return []
    why = (
        "units of own code normalize over the whole batch"
        if taken > wanted
        else f"{run.execution.processes} processes share a batch of "
        f"{run.recipe.batch}"
    )
    return [
        Deviation(from_=f"bn_batch {wanted}", to=f"bn_batch {taken}", why=why)
    ]


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """Say in which fields two configurations differ: the first of them."""
    old, new = flat(there), flat(here)

    def said(settings: Values, name: str) -> str:
        if name not in settings:
            return "not set"
        value = settings[name]
        is_hash = name.endswith("sha256")
        return str(value)[:7] if is_hash else shortened(value)

    return "; ".join(
        f"{'.'.join(map(shortened_key, name.split('.')))} is "
        f"{said(old, name)} there, {said(new, name)} here"
        for name in [n for n in old | new if old.get(n) != new.get(n)][:3]
    )


def measured(ended: Outcome) -> Values:
    """What came out."""
    finished, speed = ended.outcome == "finished", ended.images_per_s
    same = ("outcome", "iterations", "test_error_pct", "profiles")
    return {
        **{name: getattr(ended, name) for name in same},
        "test_error_is": "last iteration",
        "kernels": ["PyTorch"],
        "train_loss": ended.train_loss if finished else None,
        "wall_s": round(ended.wall_s, 2),
        "images_per_s": speed and round(speed, 1),
    }


def environment(device: str, devices: int) -> Values:
    """Where and with what a run was made; fields of its record."""
    on_gpu = device.startswith("cuda")
    return {
        "device": (
            torch.cuda.get_device_name(device) if on_gpu else processor_name()
        ),
        "devices": devices,
        "threads": torch.get_num_threads(),
        "processors": os.cpu_count(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda if on_gpu else None,
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "python": platform.python_version(),
        "preact": package_version(),
        "code_sha256": code_sha256(),
        "git": git(),
        "wall_is": "monotonic clock",
    }


@cache
def processor_name() -> str:
    """What the processor calls itself."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [
        line.split(":")[1].strip() for line in lines if "model name" in line
    ]
    return names[0] if names else platform.processor() or "CPU"


def package_version() -> str:
    """Version of this package, if it is installed and not just found."""
    try:
        return version("preact-resnet")
    except PackageNotFoundError:
        return "not installed"


@cache
def code_sha256() -> str:
    """Hash of the package's code, names and contents, wherever it lies."""
    digest = hashlib.sha256()
    for path in sorted(HERE.rglob("*")):
        name = path.relative_to(HERE)
        if path.suffix in CODE and name.parts[0] != "results":
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{name.as_posix()} {content}\n".encode())
    return digest.hexdigest()


def git() -> Values:
    """Commit of the code that ran, and whether it is dirty; None is unknown.

    Only of this package's own repository; around an installed package lies
    at most somebody else's. Where the code has come without its history, in
    a container say, whoever brought it names its commit in PREACT_COMMIT.
    """
    try:
        top = Path(_ask("rev-parse", "--show-toplevel"))
        if HERE.resolve() == top.resolve() / "src" / "preact":
            changed = _ask("status", "--porcelain", "--", ".", ":!results")
            return {
                "commit": _ask("rev-parse", "HEAD"),
                "dirty": bool(changed),
            }
    except (OSError, subprocess.SubprocessError):
        pass  # not checked out, or no git
    named = os.environ.get("PREACT_COMMIT")
    return {"commit": named, "dirty": None if named is None else False}


def _ask(*words: str) -> str:
    """Ask git about the repository around the package."""
    return subprocess.run(
        ["git", "--no-optional-locks", *words],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def reset_peak_memory(device: str) -> None:
    """Forget what was held before."""
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats()
    else:
        with suppress(OSError):
            CLEAR.write_text("5")


def peak_memory(device: str) -> Values:
    """Return bytes held at most, and what they count; None if unknown."""
    if device.startswith("cuda"):
        return {
            "peak_memory_bytes": torch.cuda.max_memory_allocated(),
            "peak_memory_is": "CUDA allocator",
        }
    with suppress(OSError):
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return {
                    "peak_memory_bytes": int(line.split()[1]) * 1024,
                    "peak_memory_is": "resident set of the process",
                }
    return {"peak_memory_bytes": None, "peak_memory_is": "unknown"}
