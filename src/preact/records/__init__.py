"""What was measured: one JSON file a run, its curve beside it.

Files are written whole or not at all, and read only if they hold what a
record must hold.

Chapter `08-training`.
"""

import csv
import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Record = dict[str, Any]
NOTHING = type(None)
FIELDS: dict[str, type | tuple[type, ...]] = {
    "experiment": str,
    "row": str,
    "spec": str,
    "tail": str,
    "depth": int,
    "convs": int,
    "width": int,
    "data": str,
    "data_label": str,
    "data_sha256": str,
    "seed": int,
    "protocol": str,
    "parameters": int,
    "bn_batch": int,
    "config": dict,
    "config_sha256": str,
    "outcome": str,
    "iterations": int,
    "test_error_pct": (int, float),
    "test_error_is": str,
    "train_loss": (int, float, NOTHING),
    "profiles": list,
    "deviations": list,
    "wall_s": (int, float),
    "images_per_s": (int, float),
    "peak_memory_bytes": (int, NOTHING),
    "peak_memory_is": str,
    "started_utc": str,
    "device": str,
    "devices": int,
    "threads": int,
    "deterministic": bool,
    "torch": str,
    "cuda": (str, NOTHING),
    "git": dict,
}


def write_record(
    path: Path, record: Mapping[str, Any], curve: Sequence[Mapping[str, float]]
) -> None:
    """Write a record and its curve; neither is ever there in part.

    Raises
    ------
    ValueError
        If the record lacks a field, or one is of the wrong kind.
    FileExistsError
        If the record is there already: two runs cannot write one.
    """
    check_record(record, str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    table = io.StringIO()
    if curve:
        columns = dict.fromkeys(name for point in curve for name in point)
        writer = csv.DictWriter(table, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(curve)
    text = _json(record)
    _write_new(path.with_suffix(".csv"), table.getvalue(), replace=True)
    _write_new(path, text, replace=False)


def read_record(path: Path) -> Record:
    """Read one record.

    Raises
    ------
    ValueError
        If the file is no JSON, or no record.
    """
    try:
        record = json.loads(path.read_text("utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    check_record(record, str(path))
    return dict(record)


def check_record(record: Mapping[str, Any], where: str) -> None:
    """Refuse a record that lacks a field or has one of the wrong kind."""
    if not isinstance(record, Mapping):
        raise ValueError(f"{where}: a record must be an object")
    for field, kind in FIELDS.items():
        if field not in record:
            raise ValueError(f"{where}: a record must have {field!r}")
        if not isinstance(record[field], kind):
            raise ValueError(
                f"{where}: {field} must be {kind}; got {record[field]!r}"
            )
    if record["outcome"] not in ("finished", "diverged"):
        raise ValueError(
            f"{where}: outcome must be finished or diverged; "
            f"got {record['outcome']!r}"
        )
    if not math.isfinite(record["test_error_pct"]):
        raise ValueError(
            f"{where}: test_error_pct must be finite; "
            f"got {record['test_error_pct']}"
        )


def _json(record: Mapping[str, Any]) -> str:
    """One field a line, so that differences can be read."""
    texts = {
        key: json.dumps(value, ensure_ascii=False, allow_nan=False)
        for key, value in record.items()
    }
    lines = (f' "{key}": {text}' for key, text in texts.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _write_new(path: Path, text: str, *, replace: bool) -> None:
    """Put a whole file in place, refusing (or not) to replace another."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        if replace:
            fresh.replace(path)
        else:
            os.link(fresh, path)  # fails if the record exists
    finally:
        fresh.unlink(missing_ok=True)
