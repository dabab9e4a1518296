"""Three editions that cannot drift: what must be equal between them.

Files, headings, labels, equations, citations, claims, exercises, directives
with all of their options, and code cells but for the words that they print.
`differences(root)` lists what is not; the build and a test refuse it.
"""

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from book.tools.myst import LABELED, chapters, directive, role, tokens
from book.tools.sentences import comparable
from preact.strings import LANGUAGES, ORIGINAL

SETUP = re.compile(r'setup\("([\w-]+)"\)')
EQUATIONS = ("math_block", "math_block_label", "math_inline_double")
CITATIONS = ("footcite", "footcite:p", "footcite:t", "footcite:ts")
REFERENCES = ("eq", "ref", "numref", "doc", "download")
TRANSLATED = ("caption", "alt")  # options that are words


@cache
def skeleton(text: str) -> dict[str, list[str]]:
    """What of a chapter must be the same in each language; to be read only."""
    parts = defaultdict[str, list[str]](list)
    for token in tokens(text):
        if token.type == "heading_open":
            parts["headings"].append(token.tag)
        elif token.type == "myst_target":
            parts["labels"].append(token.content)
        elif token.type in EQUATIONS:
            equation = re.sub(r"\\text\{.*?\}", "", token.content)
            parts["equations"].append(f"{equation} ({token.info})")
        elif cited := role(token, *CITATIONS):
            parts["citations"].append(cited)
        elif target := role(token, *REFERENCES):
            named = re.search(r"<([^>]+)>$", target)
            parts["references"].append(named[1] if named else target)
        elif number := role(token, "glue:text"):
            parts["numbers from cells"].append(number)
        elif claim := role(token, "claim"):
            parts["claims"].append(claim)
        elif (made := directive(token)) and made.name == "code-cell":
            code = comparable(SETUP.sub('setup("…")', made.body))
            parts["code"].append(f"{made.options}\n{code}")
        elif made:
            parts["directives"].append(made.name)
            parts["options"] += [
                f"{made.name} {key}: {value}"
                for key, value in made.options.items()
                if key not in TRANSLATED
            ]
            if made.name in ("literalinclude", *LABELED):
                parts["options"].append(f"{made.name} {made.argument}")
    # in the order in which the language's own sentence needs them
    parts["numbers from cells"].sort()
    parts["claims"].sort()
    return parts


def differences(root: Path) -> list[str]:
    """Say where an edition differs from the English one; empty if nowhere."""
    problems = []
    originals = chapters(ORIGINAL, root)
    for language in LANGUAGES:
        texts = chapters(language, root)
        if odd := sorted(texts.keys() ^ originals.keys()):
            problems.append(
                f"{language}: files differ from {ORIGINAL}: {', '.join(odd)}"
            )
        for name in sorted(texts.keys() & originals.keys()):
            original = skeleton(originals[name])
            problems += [
                f"{language}/{name}: {problem}"
                for problem in _drift(texts[name], language, original)
            ]
    return problems


def _drift(
    text: str, language: str, original: dict[str, list[str]]
) -> list[str]:
    """Say where one chapter differs from the original's skeleton."""
    problems = []
    if original["code"] and set(SETUP.findall(text)) != {language}:
        problems.append(f'needs setup("{language}")')
    parts = skeleton(text)
    for kind in original | parts:
        if parts[kind] != original[kind]:
            place = _first(parts[kind], original[kind])
            problems.append(f"{kind} differ from {ORIGINAL}: {place}")
    return problems


def _first(got: list[str], wanted: list[str]) -> str:
    """Name the first place where two lists part."""
    for i, (a, b) in enumerate(zip(got, wanted, strict=False)):
        if a != b:
            return f"number {i + 1} is {a!r}, not {b!r}"
    return f"{len(got)} instead of {len(wanted)}"
