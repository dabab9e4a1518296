"""CIFAR-10 and CIFAR-100 in their official binary layout.

Read from a folder, or downloaded from the official address: with progress,
resumed where it broke off, and verified. No partial data set is ever left
where a reader would find it.
"""

import hashlib
import tarfile
import tempfile
import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import torch

from preact.data.download import Progress, fetch
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
        data = _read_file(name, root / file, facts["record_bytes"])
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
                f"folder and run `preact data {name}`"
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


def download_cifar(
    name: str,
    folder: Path | str,
    *,
    url: str | None = None,
    progress: Progress | None = None,
) -> Path:
    """Download, verify and unpack the official archive; return its folder.

    What breaks off is resumed by the next call. The data set appears under
    its name only when every file is there, of an archive with its checksum.
    Refuse, and delete, another archive; refuse a folder that lacks files.
    """
    facts, folder = CIFAR[name], Path(folder)
    target = folder / str(facts["folder"])
    if target.is_dir() and any(target.iterdir()):
        missing = [f for f in facts["files"] if not (target / f).is_file()]
        if missing:
            raise ValueError(
                f"{target} lacks {', '.join(missing)}; delete the folder and "
                "run the command again, or choose another --folder"
            )
        return target
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{name}.tar.gz.part"
    url = url or facts["url"]
    fetch(url, part, facts["bytes"], progress)
    with part.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if digest != facts["sha256"]:
        part.unlink()
        raise ValueError(
            f"{url}: the archive's SHA-256 must be {facts['sha256']}; got "
            f"{digest}; it is deleted, run the command again, or give another "
            "address with --url"
        )
    with tempfile.TemporaryDirectory(dir=folder, prefix=".unpacking-") as new:
        with tarfile.open(part) as archive:
            archive.extractall(new, filter="data")
        Path(new, facts["folder"]).replace(target)
    part.unlink()
    return target


def _read_file(name: str, path: Path, record: int) -> bytes:
    """Read one binary file whose size must be the official one."""
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is missing: get the data with `preact data {name}`, or "
            "give the folder that holds its binary files"
        )
    images = 50_000 if path.name == "train.bin" else 10_000
    wanted, size = images * record, path.stat().st_size
    if size != wanted:
        raise ValueError(
            f"{path} must have {wanted} bytes ({images} records of {record}); "
            f"got {size}: delete its folder and run `preact data {name}`"
        )
    return path.read_bytes()
