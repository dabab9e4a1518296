"""Strict classes: made of values or of a file, and written again."""

import json
from collections.abc import Callable
from datetime import date, time
from functools import wraps
from typing import Any, TypeVar, dataclass_transform

from pydantic import ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from preact.typed.messages import plain, sentence, shortened_key
from preact.typed.schemas import adapter

T = TypeVar("T")
STRICT = ConfigDict(
    strict=True, extra="forbid", allow_inf_nan=False, populate_by_name=True
)


@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(Field,)
)
def typed(cls: type[T]) -> type[T]:
    """Make a frozen dataclass that refuses wrong values in one sentence.

    Parameters
    ----------
    cls : type
        With annotated fields, as of `dataclasses.dataclass`.

    Returns
    -------
    type
        The class; its fields are keyword arguments. A wrong value, a missing
        one or one too many is a ValueError, whoever makes the instance.

    Examples
    --------
    >>> from preact.typed import Percent, typed
    >>> @typed
    ... class Row:
    ...     error_pct: Percent
    >>> Row(error_pct=4.92)
    Row(error_pct=4.92)
    >>> Row(error_pct="fail")
    Traceback (most recent call last):
    ValueError: error_pct must be a number; got 'fail'
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


def parse(kind: type[T], values: Any, where: str = "") -> T:
    """Make a `kind` of what a file says.

    Parameters
    ----------
    kind : type
        A class made by `typed`.
    values : JSON values
        Tables, lists, texts, numbers, booleans, None.
    where : str
        The file, for the message; "" names none.

    Returns
    -------
    kind
        An instance, its own fields made in the same way.

    Raises
    ------
    ValueError
        If a value is wrong: file, key, legal form, value.

    Examples
    --------
    >>> from preact.typed import Positive, parse, typed
    >>> @typed
    ... class Network:
    ...     depth: Positive
    >>> parse(Network, {"depth": 1001}).depth
    1001
    >>> parse(Network, {"deep": 1001}, "mine.toml")
    Traceback (most recent call last):
    ValueError: mine.toml: the file may say depth; got 'deep'
    """
    try:
        try:
            text = json.dumps(values)
        except TypeError:  # only now is it worth a walk: records are long
            refuse_times(values)
            raise
        made: T = adapter(kind).validate_json(text)
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


def dump(value: Any) -> dict[str, Any]:
    """Return what a file says of an instance, fields at rest left out.

    Parameters
    ----------
    value : object
        An instance of a class made by `typed`.

    Returns
    -------
    dict of str to JSON values
        By the names that files use; `parse` makes an equal instance of it.

    Examples
    --------
    >>> from preact.typed import Positive, dump, typed
    >>> @typed
    ... class Recipe:
    ...     iterations: Positive
    ...     lr: float = 0.1
    >>> dump(Recipe(iterations=64_000, lr=0.1))
    {'iterations': 64000}
    """
    values: dict[str, Any] = adapter(type(value)).dump_python(
        value, mode="json", by_alias=True, exclude_defaults=True
    )
    return values
