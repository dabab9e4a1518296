"""Messages: one sentence that names key, legal form and value."""

import re
import reprlib
from typing import Any

from pydantic import ValidationError

from preact.typed.fields import LEGAL, LEGAL_TEXT, PATTERNS
from preact.typed.schemas import schema

UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")


def check_name(field: str, value: object) -> None:
    """Refuse what a record cannot be called; a file's own are `Name`.

    Parameters
    ----------
    field : str
        What the message calls the value.
    value : object
        What a file said, or a caller.

    Raises
    ------
    ValueError
        If it is no text of 1 to 100 letters, digits, and - _ + . after the
        first.

    Examples
    --------
    >>> from preact.typed import check_name
    >>> check_name("row", "full-preactivation")
    >>> check_name("row", "a/b")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: row must be letters, digits, ...; got 'a/b'
    """
    if (
        isinstance(value, str)
        and len(value) <= 100
        and re.fullmatch(PATTERNS["name"], value)
    ):
        return
    raise ValueError(
        f"{field} must be {LEGAL_TEXT[PATTERNS['name']]}, at most 100; "
        f"got {shortened(value)}"
    )


def shortened(value: object, most: int = 60) -> str:
    """Repeat a value in a message, but not a page of it.

    Parameters
    ----------
    value : object
        Anything.
    most : int
        Characters that are left.

    Examples
    --------
    >>> from preact.typed import shortened
    >>> shortened("full-preactivation"), shortened("original", most=5)
    ("'full-preactivation'", "'orig... (shortened)")
    >>> shortened(list(range(1001)))
    '[0, 1, 2, 3, 4, 5, ...]'
    """
    text = repr(value) if isinstance(value, str) else reprlib.repr(value)
    text = text if len(text) <= most else f"{text[:most]}... (shortened)"
    return printable(text)


def printable(text: str) -> str:
    """Replace what could steer a terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)


def plain(error: BaseException) -> str:
    """Return another library's message in one line of 200 characters at most.

    The name of the error's class stands for a message that is empty.

    Parameters
    ----------
    error : Exception
        What another library raised.

    Examples
    --------
    >>> from preact.typed import plain
    >>> plain(OSError("no space    left")), plain(TimeoutError())
    ('no space left', 'TimeoutError')
    """
    return " ".join(str(error).split())[:200] or type(error).__name__


def sentence(error: ValidationError, kind: type[Any]) -> str:
    """Say the first thing that is wrong: key, legal form, value.

    Parameters
    ----------
    error : pydantic.ValidationError
        Raised where an instance of `kind` was to be made.
    kind : type
        A class made by `typed`.

    Examples
    --------
    >>> from pydantic import TypeAdapter, ValidationError
    >>> from preact.typed import Positive, sentence, typed
    >>> @typed
    ... class Network:
    ...     depth: Positive
    >>> try:
    ...     TypeAdapter(Network).validate_json('{"depth": 0}')
    ... except ValidationError as error:
    ...     sentence(error, Network)
    'depth must be at least 1; got 0'
    """
    errors = error.errors(include_url=False)
    # a typing error in a key before what is missing because of it
    first = min(errors, key=lambda one: one["type"] not in UNKNOWN)
    place = tuple(
        part for part in first["loc"] if not str(part).startswith("(")
    )
    key, case = _key(place), first["type"]
    if case in ("missing", "missing_keyword_only_argument"):
        keys = ", ".join(_keys(kind, place[:-1]))
        return f"{key} is missing" + (keys and f"; legal keys here: {keys}")
    if case in UNKNOWN:
        keys = ", ".join(_keys(kind, place[:-1]))
        parent = _key(place[:-1]) or "the file"
        got = shortened(str(place[-1]))
        return f"{parent} may say {keys}; got {got}"
    if case == "value_error":
        message = str(first["ctx"]["error"])
        return f"{key}: {message}" if key else message
    if case in ("json_invalid", "recursion_loop"):
        return "lists or tables stand too deeply in each other"
    context = first.get("ctx", {})
    legal = LEGAL.get(case) or LEGAL_TEXT.get(str(context.get("pattern")))
    legal = legal.format(**context) if legal else first["msg"]
    legal = legal.replace("True or False", "true or false")  # as files have it
    got = shortened(first["input"])
    return f"{key or 'the file'} must be {legal}; got {got}"


def _key(place: tuple[int | str, ...]) -> str:
    """Write a place as a file's author thinks of it: `networks[0].depth`."""
    parts = [
        f"[{part}]" if isinstance(part, int) else f".{shortened_key(part)}"
        for part in place
    ]
    return "".join(parts).removeprefix(".")


def shortened_key(key: str) -> str:
    """Write a key bare where TOML would, else quoted and not at length."""
    return key if re.fullmatch(r"[\w-]{1,60}", key) else shortened(key)


def _keys(kind: type[Any], place: tuple[int | str, ...]) -> list[str]:
    """Legal keys at a place, from the schema."""
    full_schema = schema(kind)
    node: dict[str, Any] = full_schema

    def resolved(node: dict[str, Any]) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        for choice in node.get("oneOf", node.get("anyOf", ())):
            properties |= resolved(choice).get("properties", {})
        if properties:
            return {"properties": properties}
        if "$ref" in node:
            name = node["$ref"].rsplit("/", 1)[1]
            return resolved(full_schema["$defs"][name])
        return node

    for part in place:
        node = resolved(node)
        if isinstance(part, int):
            node = node.get("items", {})
        else:
            node = node.get("properties", {}).get(part, {})
    return list(resolved(node).get("properties", {}))
