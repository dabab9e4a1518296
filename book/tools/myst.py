"""How a chapter is read: the book's own parser, and directives as data."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser
from myst_parser.parsers.options import options_to_items

from book.tools import ROOT

KINDS = ("compute", "diagnose", "investigate")  # classes of {exercise}
STAGES = ("idea", "formula", "code")  # of hints in a row
LABELED = ("caption", "solution", "solution-start", "ledger")


def chapters(language: str, root: Path = ROOT) -> dict[str, str]:
    """Return the sources of one edition by name."""
    return {
        path.stem: path.read_text("utf-8")
        for path in sorted((root / "book" / language).glob("*.md"))
    }


@dataclass(frozen=True)
class Directive:
    """A fence with a name: ```` ```{name} argument ````.

    Parameters
    ----------
    argument : str
        A title, or for `LABELED` directives a label.
    options : dict
        `:key: value`, by the rules of MyST: quotes are taken off.
    """

    name: str
    argument: str
    options: dict[str, str]
    body: str


@cache
def parser() -> MarkdownIt:
    """Return the parser of the site, with the extensions of its file."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    extensions = set(config["parse"]["myst_enable_extensions"])
    return create_md_parser(
        MdParserConfig(enable_extensions=extensions), RendererHTML
    )


@cache
def tokens(text: str) -> tuple[Token, ...]:
    """Return all that a chapter holds, in its order; to be read only.

    Inline content follows its block one by one, and what stands within a
    directive of colons follows the directive.
    """
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text, and of the directives within it."""
    for token in parser().parse(text):
        yield from token.children or [token]
        if token.type == "colon_fence" and (made := directive(token)):
            yield from _tokens(made.body)


def directive(token: Token) -> Directive | None:
    """Read a fence as a directive; None if it is none."""
    if token.type not in ("fence", "colon_fence"):
        return None
    head = re.fullmatch(r"\{([\w:-]+)\}\s*(.*)", token.info.strip())
    if not head:
        return None
    options, body = read_options(token.content)
    return Directive(head[1], head[2], options, body)


def read_options(content: str) -> tuple[dict[str, str], str]:
    """Split what stands in a directive into its options and the rest."""
    lines = content.splitlines(keepends=True)
    n = 0
    while n < len(lines) and re.match(r":[\w-]+:", lines[n]):
        n += 1
    items, _ = options_to_items("".join(line[1:] for line in lines[:n]))
    return dict(items), "".join(lines[n:])


def role(token: Token, *names: str) -> str | None:
    """Return what a role holds, if the token is one of these roles."""
    if token.type == "myst_role" and token.meta["name"] in names:
        return token.content
    return None
