"""`preact completion`: a script that completes commands and options."""

import argparse
from typing import Any

import shtab

from preact.cli import COMMANDS, make_parser


def add_command(commands: Any) -> None:
    """Describe `preact completion`."""
    parser = commands.add_parser(
        "completion",
        help=COMMANDS["completion"],
        description="Print a script for the shell; bash reads it with "
        '`eval "$(preact completion bash)"`.',
    )
    parser.add_argument("shell", choices=shtab.SUPPORTED_SHELLS)
    parser.set_defaults(run=_completion)


def _completion(options: argparse.Namespace) -> int:
    """Print the script."""
    print(shtab.complete(make_parser(COMMANDS), options.shell))
    return 0
