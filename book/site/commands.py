"""The `preact` command as a page: what `preact COMMAND --help` prints."""

import argparse
from functools import partial

from preact.cli.parser import COMMANDS, make_parser


def commands_text(words: dict[str, str]) -> str:
    """Return the page of all commands."""
    parts = [
        "(api-commands)=",
        f"# {words['@api-commands']}",
        words["@api-commands-intro"],
    ]
    (group,) = (
        action
        for action in make_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    for name in COMMANDS:
        command = group.choices[name]
        command.formatter_class = partial(argparse.HelpFormatter, width=72)
        parts += [
            f"(command-{name})=\n## preact {name}",
            "::::{container} language-en",
            f"```text\n{command.format_help()}```",
            "::::",
        ]
    return "\n\n".join(parts)
