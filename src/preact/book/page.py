"""The page's language, and numbers on their way from a cell into the prose."""

from html import escape
from typing import Any

from preact.book.widget import is_live, is_missing
from preact.strings import Strings

_current = Strings("en")


def setup(language: str) -> Strings:
    """Choose the language of figures and messages; return its words.

    Parameters
    ----------
    language : str
        The edition, one of `preact.strings.LANGUAGES`.

    Raises
    ------
    ValueError
        If there is no such edition.

    Examples
    --------
    >>> from preact.book import setup
    >>> strings = setup("en")
    >>> strings("row.full-preactivation")
    'full pre-activation'
    """
    global _current
    _current = Strings(language)
    if is_missing():
        print(_current("check.no_widgets"))  # noqa: T201
    return _current


def words() -> Strings:
    """Return the words of the page's language."""
    return _current


def section(name: str) -> dict[str, str]:
    """Return the words of a section as they stand, for a script to fill in."""
    start = f"{name}."
    return {
        key.removeprefix(start): text
        for key, text in words().table.items()
        if key.startswith(start)
    }


def glue(name: str, value: object) -> None:
    """Hand a number to the prose, where `{glue:text}` picks it up by name.

    In a live notebook the values of a cell stand there, folded: they may be
    the answer to a question. Else the same as myst-nb's function.

    Parameters
    ----------
    name : str
        What the prose calls it.
    value : object
        Shown as `str(value)`: format numbers before.

    Examples
    --------
    >>> from preact.book import glue
    >>> glue("depth", 110)
    {'text/plain': "'110'"}
    """
    if is_live():
        _glued.add(name, str(value))
        return
    # quoted, or myst-nb would read 10,327,706 as a tuple of three
    show(
        {"text/plain": repr(str(value))},
        raw=True,
        metadata={"scrapbook": {"name": name, "mime_prefix": ""}},
    )


def fold(summary: str, text: str) -> str:
    """Return markup that shows a text when it is asked for."""
    return f"<details><summary>{summary}</summary>{text}</details>"


class _Glued:
    """What the cell that runs has handed to the prose, in one fold."""

    def __init__(self) -> None:
        self.cell, self.values = -1, dict[str, str]()
        self.shown: Any = None

    def add(self, name: str, value: str) -> None:
        """Show a value with those that the cell had before."""
        from IPython import get_ipython
        from IPython.display import display

        cell = get_ipython().execution_count
        first = cell != self.cell
        if first:
            self.cell, self.values = cell, {}
        self.values[name] = value
        listed = "".join(
            f"<li><code>{escape(name)}</code>: {escape(value)}</li>"
            for name, value in self.values.items()
        )
        head = escape(words()("glue.numbers"))
        data = {
            "text/plain": repr(self.values),
            "text/html": fold(head, f"<ul>{listed}</ul>"),
        }
        if first:
            self.shown = display(  # type: ignore[no-untyped-call]
                data, raw=True, display_id=True
            )
        else:
            self.shown.update(data, raw=True)


_glued = _Glued()


def show(value: object, **options: Any) -> None:
    """Display what a cell has to show; print it where IPython is not."""
    try:
        from IPython.display import display
    except ImportError:
        print(value)  # noqa: T201
    else:
        display(value, **options)  # type: ignore[no-untyped-call]
