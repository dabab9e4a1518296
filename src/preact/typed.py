"""What comes from files: one strict class a kind, one sentence an error.

A class made by `typed` is a frozen dataclass whose fields are checked whenever
one is made: 8.0 is no whole number, "no" is no boolean, NaN is no number.

Examples
--------
>>> @typed
... class Choice:
...     depth: Positive
>>> parse(Choice, {"depth": 110}, "mine.toml").depth
110
>>> parse(Choice, {"depth": 8.5}, "mine.toml")
Traceback (most recent call last):
ValueError: mine.toml: depth must be a whole number; got 8.5

Parameters
----------
kind : type
    A class made by `typed`.
field : str
    What the message calls the value.
value : object
    Anything: an instance of such a class, or what a file said.
error : Exception
    What another library raised.
most : int
    Characters that are left.
"""

import json
import re
import reprlib
from collections.abc import Callable
from datetime import date, time
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar, dataclass_transform

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

__all__ = [
    "LARGEST_FILE",
    "Name",
    "Percent",
    "Positive",
    "Seed",
    "Share",
    "check_name",
    "dump",
    "parse",
    "plain",
    "read_text",
    "schema",
    "sentence",
    "shortened",
    "typed",
]
T = TypeVar("T")
STRICT = ConfigDict(
    strict=True, extra="forbid", allow_inf_nan=False, populate_by_name=True
)
LARGEST_FILE = 64 * 2**20  # bytes; a record of 1001 layers has 0.1 MB
"""The largest file that is read, in bytes."""
Positive = Annotated[int, Field(ge=1, le=2**62)]
"""A whole number from 1 to 2**62."""
Seed = Annotated[int, Field(ge=0, lt=2**63)]
"""A whole number from 0 to 2**63 - 1."""
Share = Annotated[float, Field(ge=0.0, le=1.0)]
"""A number from 0 to 1."""
Percent = Annotated[float, Field(ge=0.0, le=100.0)]
"""A number from 0 to 100, in percent."""
PATTERNS = {
    "name": r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$",
    "sha256": "^[0-9a-f]{64}$",
    "text": r"^[^\p{Cc}]*$",  # no terminal takes it for a command
}
Name = Annotated[str, Field(pattern=PATTERNS["name"], max_length=100)]
"""At most 100 letters, digits, and - _ + . after the first."""
Sha256 = Annotated[str, Field(pattern=PATTERNS["sha256"])]
Text = Annotated[str, Field(pattern=PATTERNS["text"], max_length=1_000)]

LEGAL = {
    "bool_type": "true or false",
    "dataclass_exact_type": "a table",
    "dataclass_type": "a table",
    "dict_type": "a table",
    "finite_number": "a finite number",
    "float_type": "a number",
    "greater_than": "greater than {gt}",
    "greater_than_equal": "at least {ge}",
    "int_parsing_size": "a whole number of at most 18 digits",
    "int_type": "a whole number",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "list_type": "a list",
    "literal_error": "one of {expected}",
    "string_too_long": "of at most {max_length} characters",
    "string_too_short": "of at least {min_length} character",
    "string_type": "a text in quotes",
    "too_long": "a list of at most {max_length}",
    "too_short": "a list of at least {min_length}",
    "tuple_type": "a list",
}

LEGAL_TEXT = {
    PATTERNS["name"]: "letters, digits, and - _ + . after the first",
    PATTERNS["sha256"]: "64 hexadecimal digits",
    PATTERNS["text"]: "one line without control characters",
}

ADAPTERS: dict[Any, TypeAdapter[Any]] = {}
UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")


@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(Field,)
)
def typed(cls: type[T]) -> type[T]:
    """Make a frozen dataclass that refuses wrong values in one sentence."""
    made: Any = dataclass(frozen=True, kw_only=True, config=STRICT)(cls)
    check: Callable[..., None] = made.__init__

    @wraps(check)
    def __init__(self: T, **values: Any) -> None:
        try:
            check(self, **values)
        except ValidationError as error:
            raise ValueError(sentence(error, made)) from None

    made.__init__ = __init__
    checked: type[T] = made
    return checked


