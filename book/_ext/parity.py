"""Three editions that cannot drift: what must be equal between them.

Files, headings, labels, equations, citations, exercises, directives and code
cells. `differences(root)` lists what is not; the build and a test refuse it.
"""

import re
from pathlib import Path

LANGUAGES = ("en", "zh-Hans", "zh-Hant")
SETUP = re.compile(r'setup\("(en|zh-Hans|zh-Hant)"\)')


def skeleton(text: str) -> dict[str, list[str]]:
    """What of a chapter must be the same in every language."""
    code = re.findall(r"```{code-cell}.*?```", text, re.DOTALL)
    prose = re.sub(r"```{code-cell}.*?```", "", text, flags=re.DOTALL)
    equations = re.findall(r"\$\$.*?\$\$(?: \([\w-]+\))?", prose, re.DOTALL)
    return {
        "headings": re.findall(r"^(#+) ", prose, re.MULTILINE),
        "labels": re.findall(r"^\(([\w-]+)\)=", prose, re.MULTILINE),
        "equations": [re.sub(r"\\text\{.*?\}", "", e) for e in equations],
        "citations": re.findall(r"{footcite[:\w]*}`([^`]+)`", prose),
        "references": re.findall(
            r"{(?:eq|ref|numref|doc)}`(?:[^`<]*<)?([^`>]+)>?`", prose
        ),
        # in the order in which the language's own sentence needs them
        "numbers from cells": sorted(
            re.findall(r"{glue:text}`([^`]+)`", prose)
        ),
        "directives": re.findall(r"^[:`]{3,}{([\w-]+)}", prose, re.MULTILINE),
        "options": re.findall(
            r"^:((?:label|class|pyobject|start-after|end-before|sync):.*)$",
            prose,
            re.MULTILINE,
        ),
        "code": [SETUP.sub('setup("…")', cell) for cell in code],
    }


def differences(root: Path) -> list[str]:
    """Say where an edition differs from the English one; empty if nowhere."""
    found = []
    names = {
        language: sorted(
            p.name for p in (root / "book" / language).glob("*.md")
        )
        for language in LANGUAGES
    }
    for language in LANGUAGES[1:]:
        if names[language] != names["en"]:
            odd = sorted(set(names[language]) ^ set(names["en"]))
            found.append(f"{language}: files differ from en: {', '.join(odd)}")
    for name in names["en"]:
        texts = {
            language: (root / "book" / language / name).read_text("utf-8")
            for language in LANGUAGES
            if name in names[language]
        }
        english = skeleton(texts["en"])
        for language, text in texts.items():
            if set(SETUP.findall(text)) != {language}:
                found.append(f'{language}/{name}: needs setup("{language}")')
            for kind, parts in skeleton(text).items():
                if parts != english[kind]:
                    found.append(
                        f"{language}/{name}: {kind} differ from en: "
                        f"{_first(parts, english[kind])}"
                    )
    return found


def _first(got: list[str], wanted: list[str]) -> str:
    """Name the first place where two lists part."""
    for i, (a, b) in enumerate(zip(got, wanted, strict=False)):
        if a != b:
            return f"number {i + 1} is {a!r}, not {b!r}"
    return f"{len(got)} instead of {len(wanted)}"
