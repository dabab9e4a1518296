"""CIFAR-10 and CIFAR-100 in their official binary layout."""

import hashlib
import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import torch

from preact.data.images import ImageSet
from preact.plan.data_sets import DATA_SETS

CIFAR: dict[str, Any] = tomllib.loads(
    files("preact.data").joinpath("cifar.toml").read_text("utf-8")
)
PIXELS = 3 * 32 * 32


def read_cifar(name: str, folder: Path | str) -> ImageSet:
    """Read "cifar10" or "cifar100" from a folder of binary files.

    The folder may be the one above theirs. Refuse files that are not whole.
    """
    facts, folder = CIFAR[name], Path(folder)
    classes = DATA_SETS[name].classes
    inside = folder / facts["folder"]
    root = inside if inside.is_dir() else folder
    parts: dict[str, list[np.ndarray[Any, Any]]] = {"train": [], "test": []}
    official = True
    for file, sha256 in facts["files"].items():
        data = _read_file(root / file, facts)
        official = official and hashlib.sha256(data).hexdigest() == sha256
        records = np.frombuffer(data, np.uint8)
        records = records.reshape(-1, facts["record_bytes"])
        parts["test" if file.startswith("test") else "train"].append(records)
    label = name.upper().replace("CIFAR", "CIFAR-")
    tensors: dict[str, Any] = {}
    for split, blocks in parts.items():
        # CIFAR-100 has a coarse label first; the fine one precedes the pixels.
        both = torch.from_numpy(np.concatenate(blocks)[:, -PIXELS - 1 :])
        tensors[f"{split}_labels"] = both[:, 0].long()
        images = both[:, 1:].reshape(-1, 3, 32, 32)
        tensors[f"{split}_images"] = images.contiguous()
        worst = int(both[:, 0].max())
        if worst >= classes:
            raise ValueError(
                f"{root}: {split} labels must lie in 0..{classes - 1}; "
                f"got {worst}: not {label}, or a damaged file; delete the "
                f"folder and unpack {facts['url']} again"
            )
    read = ImageSet(
        name=name,
        label=label if official else f"{label} (unofficial files)",
        classes=classes,
        class_names=tuple(facts["classes"]),
        **tensors,
    )
    copy = facts.get("copies", {}).get(read.sha256)
    return replace(read, label=f"{label} ({copy})") if copy else read


def _read_file(path: Path, facts: dict[str, Any]) -> bytes:
    """Read one binary file whose size must be the official one."""
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is missing: unpack {facts['url']} in the folder, or give "
            "the one that holds its binary files"
        )
    images = 50_000 if path.name == "train.bin" else 10_000
    record = facts["record_bytes"]
    wanted, size = images * record, path.stat().st_size
    if size != wanted:
        raise ValueError(
            f"{path} must have {wanted} bytes ({images} records of {record}); "
            f"got {size}: delete its folder and unpack {facts['url']} again"
        )
    return path.read_bytes()
