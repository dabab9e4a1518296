"""Probe networks of other packages, and write down what was found.

`python -m preact.book.bugs.survey` reads `survey.toml`, probes what is
installed and writes `surveyed.toml`: with date and versions, so that a reader
knows of what it was true. Packages that are missing are said, and left out.
"""

import json
import sys
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from preact.conformance.address import load
from preact.conformance.probing import probe
from preact.conformance.report import Verdict

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
                {
                    "package": subject["package"],
                    "version": installed,
                    "address": address,
                    "image": subject["image"],
                }
            )


def entry(head: dict[str, Any]) -> str:
    """Probe the network at an address and write its table."""
    address, image = head["address"], tuple(head["image"])
    torch.manual_seed(0)  # random weights, the same each time
    try:
        report = probe(load(address), image, name=address)
    except ValueError as error:
        return _table(head | {"refused": str(error)})
    faults = [
        {
            "property": str(one.property),
            "reason": one.reason,
            "evidence": json.dumps(dict(one.evidence), ensure_ascii=False),
            "places": list(one.places[:KEPT_PLACES]),
            "row": one.row,
        }
        for one in report.faults
    ]
    unknown = [f for f in report.findings if f.verdict is Verdict.UNKNOWN]
    found = {
        "unit": report.unit,
        "row": report.row,
        "units": report.units,
        "stages": list(report.stages),
        "parameters": report.parameters,
        "unknown": [str(finding.property) for finding in unknown],
    }
    return _table(head | found, faults)


def _table(head: dict[str, Any], faults: Sequence[dict[str, Any]] = ()) -> str:
    """One `[[network]]`; JSON's strings, numbers and lists are TOML's too."""
    lines = [""]
    for name, values in [
        ("network", head),
        *(("network.no", f) for f in faults),
    ]:
        lines.append(f"[[{name}]]")
        lines += [
            f"{key} = {json.dumps(value, ensure_ascii=False)}"
            for key, value in values.items()
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (HERE / "surveyed.toml").write_text("".join(survey()), "utf-8")