def parse(kind: type[T], values: Any, where: str = "") -> T:
    """Make a `kind` of what a file says.

    Parameters
    ----------
    kind : type
        A class made by `typed`.
    values : JSON values
        Tables, lists, texts, numbers, booleans, None.
    where : str
        The file, for the message.

    Raises
    ------
    ValueError
        If a value is wrong: file, key, legal form, value.
    """
    try:
        refuse_times(values)
        text = json.dumps(values)
        made: T = _adapter(kind).validate_json(text)
        return made
    except ValidationError as error:
        message = sentence(error, kind)
    except RecursionError:
        message = "lists or tables stand too deeply in each other"
    except ValueError as error:  # an integer of thousands of digits
        message = plain(error)
    raise ValueError(f"{where}: {message}" if where else message)


def refuse_times(values: Any, key: str = "") -> None:
    """Refuse what TOML has and JSON has not.

    Raises
    ------
    ValueError
        If there is a date or a time.
    """
    if isinstance(values, dict):
        for name, value in values.items():
            refuse_times(value, f"{key}.{shortened_key(name)}")
    elif isinstance(values, list):
        for number, value in enumerate(values):
            refuse_times(value, f"{key}[{number}]")
    elif isinstance(values, date | time):
        raise ValueError(
            f"{key.removeprefix('.')} must be no date and no time; "
            f"got {values}"
        )


def schema(kind: type[Any]) -> dict[str, Any]:
    """Return the JSON schema of a class made by `typed`."""
    return _adapter(kind).json_schema()


def dump(value: Any) -> dict[str, Any]:
    """Return what a file says of an instance, fields at rest left out."""
    values: dict[str, Any] = _adapter(type(value)).dump_python(
        value, mode="json", by_alias=True, exclude_defaults=True
    )
    return values


def read_text(path: Path) -> str:
    """Read the text file at `path`, of a sensible size, with or without BOM.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If it is no regular file, too large, or not UTF-8.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    if not path.is_file():
        raise ValueError(f"{path} must be a regular file")
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise ValueError(
            f"{path} must have at most {LARGEST_FILE:,} bytes; got {size:,}"
        )
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be UTF-8: {error}") from error


def check_name(field: str, value: object) -> None:
    """Refuse what a record cannot be called; a file's own are `Name`."""
    if (
        isinstance(value, str)
        and len(value) <= 100
        and re.match(PATTERNS["name"], value)
    ):
        return
    raise ValueError(
        f"{field} must be {LEGAL_TEXT[PATTERNS['name']]}, at most 100; "
        f"got {shortened(value)}"
    )


def shortened(value: object, most: int = 60) -> str:
    """Repeat a value in a message, but not a page of it."""
    text = repr(value) if isinstance(value, str) else reprlib.repr(value)
    text = text if len(text) <= most else f"{text[:most]}... (shortened)"
    return printable(text)


def printable(text: str) -> str:
    """Replace what could steer a terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)


def plain(error: Exception) -> str:
    """One line of another library's message."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def sentence(error: ValidationError, kind: type[Any]) -> str:
    """Say the first thing that is wrong: key, legal form, value."""
    errors = error.errors(include_url=False)
    # a typing error in a key before what is missing because of it
    first = min(errors, key=lambda one: one["type"] not in UNKNOWN)
    place = tuple(
        part for part in first["loc"] if not str(part).startswith("(")
    )
    key, case = _key(place), first["type"]
    if case in ("missing", "missing_keyword_only_argument"):
        keys = ", ".join(_keys(kind, place[:-1]))
        return f"{key} is missing; legal keys here: {keys}"
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
        for choice in node.get("oneOf", node.get("anyOf", ())):
            branch = resolved(choice)
            if "properties" in branch:
                return branch
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


def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Return what checks a class; made once."""
    if kind not in ADAPTERS:
        ADAPTERS[kind] = TypeAdapter(kind)
    return ADAPTERS[kind]
