"""`preact check`: which residual unit a network is, and if it is right."""

import argparse
import json
import re
import sys
from contextlib import redirect_stdout
from typing import Any

from preact.cli import COMMANDS
from preact.conformance import Property, probe
from preact.conformance.address import load
from preact.conformance.words import lines
from preact.strings import LANGUAGES, Strings

FAULTS = 1  # exit status: it ran, and an answer is no


def add_command(commands: Any) -> None:
    """Describe `preact check`."""
    parser = commands.add_parser(
        "check",
        help=COMMANDS["check"],
        description="Probe a network by what it computes and answer, "
        "property by property, which residual unit it is and whether it is "
        "right. The code that you name is imported and run. Exit status: 0 "
        "if no answer is no, 1 if one is, 2 if there was nothing to probe.",
    )
    parser.add_argument(
        "address",
        help="package.module:factory, or timm:NAME, torchvision:NAME, "
        "pytorchcv:NAME where these are installed",
    )
    parser.add_argument(
        "--image",
        default="3x32x32",
        help="shape of one input, such as 3x224x224 (default: %(default)s)",
    )
    parser.add_argument(
        "--row",
        default="",
        help="key of Table 1, Table 2 or a control that it is meant to be",
    )
    parser.add_argument(
        "--skip",
        action="append",
        default=[],
        choices=[str(one) for one in Property],
        metavar="PROPERTY",
        help="leave a property out of the exit status; may be repeated: "
        + ", ".join(Property),
    )
    parser.add_argument("--language", default="en", choices=LANGUAGES)
    parser.add_argument(
        "--json", action="store_true", help="for programs: JSON, not words"
    )
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    """Load, probe, print."""
    image = read_image(options.image)
    with redirect_stdout(sys.stderr):  # what foreign code prints
        network = load(options.address)
        report = probe(network, image, row=options.row, name=options.address)
    faults = [f for f in report.faults if f.property not in options.skip]
    if options.json:
        print(json.dumps(report.as_dict()))
    else:
        for line in lines(report, Strings(options.language)):
            print(line)
    return FAULTS if faults else 0


def read_image(text: str) -> tuple[int, ...]:
    """Read a shape such as 3x32x32.

    Raises
    ------
    ValueError
        If it is none.
    """
    if not re.fullmatch(r"[1-9]\d{0,5}(x[1-9]\d{0,5}){0,3}", text):
        raise ValueError(
            f"--image must be a shape such as 3x32x32; got {text!r}"
        )
    return tuple(int(side) for side in text.split("x"))
