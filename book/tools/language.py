"""What a machine can check of three languages.

Terms against the glossary, characters against the script of the page,
numerals against their sources, English chapters against the number of words
that a reader can hold, Chinese sections against the English ones they were
written from. `problems(root)` lists what is wrong.

    python -m book.tools.language            print it
    python -m book.tools.language --record   note that translations are current
"""

import hashlib
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from opencc import OpenCC

from book.tools import ROOT
from book.tools.claims import ledgers
from book.tools.myst import LABELED, chapters, directive, tokens
from book.tools.sentences import printed_words, untranslated_lines
from preact.strings import EDITIONS, LANGUAGES, ORIGINAL
from preact.strings import TRANSLATIONS as CHINESE

# Characters that both scripts use, though a converter would change them.
SHARED = set("台占云峰")


def glossary_key(language: str) -> str:
    """Return what the glossary calls a language."""
    return language.replace("-", "_")


# ------------------------------------------------------------------ prose
@cache
def prose(text: str) -> str:
    """Return what a reader reads: no code, no mathematics, no markup."""
    parts = []
    for token in tokens(text):
        if token.type == "text":
            parts.append(token.content)
        elif token.type == "colon_fence" and (made := directive(token)):
            if made.name not in LABELED:
                parts.append(f"{made.argument}\n")  # a title
        elif token.type.endswith(("break", "_close")) and (
            token.block or "break" in token.type
        ):
            parts.append("\n")
    return "".join(parts)


