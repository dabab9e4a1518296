"""What comes from files: one strict class a kind, one sentence an error.

A class made by `typed` is a frozen dataclass whose fields are checked whenever
one is made: 8.0 is no whole number, "no" is no boolean, NaN is no number.
`parse` makes one of what a file says.
"""

import ast
import inspect
import json
import os
import re
import reprlib
import sys
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from functools import cache, wraps
from hashlib import sha256
from pathlib import Path
from pkgutil import resolve_name
from traceback import walk_tb
from typing import Annotated, Any, TypeVar, dataclass_transform

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

T = TypeVar("T")
STRICT = ConfigDict(
    strict=True, extra="forbid", allow_inf_nan=False, populate_by_name=True
)
NAME = r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$"
SHA256 = "^[0-9a-f]{64}$"
NOT_OWN = (
    "<",
    *(str(Path(f).parent) + os.sep for f in (__file__, os.__file__)),
)
TEXT = r"^[^\p{Cc}]*$"  # no terminal takes it for a command
PATTERNS = {
    NAME: "letters, digits, and - _ + . after the first",
    SHA256: "64 hexadecimal digits",
    TEXT: "one line without control characters",
}

DOCUMENTED = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef

Positive = Annotated[int, Field(ge=1, le=2**62)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Percent = Annotated[float, Field(ge=0.0, le=100.0)]
Name = Annotated[str, Field(pattern=NAME, max_length=100)]
Sha256 = Annotated[str, Field(pattern=SHA256)]
Text = Annotated[str, Field(pattern=TEXT, max_length=1_000)]

LEGAL = {  # in words of files; else in pydantic's own
    "bool_type": "be true or false",
    "dataclass_type": "be a table",
    "dict_type": "be a table",
    "float_type": "be a number",
    "greater_than_equal": "be at least {ge}",
    "int_type": "be a whole number",
    "less_than_equal": "be at most {le}",
    "list_type": "be a list",
    "literal_error": "be one of {expected}",
    "string_type": "be a text in quotes",
    "too_short": "be a list of at least {min_length}",
    "tuple_type": "be a list",
}
UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
MISSING = ("missing", "missing_keyword_only_argument")


@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(Field,)
)
def typed(cls: type[T]) -> type[T]:
    """Make a frozen dataclass that refuses wrong values in one sentence.

    Its fields are keyword arguments. A wrong value, a missing one or one too
    many is a ValueError, whoever makes the instance.
    """
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


adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def schema(kind: type[Any]) -> dict[str, Any]:
    """Return the JSON schema of a class made by `typed`."""
    return adapter(kind).json_schema()


def parse(kind: type[T], values: Any, where: str = "") -> T:
    """Make a `kind` of what a file says: tables, lists, texts, numbers.

    ValueError that says where (the file), key, legal form, value.
    """
    try:
        # TOML has dates and times, JSON none: they become texts
        made: T = adapter(kind).validate_json(json.dumps(values, default=str))
        return made
    except ValidationError as error:
        message = sentence(error, kind)
    except RecursionError:
        message = "lists or tables stand too deeply in each other"
    except ValueError as error:  # an integer of thousands of digits
        message = plain(error)
    raise ValueError(f"{where}: {message}" if where else message)


def dump(value: Any) -> dict[str, Any]:
    """Return what a file says of an instance, without what is by default.

    By the names that files use; `parse` makes an equal instance of it.
    """
    values: dict[str, Any] = adapter(type(value)).dump_python(
        value, mode="json", by_alias=True, exclude_defaults=True
    )
    return values


def sentence(error: ValidationError, kind: type[Any]) -> str:
    """Say the first thing that is wrong: key, legal form, value."""
    # a typing error in a key before what is missing or excluded because of it
    first = min(
        error.errors(include_url=False),
        key=lambda one: 2 if one["type"] not in UNKNOWN else _legal(kind, one),
    )
    place = _place(first)
    key, case, context = _key(place), first["type"], first.get("ctx", {})
    if case in (*MISSING, *UNKNOWN):
        legal_keys = _legal_keys(kind, place[:-1])
        keys = ", ".join(legal_keys)
        if case in MISSING:
            return f"{key} is missing" + (
                keys and f"; legal keys here: {keys}"
            )
        parent = _key(place[:-1]) or "the file"
        kinds = [p for p in map(str, first["loc"]) if p.startswith("(")]
        if kinds and place[-1] in legal_keys:
            return f"{key} must not stand beside {kinds[-1].strip('()')}"
        return f"{parent} may say {keys}; got {shortened(str(place[-1]))}"
    if case == "value_error":
        return f"{key}: {context['error']}".removeprefix(": ")
    key = key or "the file"
    if case == "json_invalid":
        return f"{key} is not JSON: {context['error']}"
    if context.get("pattern") in PATTERNS:
        legal = f"be {PATTERNS[context['pattern']]}"
    elif case in LEGAL:
        legal = LEGAL[case].format(**context)
        legal = legal.replace("True or False", "true or false")
    else:
        *_, legal = first["msg"].rpartition(" should ")
        legal = legal if " should " in first["msg"] else f"be {legal}"
    return f"{key} must {legal}; got {shortened(first['input'])}"


