"""Probe networks of other packages, and write down what was found.

`python -m preact.book.bugs.survey` reads `survey.toml`, probes what is
installed and writes `surveyed.toml`: with date and versions, so that a reader
knows of what it was true. Packages that are missing are said, and left out.
"""

import json
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from preact.conformance.address import load
from preact.conformance.probing import probe
from preact.conformance.report import Finding, Report, Verdict

HERE = Path(__file__).parent
KEPT_PLACES = 3


def survey() -> Iterator[str]:
    """Probe every subject; yield the file, a piece at a time."""
    subjects = tomllib.loads((HERE / "survey.toml").read_text("utf-8"))
    yield (
        "# Written by `python -m preact.book.bugs.survey`; do not edit.\n"
        f'date = "{datetime.now(UTC).date().isoformat()}"\n'
        f'torch = "{torch.__version__}"\n'
    )
    for subject in subjects["subject"]:
        try:
            installed = version(subject["package"])
        except PackageNotFoundError:
            sys.stderr.write(f"{subject['package']} is not installed\n")
            continue
        for address in subject["addresses"]:
            sys.stderr.write(f"{address}\n")
            yield entry(
                subject["package"], installed, address, tuple(subject["image"])
            )


def entry(
    package: str, installed: str, address: str, image: tuple[int, ...]
) -> str:
    """Probe one network and write its table."""
    head: dict[str, Any] = {
        "package": package,
        "version": installed,
        "address": address,
        "image": list(image),
    }
    torch.manual_seed(0)  # random weights, the same each time
    try:
        report = probe(load(address), image, name=address)
    except ValueError as error:
        return _table(head | {"refused": str(error)})
    return _table(head | facts(report))


def facts(report: Report) -> dict[str, Any]:
    """What is worth keeping of a report."""
    return {
        "unit": report.unit,
        "row": report.row,
        "units": report.units,
        "stages": list(report.stages),
        "parameters": report.parameters,
        "no": [short(f) for f in report.faults],
        "unknown": [
            str(f.property)
            for f in report.findings
            if f.verdict is Verdict.UNKNOWN
        ],
    }


def short(finding: Finding) -> dict[str, Any]:
    """A finding that says no."""
    return {
        "property": str(finding.property),
        "reason": finding.reason,
        "evidence": json.dumps(dict(finding.evidence), ensure_ascii=False),
        "places": list(finding.places[:KEPT_PLACES]),
        "row": finding.row,
    }


def _table(values: dict[str, Any]) -> str:
    """One `[[network]]`; JSON's strings, numbers and lists are TOML's too."""
    findings = values.pop("no", [])
    lines = ["", "[[network]]"]
    lines += [f"{key} = {_value(value)}" for key, value in values.items()]
    for finding in findings:
        lines += ["[[network.no]]"]
        lines += [f"{key} = {_value(value)}" for key, value in finding.items()]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    """Write a string, a number or a list."""
    return json.dumps(value, ensure_ascii=False)


def main() -> int:
    """Write `surveyed.toml` beside this file."""
    text = "".join(survey())
    (HERE / "surveyed.toml").write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
