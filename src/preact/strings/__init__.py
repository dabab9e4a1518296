"""Words of figures, alternative texts, hints and messages, by language.

One TOML file a language, all with the same keys; English is the original.
`languages.toml` is the only list of them. What one chapter says stands in that
chapter's room, `preact/book/*/LANGUAGE.toml`. Terms follow the project's
glossary. `Strings` looks a key up and fills in its values.
"""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

__all__ = ["Strings"]
EDITIONS: dict[str, dict[str, str]] = tomllib.loads(
    files(__name__).joinpath("languages.toml").read_text("utf-8")
)
"""By language tag: its name, and what browsers and catalogs call it."""
LANGUAGES = tuple(EDITIONS)
"""The tags, the original first."""
ORIGINAL = LANGUAGES[0]
"""The language that the others are translated from."""
TRANSLATIONS = LANGUAGES[1:]
"""The other languages."""

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
"""Signs of an exponent to raised ones, for `str.translate`."""


class Strings:
    """The words of one language: `strings("figure.depth")`.

    `table` has the texts by key as they stand, where a script fills them in.

    Parameters
    ----------
    language : str
        One of `LANGUAGES`, an HTML language tag.

    Raises
    ------
    ValueError
        If there is no such language; a key that there is not is a KeyError.

    Examples
    --------
    >>> from preact.strings import Strings
    >>> Strings("zh-Hant").join(["1", "2"])
    '1、2'
    >>> Strings("en").join(["1", "2"])
    '1, 2'
    """

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise ValueError(
                f"language must be one of {', '.join(LANGUAGES)}; "
                f"got {language!r}"
            )
        self.language = language
        self.table = _read(language)

    def __call__(self, key: str, **values: object) -> str:
        """Return the text of a dotted key with its values filled in."""
        return self.table[key].format(**values)

    def join(self, parts: list[str]) -> str:
        """Join parts of an enumeration as the language does.

        Parts that have commas of their own are joined by semicolons.
        """
        inner = (self("punctuation.list"), self("punctuation.comma"))
        nested = any(mark in part for mark in inner for part in parts)
        return self(f"punctuation.{'semicolon' if nested else 'list'}").join(
            parts
        )

    def percent(self, value: float, digits: int) -> str:
        """Write a number of percent, its sign set as the language does."""
        return self("number.percent", value=f"{value:.{digits}f}")

    def percents(self, low: float, high: float, digits: int) -> str:
        """Write a range of percent; ends that are equal are one number.

        Examples
        --------
        >>> from preact.strings import Strings
        >>> Strings("en").percents(24.1, 36.4, 0)
        '24 to 36 %'
        >>> Strings("en").percents(0.1, 0.3, 0)
        '0 %'
        """
        ends = f"{low:.{digits}f}", f"{high:.{digits}f}"
        if ends[0] == ends[1]:
            return self("number.percent", value=ends[0])
        return self("number.percents", low=ends[0], high=ends[1])

    def number(self, value: float, form: str) -> str:
        """Write a number by a format, with a minus sign and no hyphen.

        Examples
        --------
        >>> from preact.strings import Strings
        >>> Strings("en").number(-0.236, "+.2f")
        '−0.24'
        """
        return format(value, form).replace("-", "−")

    def power(self, value: float, digits: int) -> str:
        """Write a number with its power of ten, as text.

        Examples
        --------
        >>> from preact.strings import Strings
        >>> Strings("en").power(0.9**100, 1)
        '2.7 × 10⁻⁵'
        """
        number, exponent = f"{value:.{digits}e}".split("e")
        number = number.replace("-", "−")
        return f"{number} × 10{str(int(exponent)).translate(RAISED)}"

    def two_digits(self, value: float) -> str:
        """Write two significant digits, in full below a million.

        Examples
        --------
        >>> from preact.strings import Strings
        >>> say = Strings("en")
        >>> [say.two_digits(value) for value in (-0.123, 99.6, 123456)]
        ['−0.12', '100', '120,000']
        >>> [say.two_digits(value) for value in (1.23e6, 1e-16, 0.0)]
        ['1.2 × 10⁶', '1 × 10⁻¹⁶', '0']
        """
        text = f"{value:.2g}"
        if "e" in text:
            rounded = float(text)
            if 1 <= abs(rounded) < 1e6:
                text = f"{rounded:,.0f}"
            else:
                text = self.power(value, digits=1 if "." in text else 0)
        return text.replace("-", "−")

    def __repr__(self) -> str:
        return f"Strings({self.language!r})"


@cache
def _read(language: str) -> dict[str, str]:
    """Flatten a language's files to dotted keys.

    ValueError if two files have the same key.
    """
    words: dict[str, str] = {}
    for source in sources(language):
        own = dict(_flat(tomllib.loads(source.read_text("utf-8"))))
        if twice := sorted(words.keys() & own.keys()):
            raise ValueError(
                f"a word stands in one file; {source} has again {twice[0]!r}"
            )
        words |= own
    return words


def sources(language: str) -> Iterator[Traversable]:
    """Yield a language's files of words: what is shared, then by room."""
    name = f"{language}.toml"
    yield files(__name__) / name
    rooms = files("preact").joinpath("book").iterdir()
    for room in sorted(rooms, key=lambda room: room.name):
        if (own := room / name).is_file():
            yield own


def _flat(node: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield dotted keys and their texts."""
    for key, value in node.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
