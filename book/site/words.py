"""Words of the theme and its extensions, before their own catalogs."""

import gettext
from pathlib import Path
from typing import Any

from sphinx import locale
from sphinx.application import Sphinx
from sphinx.config import Config

from book.tools import WORDS

__all__ = ["WORDS", "Words", "language_of", "translate", "words_of"]


def language_of(app: Sphinx) -> str:
    """Return which edition is built: its folder is named after it."""
    return Path(app.srcdir).name


def words_of(part: str, language: str) -> dict[str, str]:
    """Return the words of a part of the page, `@part-name`, by name."""
    return {
        key.removeprefix(f"@{part}-"): word
        for key, word in WORDS[language].items()
        if key.startswith(f"@{part}-")
    }


class Words(gettext.NullTranslations):
    """Our words first, a package's own catalog after."""

    def __init__(self, words: dict[str, str], fallback: Any) -> None:
        super().__init__()
        self.words = words
        self._fallback: Any = fallback

    def gettext(self, message: str) -> str:
        text: str = self._fallback.gettext(message)
        return self.words.get(message) or text

    def ngettext(self, one: str, many: str, n: int) -> str:
        text: str = self._fallback.ngettext(one, many, n)
        return text


def translate(app: Sphinx, config: Config) -> None:
    """Put our words before the catalogs of Sphinx, theme and extensions."""
    words = WORDS[language_of(app)]
    for key in list(locale.translators):
        if key[0] == "general":
            locale.translators[key] = Words(words, locale.translators[key])
    for domain in ("booktheme", "exercise", "togglebutton", "sphinx"):
        locale.translators.setdefault(
            ("general", domain), Words(words, gettext.NullTranslations())
        )
    app.translator = locale.translators["general", "sphinx"]
