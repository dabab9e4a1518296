"""CIFAR-10 and CIFAR-100 in their official binary layout.

Read from a folder, or downloaded from the official address: with progress,
resumed where it broke off, verified, and unpacked without trusting the
archive. No partial data set is ever left where a reader would find it.
"""

import hashlib
import shutil
import tarfile
import tomllib
import zlib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import torch

from preact.data.download import Progress, fetch
from preact.data.images import ImageSet

CIFAR: dict[str, Any] = tomllib.loads(
    files("preact.data").joinpath("cifar.toml").read_text("utf-8")
)
CLASSES = {"cifar10": 10, "cifar100": 100}
PIXELS = 3 * 32 * 32


def read_cifar(name: str, folder: Path | str) -> ImageSet:
    """Read CIFAR from a folder that holds, or is, its binary files.

    Parameters
    ----------
    name : {"cifar10", "cifar100"}
        Which of them.
    folder : Path or str
        Of the binary files, or the one above.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ValueError
        If it is neither of the two, a file has another size than it must, or
        a label is out of range.

    Examples
    --------
    >>> from preact.data import read_cifar
    >>> read_cifar("cifar10", "elsewhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    FileNotFoundError: ...data_batch_1.bin is missing: get the data with ...
    """
    facts, folder = _find_facts(name), Path(folder)
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
    arrays = {split: np.concatenate(blocks) for split, blocks in parts.items()}
    # CIFAR-100 has a coarse label first; the fine one precedes the pixels.
    column = facts["record_bytes"] - PIXELS - 1
    images = {
        split: torch.from_numpy(
            a[:, column + 1 :].reshape(-1, 3, 32, 32).copy()
        )
        for split, a in arrays.items()
    }
    labels = {
        split: torch.from_numpy(a[:, column].astype(np.int64))
        for split, a in arrays.items()
    }
    for split, values in labels.items():
        worst = int(values.max())
        if worst >= CLASSES[name]:
            raise ValueError(
                f"{root}: {split} labels must lie in 0..{CLASSES[name] - 1}; "
                f"got {worst}: not {label}, or a damaged file; delete the "
                f"folder and run `preact data {name}`"
            )
    read = ImageSet(
        name=name,
        label=label if official else f"{label} (unofficial files)",
        classes=CLASSES[name],
        class_names=tuple(facts["classes"]),
        train_images=images["train"],
        train_labels=labels["train"],
        test_images=images["test"],
        test_labels=labels["test"],
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
    its name only when every file is there and has its checksum.

    Parameters
    ----------
    name : {"cifar10", "cifar100"}
    folder : Path or str
        Where to put it; made if missing.
    url : str, optional
        Another address of the same archive (a mirror).
    progress : callable, optional
        Called with bytes so far and bytes in all.

    Raises
    ------
    ValueError
        If the archive, or a file in it, is not the official one: what was
        downloaded is deleted. If a folder of this name lacks files; if the
        name or the address is none.
    ConnectionError
        If the address cannot be reached or breaks off; what has arrived is
        kept.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from preact.data import download_cifar
    >>> with TemporaryDirectory() as folder:
    ...     download_cifar("cifar10", folder, url="ftp://mirror")
    Traceback (most recent call last):
    ValueError: url must begin with http:// or https://; got 'ftp://mirror'
    """
    facts, folder = _find_facts(name), Path(folder)
    target = folder / str(facts["folder"])
    if target.exists() and not target.is_dir():
        raise ValueError(f"{target} must be a folder; got a file")
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
    fresh = folder / f".{facts['folder']}.unpacking"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    try:
        _check_archive(part, facts["sha256"])
        _unpack(part, fresh, facts)
    except ValueError as error:
        part.unlink()
        raise ValueError(
            f"{url}: {error}; it is deleted, run the command again, or give "
            "another address with --url"
        ) from error
    else:
        fresh.rename(target)
        part.unlink()
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return target


def _find_facts(name: str) -> dict[str, Any]:
    """What is known of one of the two data sets."""
    if name not in tuple(CIFAR):
        raise ValueError(
            f"name must be one of {', '.join(CIFAR)}; got {name!r}"
        )
    facts: dict[str, Any] = CIFAR[name]
    return facts


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


def _check_archive(archive: Path, sha256: str) -> None:
    """Refuse another archive than the official one."""
    with archive.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if digest != sha256:
        raise ValueError(
            f"the archive's SHA-256 must be {sha256}; got {digest}"
        )


def _unpack(archive: Path, into: Path, facts: dict[str, Any]) -> None:
    """Copy the expected files, and nothing else, out of the archive."""
    try:
        with tarfile.open(archive) as tar:
            for file, sha256 in facts["files"].items():
                source = tar.extractfile(f"{facts['folder']}/{file}")
                if source is None:
                    raise ValueError(f"{file} must be a regular file in it")
                data = source.read()
                digest = hashlib.sha256(data).hexdigest()
                if digest != sha256:
                    raise ValueError(
                        f"{file} must have SHA-256 {sha256}; got {digest}"
                    )
                (into / file).write_bytes(data)
    except KeyError as error:
        raise ValueError(
            f"the archive must hold {file}; it is missing"
        ) from error
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise ValueError(
            f"the archive must be a whole tar.gz; got: {error}"
        ) from error
