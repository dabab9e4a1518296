"""The `preact` command: plan, train, ablate, check and more.

Each command is a module of this room, imported when it is called for: what
needs no PyTorch does not wait for it.
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import NoReturn

from preact import __version__

__all__ = ["BAD_INPUT", "COMMANDS", "main", "make_parser"]
COMMANDS = {
    "plan": "print units, shapes, parameters and multiply-adds",
    "data": "download and verify CIFAR",
    "train": "train one network; the same command again resumes",
    "eval": "print the test error of a network that was trained",
    "predict": "say what is on images, by a network that was trained",
    "ablate": "run what an experiment file asks for and is not recorded",
    "report": "print our errors beside the paper's",
    "plot": "draw errors, curves and profiles of recorded runs",
    "bench": "time a training step and a forward pass beside other packages",
    "check": "probe any network: which residual unit is it, and is it right",
}
"""What each command is for, by name."""
BAD_INPUT = (ValueError, OSError, RuntimeError, MemoryError, ArithmeticError)
"""Errors that end a command with one sentence and exit code 2."""
LONGEST = 1000  # characters of a message
NAMELESS = "the system cannot go on"  # of an error that names no file
# Packages that are not called as they are imported.
PACKAGES = {"PIL": "pillow"}


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
    [{"row": "original", ...
    0
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            nowhere = Path(os.devnull).open("w")  # noqa: SIM115
            setattr(sys, name, nowhere)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # terminals of ASCII only
    try:
        named = [word for word in words if not word.startswith("-")][:1]
        with interruptible_imports():
            options = make_parser(named).parse_args(words)
        code: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        print_nowhere()
        return 1
    except ModuleNotFoundError as error:
        package = (error.name or "preact").partition(".")[0]
        if package == "preact":  # a mistake of ours
            raise
        package = PACKAGES.get(package, package)
        print(
            f"preact: this command needs the package {package}; install it "
            f"with `pip install {package}`",
            file=sys.stderr,
        )
        return 2
    except BAD_INPUT as error:
        said = reason(error)
        nameless = said.startswith(NAMELESS)
        try:
            sys.stdout.write("\n" if nameless else "")  # was it this one?
            sys.stdout.flush()
        except OSError as full:
            print_nowhere()
            if nameless:
                said = f"standard output cannot be written: {full.strerror}"
        print(f"preact: {one_line(said)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "preact: stopped; run the same command again to go on",
            file=sys.stderr,
        )
        return 130
    return code


def print_nowhere() -> None:
    """Python flushes once more at its end, and would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def interruptible_imports() -> Iterator[None]:
    """Let Ctrl-C end the process at once, while modules are imported.

    Some of them would catch KeyboardInterrupt, or make another error of it.
    """
    before = signal.getsignal(signal.SIGINT)
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or before is not signal.default_int_handler:
        yield
        return

    def leave(number: int, frame: FrameType | None) -> None:
        os.write(2, b"preact: stopped\n")
        os._exit(130)

    signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def make_parser(needed: Collection[str]) -> argparse.ArgumentParser:
    """Describe the command line, the needed commands in full.

    Parameters
    ----------
    needed : collection of str
        Names in `COMMANDS`; the others are listed, not imported.

    Examples
    --------
    >>> from preact.cli import make_parser
    >>> options = make_parser(["plan"]).parse_args(["plan", "--depth", "110"])
    >>> options.depth
    110
    """
    parser = Parser(
        prog="preact",
        description="Identity Mappings in Deep Residual Networks, in code.",
    )
    parser.add_argument(
        "--version", action="version", version=f"preact {__version__}"
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    for name, purpose in COMMANDS.items():
        if name in needed:
            import_module(f"preact.cli.{name}").add_command(commands)
        else:
            commands.add_parser(name, help=purpose)
    return parser


class Parser(argparse.ArgumentParser):
    """Refuses in one line, as everything here does."""

    def error(self, message: str) -> NoReturn:
        """Say what was wrong and where the legal forms are."""
        text = f"{self.prog}: {one_line(message)}; see `{self.prog} --help`\n"
        self.exit(2, text)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Leave; help that cannot be printed is an error like any other."""
        sys.stdout.flush()
        super().exit(status, message)


def reason(error: Exception) -> str:
    """What an error says; of the system's own, the file first."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error) or type(error).__name__
    if error.filename is None:
        return f"{NAMELESS}: {error.strerror}"
    return f"{os.fsdecode(error.filename)} cannot be used: {error.strerror}"


def one_line(message: str) -> str:
    """Put a message into one line, the middle of a long one left out."""
    from preact.typed import printable  # late: loads pydantic

    text = printable(" ".join(message.split()))
    half = LONGEST // 2
    return (
        text if len(text) <= LONGEST else f"{text[:half]} ... {text[-half:]}"
    )
