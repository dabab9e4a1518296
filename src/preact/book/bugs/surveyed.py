"""What a survey and a matrix of mistakes have found, as the page tells it."""

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from preact.book.page import words
from preact.conformance.words import typeset
from preact.figures import Table

NAMED = ("original", "full-preactivation")  # rows that were found there


@cache
def surveyed() -> dict[str, Any]:
    """Return what `python -m preact.book.bugs.survey` found."""
    return _read("surveyed.toml")


@cache
def matrix() -> dict[str, Any]:
    """Return what `tests/conformance/matrix.py` found: counts, and misses."""
    return _read("matrix.toml")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))


def surveyed_networks() -> Table:
    """Count networks by package: how many are a row, how many have a no."""
    say, found = words(), surveyed()
    by_package: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for network in found["network"]:
        key = network["package"], network["version"]
        by_package.setdefault(key, []).append(network)
    body = [
        [
            package,
            version,
            str(len(networks)),
            *(
                str(sum(network["row"] == row for network in networks))
                for row in NAMED
            ),
            str(sum(bool(network.get("no")) for network in networks)),
        ]
        for (package, version), networks in by_package.items()
    ]
    head = [say(f"bugs.{w}") for w in ("package", "version", "networks")]
    head += [say(f"row.{row}") for row in NAMED]
    caption = say("bugs.survey", date=found["date"], torch=found["torch"])
    return Table([*head, say("bugs.no")], body, caption)


def answered_no() -> Table:
    """Every answer that is no, in words, with its network."""
    say = words()
    body = [
        [
            network["address"].removeprefix("preact.book.bugs.third_party:"),
            say(f"probe_ask.{finding['property']}"),
            say(
                f"probe_said.{finding['reason']}",
                **typeset(json.loads(finding["evidence"]), say),
            ),
        ]
        for network in surveyed()["network"]
        for finding in network.get("no", [])
    ]
    head = [say(f"bugs.{word}") for word in ("address", "question", "said")]
    return Table(head, body, say("bugs.answers_no"))
