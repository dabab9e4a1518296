"""Records on disk: whole or not there."""

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from errno import EEXIST
from importlib.resources import files
from pathlib import Path
from typing import Any

from preact.records.record import Record
from preact.typed import dump, parse, plain, read_text

PUBLISHED = Path(str(files("preact"))) / "results"
"""The folder of the records that ship with the package."""


def write_record(
    path: Path,
    record: Record | Mapping[str, Any],
    curve: Sequence[Mapping[str, float]],
) -> Record:
    """Write a record and its curve; neither is ever there in part.

    The record is checked first; the curve goes beside it, ending in `.csv`,
    and what a point lacks is an empty cell. Refuse what is no record, and to
    replace one.
    """
    values = dump(record) if isinstance(record, Record) else dict(record)
    checked = parse(Record, values, str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    table = io.StringIO()
    if curve:
        columns = dict.fromkeys(name for point in curve for name in point)
        writer = csv.DictWriter(table, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(curve)
    lines = (  # one field a line, so that differences can be read
        f' "{key}": {json.dumps(value, ensure_ascii=False, allow_nan=False)}'
        for key, value in values.items()
    )
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if not path.exists():  # or its curve would be replaced
        write_new(path.with_suffix(".csv"), table.getvalue(), replace=True)
    write_new(path, text, replace=False)
    return checked


def read_record(path: Path | str) -> Record:
    """Read the record in the JSON file at `path`.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If the file is no JSON, or no record.

    Examples
    --------
    >>> from preact.records import read_record
    >>> from preact.records.compare import PUBLISHED
    >>> folder = PUBLISHED / "digits_table_2/digits/resnet-110-2/original"
    >>> record = read_record(folder / "seed-1.json")
    >>> record.outcome, record.iterations, record.test_error_pct
    ('finished', 300, 82.5)
    """
    return parse(Record, read_json(Path(path)), str(path))


def read_json(path: Path) -> Any:
    """Read a JSON file. Raises ValueError where it is none."""
    text = read_text(path)
    try:
        return json.loads(text)
    except (RecursionError, ValueError) as error:
        raise ValueError(f"{path} is not JSON: {plain(error)}") from error


def read_curve(path: Path | str) -> dict[str, list[float]]:
    """Read the curve of a record at `path`: a list for each of its columns.

    What was not measured at a point is NaN.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If a line has another number of cells, or one is no number.

    Examples
    --------
    >>> from preact.records import read_curve
    >>> from preact.records.compare import PUBLISHED
    >>> folder = PUBLISHED / "digits_table_2/digits/resnet-110-2/original"
    >>> curve = read_curve(folder / "seed-1.json")
    >>> list(curve)
    ['iteration', 'lr', 'loss', 'train_error_pct', 'test_error_pct']
    >>> curve["iteration"][-1], curve["test_error_pct"][-1]
    (300.0, 82.5)
    """
    path = Path(path).with_suffix(".csv")
    names, *lines = [*csv.reader(io.StringIO(read_text(path)))] or [[]]
    for number, line in enumerate(lines, 2):
        if len(line) != len(names):
            raise ValueError(
                f"{path}, line {number} must have {len(names)} cells; "
                f"got {len(line)}"
            )
    try:
        return {
            name: [float(line[i] or "nan") for line in lines]
            for i, name in enumerate(names)
        }
    except ValueError as error:
        raise ValueError(f"{path}: {plain(error)}") from error


def write_new(path: Path, content: str | bytes, *, replace: bool) -> None:
    """Put a whole file in place, or none. Refuse to replace unasked."""
    if path.exists() and not replace:
        raise FileExistsError(EEXIST, os.strerror(EEXIST), str(path))
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as out:
            out.write(
                content.encode() if isinstance(content, str) else content
            )
            out.flush()
            os.fsync(out.fileno())
        draft.replace(path)
    except OSError as error:  # a full disk does not say whose
        error.filename, error.filename2 = str(path), None
        raise
    finally:
        draft.unlink(missing_ok=True)
