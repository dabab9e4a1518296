"""Steps toward speed: what each was expected to gain, and what it gained."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from preact.records.files import read_json
from preact.records.record import Bytes, Git, NotNegative
from preact.typed import Positive, Text, parse, typed

PUBLISHED = Path(str(files("preact"))) / "results"
"""The folder of the records that ship with the package."""
Ms = Annotated[float, Field(gt=0.0)]


@typed
class BenchRow:
    """One contestant of `preact bench`: package and settings, its times in ms.

    Least and median of all rounds, of a training step on a batch and of a
    forward pass in evaluation; bytes that a step keeps for its backward pass
    and the most at any time, None where compiled; seconds of the first step,
    with what is compiled in it.
    """

    name: Text
    peer: bool
    parameters: Positive
    train_ms_min: Ms
    train_ms_median: Ms
    forward_ms_min: Ms
    forward_ms_median: Ms
    kept_bytes_per_image: Bytes | None
    peak_bytes_per_image: Bytes | None
    first_step_s: NotNegative


@typed
class BenchRecord:
    """What `preact bench --record` writes; fields as in `Record`.

    `rounds` are the turns of each contestant that count. In the two records
    of November 2026 `started_utc` is when the times had been taken.
    `gradient_error` is how far gradients of the fast network were from
    float64: in the worst tensor, relative to its largest number, the median
    of several draws.
    """

    network: Text
    batch: Positive
    bn_batch: Positive
    precision: Text
    rounds: Positive
    threads: Positive
    device: Text
    torch: Text
    git: Git
    started_utc: Text
    gradient_error: NotNegative
    rows: Annotated[tuple[BenchRow, ...], Field(min_length=1)]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step, and the rows of a record of `preact bench` that judge it.

    Its name is one under `speed.` in `preact.strings`; what it was
    `expected` to gain, at least or from and to, was written before it was.
    """

    key: str
    record: str
    before: str
    after: str
    field: str
    expected: tuple[float, ...]

    @property
    def is_share(self) -> bool:
        """Whether less is better: a share of bytes, no ratio of times."""
        return "bytes" in self.field

    def gained(self, record: Mapping[str, Any]) -> float:
        """How many times as fast, or what share of the bytes is left."""
        rows = {row["name"]: row[self.field] for row in record["rows"]}
        before, after = rows[self.before], rows[self.after]
        return float(after / before if self.is_share else before / after)


def load_steps() -> list[Step]:
    """Read the steps in the order in which they were taken."""
    return [
        Step(**fields | {"expected": tuple(fields["expected"])})
        for fields in _table()["step"]
    ]


def _table() -> dict[str, Any]:
    text = files("preact.records").joinpath("speed.toml").read_text("utf-8")
    return tomllib.loads(text)


def load_times(name: str, folder: Path = PUBLISHED) -> dict[str, Any] | None:
    """Read a record of `preact bench`; None if it has not been run."""
    path = folder / "bench" / f"{name}.json"
    if not path.exists():
        return None
    record: dict[str, Any] = read_json(path)
    parse(BenchRecord, record, str(path))
    return record


def fused_pays(processor: str) -> bool:
    """Whether fused units have been timed on such a processor, and pay.

    The rule is in `speed.toml`; a processor names its maker first.
    """
    rule = _table()["fused"]
    gains = [
        fused_gain(record)
        for record in map(load_times, rule["records"])
        if record and record["device"].split()[:1] == processor.split()[:1]
    ]
    return bool(gains) and min(gains) >= rule["least"]


def fused_gain(record: Mapping[str, Any]) -> float:
    """How many times as fast fused units are as the best in their layout."""
    ms = {row["name"]: row["train_ms_min"] for row in record["rows"]}
    best = min(t for name, t in ms.items() if "channels_last" in name)
    return float(best / ms["preact, fast"])
