"""`preact check`: which residual unit a network is, and if it is right."""

import argparse
import json
import re
import sys
from collections.abc import Collection, Iterable
from contextlib import redirect_stdout
from dataclasses import asdict

import torch
from rich.console import Console
from rich.text import Text

from preact.conformance import Property, Report, Verdict, probe
from preact.conformance.address import load
from preact.conformance.words import judged_lines
from preact.plan.checks import check_choice
from preact.spec import find_row
from preact.strings import Strings

FAULTS = 1  # exit status: it ran, and an answer is no
COLORS = {Verdict.NO: "red", Verdict.UNKNOWN: "yellow", Verdict.YES: "green"}


def run(options: argparse.Namespace) -> int:
    """Probe, print, and judge."""
    image = read_image(options.image)
    if options.row:
        find_row(options.row)
    for name in options.skip:
        check_choice("--skip", name, tuple(map(str, Property)))
    address = options.address
    torch.manual_seed(0)  # random weights, the same each time
    with redirect_stdout(sys.stderr):  # of what the network prints
        report = probe(load(address), image, row=options.row, name=address)
    words, skip = Strings(options.language), options.skip
    if options.json:
        print(json.dumps(asdict(report) | {"counts": report.counts}))
    else:
        show(judged_lines(report, words, options.verbose, skip))
    return exit_status(report, skip, options.strict)


def show(lines: Iterable[tuple[Verdict | None, str]]) -> None:
    """Print lines, on a terminal in the color of their answer."""
    console = Console(highlight=False)
    for verdict, line in lines:
        color = COLORS[verdict] if verdict else ""
        console.print(Text(line, style=color), soft_wrap=True)


def exit_status(report: Report, skip: Collection[str], strict: bool) -> int:
    """Say whether an answer is no, or unknown where that counts, too."""
    wrong = {Verdict.NO, Verdict.UNKNOWN} if strict else {Verdict.NO}
    counted = {f.verdict for f in report.findings if f.property not in skip}
    return FAULTS if wrong & counted else 0


def read_image(text: str) -> tuple[int, ...]:
    """Read a shape such as 3x32x32. ValueError otherwise."""
    if not re.fullmatch(r"[1-9]\d{0,5}(x[1-9]\d{0,5}){0,3}", text):
        raise ValueError(
            f"--image must be a shape such as 3x32x32; got {text!r}"
        )
    return tuple(int(side) for side in text.split("x"))
