"""What a command answers when it is handed nonsense, and the verdict.

The rule: a refusal is exit code 2 and one sentence on stderr that says what
was wrong, the value got and the legal form, of a file its path and key too.
No traceback, no other library's words, nothing accepted that means nothing,
no work lost, no waiting without end.
"""

import re
import traceback
from dataclasses import dataclass
from pathlib import Path

from preact.cli import main

SMALL = """
title = "small"
[scientific]
rows = ["original"]
networks = [{ depth = 8, convs = 2, width = 4 }]
[nuisance]
seeds = [1]
[fixed]
recipe = "digits"
recipe_changes = { iterations = 4, drop_at = [] }
"""
PLACE = "small/digits/resnet-8-2-width-4/original"

# What a sentence says if it was written for whoever reads it.
LEGAL = re.compile(
    r"\b(must|may say|may be|legal keys|cannot|needs?|choose|delete|use|run"
    r"|give|got|make|is missing|does not exist|start with|leave|is not TOML"
    r"|is not JSON|too deeply)\b|see `"
)
# Words of Python and of libraries, in which nobody asked.
INNER = re.compile(
    r"Traceback|pydantic|validation error|object has no|NoneType|<class '"
    r"|(Type|Key|Value|Attribute|Index|Overflow|Unicode\w+|OS)Error"
    r"|\[Errno|enforce fail|c10::|unsupported operand|MarkupError"
    r"|object at 0x|argument '\w+' \(position"
)


@dataclass(frozen=True)
class Answer:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


class Command:
    """The command line of this process: `command("plan", "--depth", "20")`.

    Warnings that Python would print on stderr stand in `err`.
    """

    def __init__(self, capsys, caplog):
        self.capsys, self.caplog = capsys, caplog

    def __call__(self, *words):
        self.capsys.readouterr()
        self.caplog.clear()
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:
            code = end.code
        except Exception:
            return Answer(1, "", traceback.format_exc())
        told = self.capsys.readouterr()
        warnings = "".join(f"{text}\n" for text in self.caplog.messages)
        return Answer(code, told.out, warnings + told.err)


def refusal(answer: Answer, *words: str) -> str:
    """Return "good", or what is wrong with a refusal that must say words."""
    if "Traceback (most recent call last)" in answer.err:
        return f"traceback: {answer.err.splitlines()[-1]}"
    if answer.code == 0:
        return f"silent: {(answer.out or answer.err)[-300:]}"
    if answer.code != 2:
        return f"unclear: exit code {answer.code}, {answer.err}"
    if not LEGAL.search(answer.err):
        return f"unclear: no legal form: {answer.err}"
    return sentence(answer.err, *words)


def sentence(err: str, *words: str) -> str:
    """Return "good", or what is wrong with one sentence on stderr."""
    if err.count("\n") != 1 or not err.endswith("\n"):
        return f"unclear: {err.count(chr(10))} lines: {err[:500]}"
    if not err.rstrip("\n").isprintable():
        return f"unclear: control characters: {err!r}"
    if INNER.search(err):
        return f"unclear: says {INNER.search(err)[0]!r}: {err}"
    plain = err.casefold().replace(",", "")
    for word in words:
        if str(word).casefold().replace(",", "") not in plain:
            return f"unclear: does not say {word!r}: {err}"
    return "good"


def success(answer: Answer) -> str:
    """Return "good" if a command did what it was asked to, in silence."""
    if answer.code:
        return f"lost: exit code {answer.code}, {answer.err}"
    return "good" if not answer.err else f"unclear: {answer.err}"


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, to see that nothing was touched."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
