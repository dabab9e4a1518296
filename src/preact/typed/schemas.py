"""Schemas of strict classes, each made once."""

from typing import Any

from pydantic import TypeAdapter

ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def schema(kind: type[Any]) -> dict[str, Any]:
    """Return the JSON schema of a class made by `typed`.

    Parameters
    ----------
    kind : type
        A class made by `typed`.

    Returns
    -------
    dict of str to JSON values
        Of JSON Schema's draft 2020-12, as pydantic writes it.

    Examples
    --------
    >>> from preact.typed import Positive, schema, typed
    >>> @typed
    ... class Network:
    ...     depth: Positive
    >>> schema(Network)["properties"]["depth"]["minimum"]
    1
    """
    return adapter(kind).json_schema()


def adapter(kind: Any) -> TypeAdapter[Any]:
    """Return what checks a class; made once."""
    if kind not in ADAPTERS:
        ADAPTERS[kind] = TypeAdapter(kind)
    return ADAPTERS[kind]
