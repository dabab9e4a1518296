"""Functions and classes of the reader's own, by their address."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from preact.typed.messages import plain, shortened


def find_own_code(address: str, field: str) -> Callable[..., Any]:
    """Import what an address names; the current folder is searched first.

    Parameters
    ----------
    address : str
        `package.module:name`.
    field : str
        What the address was given for, for the message.

    Raises
    ------
    ValueError
        If it is no address, cannot be imported or cannot be called.

    Examples
    --------
    >>> from preact.typed import find_own_code
    >>> find_own_code("math:sqrt", "function")(4.0)
    2.0
    """
    if address.count(":") != 1 or not all(address.split(":")):
        raise ValueError(
            f"{field} must be package.module:name, for example "
            f"my_code:thing; got {shortened(address)}"
        )
    with _current_folder_first():
        try:
            found = resolve_name(address)
        except Exception as error:  # the code may raise anything
            raise ValueError(
                f"{field} {address!r} cannot be imported: "
                f"{type(error).__name__}: {plain(error)}"
            ) from error
    if not callable(found):
        raise ValueError(
            f"{field} {address!r} must be a function or a class; got "
            f"{type(found).__name__}"
        )
    return found  # type: ignore[no-any-return]


@contextmanager
def _current_folder_first() -> Iterator[None]:
    """Search the current folder for modules before any other."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)
