"""The `preact` command as a page: what its own parsers say.

Each option has a place with its name, so that a link can lead to it.
"""

import argparse
import re
from collections.abc import Iterator
from functools import partial

from preact.cli import COMMANDS, make_parser

Words = dict[str, str]


def commands_text(words: Words) -> str:
    """Return the page of all commands."""
    parser = make_parser()
    (group,) = (
        action
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    parts = [
        "(api-commands)=",
        f"# {words['@api-commands']}",
        words["@api-commands-intro"],
    ]
    for name, command in group.choices.items():
        parts += command_text(name, command, words)
    return "\n\n".join(parts)


def command_text(
    name: str, command: argparse.ArgumentParser, words: Words
) -> Iterator[str]:
    """Yield a command: what it is for, how it is called, its options."""
    yield f"(command-{name})="
    yield f"## preact {name}"
    yield "::::{container} language-en"
    yield linked(command.description or COMMANDS[name])
    yield f"```text\n{usage(command)}\n```"
    actions = [a for a in command._actions if a.dest != "help"]
    for title, rows in (
        ("arguments", [a for a in actions if not a.option_strings]),
        ("options", [a for a in actions if a.option_strings]),
    ):
        if rows:
            yield f"[{words[f'@api-{title}']}]{{.api-heading}}"
            yield "\n\n".join(action_text(row, command.prog) for row in rows)
    yield "::::"


def usage(command: argparse.ArgumentParser) -> str:
    """Return how a command is called, in lines that fit a page."""
    command.formatter_class = partial(argparse.HelpFormatter, width=72)
    head = "usage: "
    text = command.format_usage().removeprefix(head).strip()
    return text.replace("\n" + " " * len(head), "\n")


def action_text(action: argparse.Action, program: str) -> str:
    """Return an option or an argument, what it takes and what it does."""
    names = action.option_strings or [str(action.metavar or action.dest)]
    takes = ""
    if action.option_strings and action.nargs != 0 and not action.choices:
        takes = f" {action.metavar or action.dest.upper()}"
    head = ", ".join(f"`{name}{takes}`" for name in names)
    if action.choices:
        choices = " | ".join(map(str, action.choices))
        head += f" [{escaped(choices)}]{{.api-type}}"
    text = (action.help or "") % (vars(action) | {"prog": program})
    return f"{head}\n: {linked(text)}" if text else head


def linked(text: str) -> str:
    """Return help as Markdown; what stands in backticks stays code."""
    parts = re.sub(r"(?<![`\w-])--[a-z][\w-]*", r"`\g<0>`", text).split("`")
    parts[::2] = [escaped(part) for part in parts[::2]]
    return "`".join(parts)


def escaped(text: str) -> str:
    """Keep Markdown from reading brackets as links."""
    return re.sub(r"([\[\]<>*|{}\\])", r"\\\1", text)
