"""The `preact` command: plan, train, ablate, check and more.

Chapter `09-training`.

`parser` says what can be typed. A command's own module is imported when the
command line is understood: what needs no PyTorch does not wait for it.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper

from preact.cli.parser import (
    make_parser,
    one_line,
)

__all__ = ["main"]
BAD_INPUT = (ValueError, OSError, RuntimeError, MemoryError, ArithmeticError)
"""With those of own code, what ends a command with a sentence and code 2."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows `preact`; that of this process if not given.

    Returns
    -------
    int
        0; 2 with one sentence on stderr; after a signal 128 and its number,
        so 130 after Ctrl-C; 1 if nobody reads what is printed, or if `check`
        has found a fault.

    Raises
    ------
    SystemExit
        After --help and --version, with 0; if there is no such command or
        option, with 2.

    Examples
    --------
    >>> from preact.cli import main
    >>> main(["report", "digits_table_2", "--json"])  # doctest: +ELLIPSIS
    {"experiment": "digits_table_2", "runs": 60, "missing": 0, ...
    0
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # terminals of ASCII only
    options = make_parser().parse_args(arguments)
    try:
        command = import_module(f"preact.cli.{options.command}")
        code: int = command.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # a reader such as `head` has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ModuleNotFoundError as error:
        package = (error.name or "preact").partition(".")[0]
        if package == "preact":  # a mistake of ours
            raise
        package = {"PIL": "pillow"}.get(package, package)
        complain(
            f"this command needs the package {package}; install it with "
            f"`pip install {package}`"
        )
        return 2
    except KeyboardInterrupt as stopped:
        complain(str(stopped) or "stopped")
        return getattr(stopped, "exit_code", 130)
    except Exception as error:
        complain(error)
        return 2
    return code


def counted(n: int, noun: str) -> str:
    """Write "1 run", "2 runs"."""
    return f"{n} {noun}{'s' * (n != 1)}"


def complain(what: Exception | str) -> None:
    """Say on stderr, in one line, what went wrong; the file first.

    A mistake of ours is raised again.
    """
    from preact.typed import own_line, raised  # late: loads pydantic

    said = str(what) or type(what).__name__
    if isinstance(what, Exception) and own_line(what):
        said = raised(what)
    elif not isinstance(what, (str, *BAD_INPUT)):
        raise what
    elif isinstance(what, OSError) and what.strerror:
        said = what.strerror
        if what.filename is not None:
            name = os.fsdecode(what.filename)
            said = f"{name} cannot be used: {what.strerror}"
    print(f"preact: {one_line(said)}", file=sys.stderr)