def _place(error: Any) -> tuple[int | str, ...]:
    """Keys and numbers to what is wrong, without kinds of tables."""
    return tuple(one for one in error["loc"] if not str(one).startswith("("))


def _legal(kind: type[Any], error: Any) -> bool:
    """Whether a key is legal in another kind of table."""
    *parents, name = _place(error) or ("",)
    return name in _legal_keys(kind, tuple(parents))


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


def _legal_keys(kind: type[Any], place: tuple[int | str, ...]) -> list[str]:
    """Legal keys at a place, from the schema."""
    node = whole = schema(kind)

    def resolved(node: dict[str, Any]) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        for choice in node.get("oneOf", node.get("anyOf", ())):
            properties |= resolved(choice).get("properties", {})
        if properties:
            return {"properties": properties}
        if "$ref" in node:
            return resolved(whole["$defs"][node["$ref"].rsplit("/", 1)[1]])
        return node

    for part in place:
        node = resolved(node)
        inside = {} if isinstance(part, int) else node.get("properties", {})
        node = inside.get(part, node.get("items", {}))
    return list(resolved(node).get("properties", {}))


def check_name(field: str, value: object) -> None:
    """ValueError unless a record can be called so; in files it is a `Name`."""
    legal = isinstance(value, str) and len(value) <= 100
    if not legal or not re.fullmatch(NAME, str(value)):
        raise ValueError(
            f"{field} must be {PATTERNS[NAME]}, at most 100; "
            f"got {shortened(value)}"
        )


def shortened(value: object) -> str:
    """Repeat a value in a message, but not a page of it."""
    text = repr(value) if isinstance(value, str) else reprlib.repr(value)
    text = text if len(text) <= 60 else f"{text[:60]}... (shortened)"
    return printable(text)


def printable(text: str) -> str:
    """Replace what could steer a terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)


def plain(error: BaseException) -> str:
    """Return another library's message in one line of 200 characters at most.

    The name of the error's class stands for a message that is empty.
    """
    return " ".join(str(error).split())[:200] or type(error).__name__


def raised(error: BaseException) -> str:
    """Say what was raised: class, message, and which line of own code."""
    place = own_line(error)
    message = f"{type(error).__name__}: {plain(error)}"
    return f"{message} ({place})" if place else message


def own_line(error: BaseException) -> str:
    """Last line of own code, no package's, that an error came through."""
    place = ""
    for frame, line in walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if not file.startswith(NOT_OWN) and "-packages" not in file:
            place = f"{Path(file).name}, line {line}"
    return place


def read_text(path: Path) -> str:
    """Read a text file, with or without BOM. ValueError if it is none."""
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    if not path.is_file():
        raise ValueError(f"{path} must be a regular file")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be UTF-8: {error}") from error


def source_sha256(code: Callable[..., Any]) -> str:
    """SHA-256 of the file that defines code; of nothing, if none does.

    Of what is executed: comments, docstrings and layout do not count.
    """
    return _source_sha256(code if isinstance(code, Hashable) else type(code))


@cache
def _source_sha256(code: Callable[..., Any]) -> str:
    """Read the file once: it may be edited while what it defined runs."""
    text = b""
    with suppress(OSError, TypeError):  # typed into a session
        source = inspect.getsourcefile(inspect.unwrap(code))
        text = Path(source).read_bytes() if source else text
    with suppress(SyntaxError):  # of a file that is being written
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, DOCUMENTED) and ast.get_docstring(node):
                del node.body[0]
        text = ast.unparse(tree).encode()
    return sha256(text).hexdigest()


def has_changed(code: Callable[..., Any], config: Mapping[str, Any]) -> bool:
    """Whether a run's units came of another file than code's is now."""
    unit = config.get("unit")
    then = unit.get("code_sha256") if isinstance(unit, dict) else None
    return then is not None and then != source_sha256(code)


def find_own_code(address: str, field: str) -> Callable[..., Any]:
    """Import what `package.module:name` means; the current folder is first.

    ValueError, with the name of the field, if that cannot be called.
    """
    module, _, name = address.partition(":")
    if not module or not name or ":" in name or module.endswith(".py"):
        raise ValueError(
            f"{field} must be package.module:name, for example "
            f"my_code:thing, without .py; got {shortened(address)}"
        )
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found = resolve_name(address)
    except (Exception, SystemExit) as error:  # the code may raise anything
        raise ValueError(
            f"{field} {address!r} cannot be imported: {raised(error)}"
        ) from error
    finally:
        sys.path.remove(here)
    if not callable(found):
        raise ValueError(
            f"{field} {address!r} must be a function or a class; got "
            f"{type(found).__name__}"
        )
    return found  # type: ignore[no-any-return]
