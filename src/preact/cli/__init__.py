"""The `preact` command: plan, data, train, ablate, report, bench.

Chapter `08-training`.
"""

import argparse
import sys
from collections.abc import Sequence

from preact.cli import ablate, bench, data, plan, report, train


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="preact",
        description="Identity Mappings in Deep Residual Networks, in code.",
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    for command in (plan, data, train, ablate, report, bench):
        command.add_command(commands)
    options = parser.parse_args(arguments)
    try:
        code: int = options.run(options)
    except (ValueError, OSError, RuntimeError, MemoryError) as error:
        print(f"preact: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("preact: stopped; run the same command again to go on")
        return 130
    return code
