"""What cells print: the words are each edition's own, the rest is not.

`print(f"open share {share:.3f}")` may say "open share" in another language,
and put the value elsewhere in its sentence. The value, its format, the number
of the sentences and all other code stay as they are in the original.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from book.tools import ROOT
from book.tools.myst import chapters, directive, tokens
from preact.strings import ORIGINAL, TRANSLATIONS


@cache
def cells(text: str) -> tuple[str, ...]:
    """Return the code of each cell of a chapter."""
    return tuple(
        made.body
        for token in tokens(text)
        if (made := directive(token)) and made.name == "code-cell"
    )


def printed_words(text: str) -> str:
    """Return all that a chapter's cells say, a line for each sentence."""
    return "\n".join(line for code in cells(text) for line in printed(code))


def untranslated_lines(root: Path = ROOT) -> list[str]:
    """Sentences that a translated chapter prints as the original does."""
    originals = chapters(ORIGINAL, root)
    return [
        f"{language}/{name}: prints {line!r}, as the original does"
        for language in TRANSLATIONS
        for name, text in chapters(language, root).items()
        for code, original in zip(
            cells(text), cells(originals[name]), strict=False
        )
        for line in untranslated(code, original)
    ]


def comparable(code: str) -> str:
    """Return a cell's code with the words of its `print` calls taken out.

    Examples
    --------
    >>> comparable('print(f"open {share:.3f} of all")')
    "print(f'…{share:.3f}')"
    >>> comparable('show(f"open {share:.3f} of all")')
    "show(f'open {share:.3f} of all')"
    """
    tree = _parsed(code)
    for call in _prints(tree):
        call.args = [_wordless(argument) for argument in call.args]
    return ast.unparse(tree) or code  # what is no Python, as it is


@cache
def printed(code: str) -> tuple[str, ...]:
    """Return the words of each sentence that a cell prints.

    Examples
    --------
    >>> printed('print(f"open {share:.3f} of all", end="")')
    ('open {} of all',)
    """
    return tuple(
        sentence
        for call in _prints(_parsed(code))
        for argument in call.args
        if (sentence := _words(argument)).replace("{}", "").strip()
    )


def untranslated(code: str, original: str) -> list[str]:
    """Return the sentences that a translated cell prints as the original does.

    One word alone may be a name; two in a row are a sentence.

    Examples
    --------
    >>> untranslated('print("open share")', 'print("open share")')
    ['open share']
    """
    same = set(printed(code)) & set(printed(original))
    return sorted(s for s in same if re.search(r"[A-Za-z]+,? [a-z]{2,}", s))


def _parsed(code: str) -> ast.Module:
    """Parse a cell; one that is not Python is empty."""
    try:
        return ast.parse(code)
    except SyntaxError:
        return ast.Module(body=[], type_ignores=[])


def _prints(tree: ast.Module) -> Iterator[ast.Call]:
    """Find the calls of `print`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="print")):
                yield node


def _wordless(argument: ast.expr) -> ast.expr:
    """Return a sentence without its words, its values in a fixed order."""
    if isinstance(argument, ast.JoinedStr):
        values = [v for v in argument.values if _text(v) is None]
        values.sort(key=ast.unparse)
        return ast.JoinedStr([ast.Constant("…"), *values])
    return argument if _text(argument) is None else ast.Constant("…")


def _words(argument: ast.expr) -> str:
    """Return a sentence with its values as braces."""
    parts = (
        argument.values if isinstance(argument, ast.JoinedStr) else [argument]
    )
    words = [_text(part) for part in parts]
    return "".join("{}" if text is None else text for text in words)


def _text(part: ast.expr) -> str | None:
    """Return a part of a sentence that is text; None for a value."""
    if isinstance(part, ast.Constant) and isinstance(part.value, str):
        return part.value
    return None
