"""Steps toward speed: what each was expected to gain, and what it gained."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from preact.records.files import PUBLISHED, read_json
from preact.records.record import Bytes, Git, NotNegative
from preact.typed import Positive, Text, parse, typed

Ms = Annotated[float, Field(gt=0.0)]


@typed
class BenchRow:
    """One network that was timed; times in milliseconds.

    Parameters
    ----------
    name, peer : str and bool
        Package and settings; whether it is another package.
    parameters : int
        Numbers that are trained.
    train_ms_min, train_ms_median : float
        A training step on a batch: the least and the median of all rounds.
    forward_ms_min, forward_ms_median : float
        A forward pass in evaluation.
    kept_bytes_per_image, peak_bytes_per_image : int
        What a step keeps for its backward pass, and the most at any time of
        it.
    first_step_s : float
        Seconds of the first step, with what is compiled in it.
    """

    name: Text
    peer: bool
    parameters: Positive
    train_ms_min: Ms
    train_ms_median: Ms
    forward_ms_min: Ms
    forward_ms_median: Ms
    kept_bytes_per_image: Bytes
    peak_bytes_per_image: Bytes
    first_step_s: NotNegative


@typed
class BenchRecord:
    """Times of a training step beside those of other packages.

    Parameters
    ----------
    network, batch, bn_batch, precision : str and int
        What was timed, on how many images in a step, in which numbers.
    rounds, threads : int
        Turns of each contestant that count, and its CPU threads.
    device, torch, git : str and Git
        As of `preact.records.Record`.
    started_utc : str
        ISO 8601; in the two records of November 2026 when the times had
        been taken, in later ones when the command began.
    gradient_error : float
        How far gradients of the fast network were from float64 in a network of
        at most 29 layers: in the worst tensor, relative to its largest number,
        the median of several draws.
    rows : tuple of BenchRow
        The contestants.
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

    Its name is one under `speed.` in `preact.strings`; what it was expected
    to gain, from and to or at least, was written down before it was built.
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

    The rule and the names of the records are in `speed.toml`; a processor
    calls itself by its maker first.

    Examples
    --------
    >>> from preact.records.speed import fused_pays
    >>> fused_pays("Intel(R) Xeon(R) Processor"), fused_pays("AMD EPYC 7763")
    (True, False)
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