def sections(text: str) -> dict[str, str]:
    """Split a chapter at its labeled headings."""
    parts = re.split(r"^\(([\w-]+)\)=\n(?=#)", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def words(language: str, root: Path = ROOT) -> str:
    """Return all words of figures, hints, claims and definitions."""
    files = [
        root / f"src/preact/strings/{language}.toml",
        *sorted(root.glob(f"src/preact/book/*/{language}.toml")),
    ]
    data = [*ledgers(root), root / "book/definitions.toml"]
    said = (_said(path.read_text("utf-8")) for path in data)
    return "\n".join(
        [
            *(path.read_text("utf-8") for path in files),
            *(texts[language] for one in said for texts in one),
        ]
    )


@cache
def _said(text: str) -> tuple[dict[str, str], ...]:
    """Return what a file of the book says in all languages."""

    def found(node: Any) -> Iterator[dict[str, str]]:
        if isinstance(node, dict):
            if node.keys() >= set(LANGUAGES):
                yield node
            for value in node.values():
                yield from found(value)

    return tuple(found(tomllib.loads(text)))


# --------------------------------------------------------------- glossary
@cache
def glossary(root: Path = ROOT) -> dict[str, Any]:
    """Return the glossary as written."""
    return tomllib.loads((root / "book/glossary.toml").read_text("utf-8"))


@cache
def names_term(text: str, term: str) -> bool:
    """Whether running English text has a term, singular or plural."""
    pattern = rf"(?i)(?<![\w-]){re.escape(term)}s?(?![\w-])"
    return re.search(pattern, prose(text)) is not None


def missing_terms(root: Path = ROOT) -> list[str]:
    """Terms that a chapter uses in English and not in Chinese."""
    english = chapters(ORIGINAL, root)
    # An English word with other senses cannot be traced.
    terms = [
        t
        for t in glossary(root)["term"]
        if t.get("chapter") and not t.get("loose") and " (" not in t["en"]
    ]
    return [
        f"{language}/{name}: {term['en']!r} must be {wanted!r}"
        for language in CHINESE
        for name, text in chapters(language, root).items()
        for term in terms
        if (wanted := term[glossary_key(language)]) not in prose(text)
        and names_term(english[name], term["en"])
    ]


def forbidden_words(root: Path = ROOT) -> list[str]:
    """Words that the glossary forbids: in prose, messages, printed lines."""
    lines = []
    for language in CHINESE:
        never = [w for t in glossary(root)["term"] for w in t.get("never", [])]
        never += glossary(root)[f"never_{glossary_key(language)}"]["words"]
        texts = chapters(language, root) | {"strings": words(language, root)}
        for name, text in texts.items():
            says = prose(text) + printed_words(text)
            lines += [
                f"{language}/{name}: never {word!r}"
                for word in never
                if word in says
            ]
    return lines


# ----------------------------------------------------------------- script
@cache
def converters() -> dict[str, OpenCC]:
    """What changes exactly the characters of the other script."""
    return {name: OpenCC(EDITIONS[name]["converter"]) for name in CHINESE}


def foreign_characters(text: str, language: str) -> set[str]:
    """Simplified characters in Traditional text, or the reverse."""
    han = set(re.findall(r"[\u3400-\u9fff]", text)) - SHARED
    return {c for c in han if is_foreign(c, language)}


@cache  # chapters share their characters
def is_foreign(character: str, language: str) -> bool:
    """Whether a converter would change a character of an edition."""
    return str(converters()[language].convert(character)) != character


def wrong_script(root: Path = ROOT) -> list[str]:
    """Where an edition uses a character of the other script."""
    return [
        f"{language}/{name}: other script: {''.join(sorted(wrong))}"
        for language in CHINESE
        for name, text in (
            chapters(language, root) | {"strings": words(language, root)}
        ).items()
        if (wrong := foreign_characters(text, language))
    ]


def tight_numbers(root: Path = ROOT) -> list[str]:
    """Where the number of a figure would touch the character behind it."""
    tight = re.compile(r"\{numref\}`([^`]*)`[\u3400-\u9fff]")
    return [
        f"{language}/{name}: no space after {label!r}"
        for language in CHINESE
        for name, text in chapters(language, root).items()
        for label in tight.findall(text)
    ]


# --------------------------------------------------------------- numerals
SMALL = {str(n) for n in range(13)}  # are words
LIST = r"(?:(?:,? and|,? to|,|、|到|至|和)(?: ?式)? ?\(?\d+\)?)*"
EXEMPT = [
    r"(?:Eqs?\.|Equations?|Tables?|Figs?\.|Secs?\.|[Cc]hapters?)"
    r" ?\(?\d+(?:\([a-f]\))?\)?" + LIST,
    r"[式表图圖第] ?\(?\d+(?:\([a-f]\))?\)?" + LIST,
    r"\(\d+\)" + LIST,  # equations by number
    r"(?<!\d)(?:19|20)\d\d(?!\d)",  # years
    r"\d+ ?[×x] ?\d+",  # shapes
    r"[Ll]ayer \d+",
    r"(?:ResNet|CIFAR)-\d+|Python 3\.\d+",
]
UNIT = r" ?(?:%|ms\b|s\b|MB\b|GB\b|kB\b|h\b|hours?\b|秒|小时|小時)"


@cache
def paper_numbers(root: Path = ROOT) -> tuple[set[str], set[str]]:
    """Numerals of the paper's files: all, and the errors in percent."""
    numbers: set[str] = set()
    errors: set[str] = set()

    def walk(node: Any, key: str = "") -> None:
        if isinstance(node, dict):
            for name, value in node.items():
                walk(value, name)
        elif isinstance(node, list):
            for value in node:
                walk(value, key)
        else:
            numbers.update(re.findall(r"\d+(?:\.\d+)?", str(node)))
            if isinstance(node, float) and key.endswith("_pct"):
                errors.update((f"{node:.2f}", f"{node:g}"))

    for path in sorted((root / "src/preact/paper").glob("*.toml")):
        walk(tomllib.loads(path.read_text("utf-8")))
    return numbers | errors, errors


def untraced_numbers(root: Path = ROOT) -> list[str]:
    """Numerals in prose that come from no cell and no table.

    A numeral with a unit must be an error of the paper's tables; any other
    may also stand in one of the chapter's cells. Whole numbers up to twelve
    without a unit are words, and so is what stands in an equation.
    """
    everything, errors = paper_numbers(root)
    lines = []
    for language in LANGUAGES:
        for name, text in chapters(language, root).items():
            if name == "teachers":
                continue  # a plan's minutes are its own
            cells = [t.content for t in tokens(text) if t.type == "fence"]
            sourced = everything | SMALL
            sourced |= set(re.findall(r"\d+(?:\.\d+)?", "\n".join(cells)))
            rest = prose(text)
            for pattern in EXEMPT:
                rest = re.sub(pattern, "", rest)
            for match in re.finditer(rf"\d+(?:[.,]\d+)*({UNIT})?", rest):
                unit = match[1] or ""
                number = match[0].removesuffix(unit).strip()
                percent = errors if "%" in unit else ()
                if number not in (percent if unit else sourced):
                    lines.append(f"{language}/{name}: {match[0]!r}")
    return lines


# -------------------------------------------------------------- long ones
LONGEST = 130  # characters of a sentence
COMMAS = 4  # in one clause of more than 45 characters


def long_sentences(root: Path = ROOT) -> list[str]:
    """Chinese sentences that a reader loses the thread of."""
    return [
        f"{language}/{name}: too long to follow: {sentence}"
        for language in CHINESE
        for name, text in chapters(language, root).items()
        for sentence in _sentences(prose(text))
        if len(sentence) > LONGEST
        or any(
            len(clause) > 45 and clause.count("，") >= COMMAS
            for clause in re.split("[；：]", sentence)
        )
    ]


def _sentences(text: str) -> list[str]:
    """Split running text, without English glosses, at its full stops."""
    text = re.sub("（[A-Za-z -]+）|[ \t]+", "", text)
    return re.split(r"(?<=[。？！])|\n", text)


# --------------------------------------------------------------- chapters
WORDS = 2_200  # of prose in an English chapter
UNCOUNTED = ("-exercises", "-further", "-references")  # ends of labels


def count_words(text: str) -> int:
    """Words of a chapter's prose, without exercises and what is folded."""
    counted = (
        prose(said)
        for label, said in sections(text).items()
        if not label.endswith(UNCOUNTED)
    )
    return sum(len(re.findall("[A-Za-z][A-Za-z-]*", said)) for said in counted)


def long_chapters(root: Path = ROOT) -> list[str]:
    """English chapters with more words than a reader can hold."""
    counts = {k: count_words(v) for k, v in chapters(ORIGINAL, root).items()}
    return [
        f"{ORIGINAL}/{name}: at most {WORDS} words of prose; got {n}"
        for name, n in counts.items()
        if n > WORDS
    ]


# ----------------------------------------------------------------- ledger
LEDGER = "book/translations.toml"


def section_hashes(root: Path = ROOT) -> dict[str, str]:
    """Hash of each English section, by its label."""
    return {
        label: hashlib.sha256(part.strip().encode()).hexdigest()[:12]
        for text in chapters(ORIGINAL, root).values()
        for label, part in sections(text).items()
    }


def stale_translations(root: Path = ROOT) -> list[str]:
    """English sections that changed since they were last translated."""
    noted = tomllib.loads((root / LEDGER).read_text("utf-8"))
    current = section_hashes(root)
    lines = [
        f"section {label!r} was translated from an older original"
        for label, digest in current.items()
        if noted.get(label) != digest
    ]
    lines += [
        f"section {label!r} has no original any more"
        for label in sorted(noted.keys() - current.keys())
    ]
    return lines


def record(root: Path = ROOT) -> None:
    """Note the English sections that the Chinese ones now follow."""
    lines = [
        "# The English section from which the Chinese ones were written, by",
        "# hash. When both follow it again: `make translated`.",
        "",
        *(f'{k} = "{v}"' for k, v in section_hashes(root).items()),
    ]
    (root / LEDGER).write_text("\n".join(lines) + "\n", "utf-8")


def problems(root: Path = ROOT) -> list[str]:
    """All that is wrong, one line each."""
    return [
        *missing_terms(root),
        *forbidden_words(root),
        *wrong_script(root),
        *tight_numbers(root),
        *untranslated_lines(root),
        *untraced_numbers(root),
        *long_chapters(root),
        *long_sentences(root),
        *stale_translations(root),
    ]


if __name__ == "__main__":
    if "--record" in sys.argv:
        record()
    lines = problems()
    print("\n".join(lines) or "nothing to mend")
    sys.exit(bool(lines))
