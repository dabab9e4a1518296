"""What comes from files: one strict class a kind, one sentence an error.

A class made by `typed` is a frozen dataclass whose fields are checked whenever
one is made: 8.0 is no whole number, "no" is no boolean, NaN is no number.

Examples
--------
>>> from preact.typed import Positive, parse, typed
>>> @typed
... class Choice:
...     depth: Positive
>>> parse(Choice, {"depth": 110}, "mine.toml").depth
110
>>> parse(Choice, {"depth": 8.5}, "mine.toml")
Traceback (most recent call last):
ValueError: mine.toml: depth must be a whole number; got 8.5
"""

from preact.typed.classes import dump, parse, typed
from preact.typed.fields import Name, Percent, Positive, Seed, Share
from preact.typed.files import LARGEST_FILE, read_text
from preact.typed.messages import check_name, plain, sentence, shortened
from preact.typed.own_code import find_own_code
from preact.typed.schemas import schema

__all__ = [
    "LARGEST_FILE",
    "Name",
    "Percent",
    "Positive",
    "Seed",
    "Share",
    "check_name",
    "dump",
    "find_own_code",
    "parse",
    "plain",
    "read_text",
    "schema",
    "sentence",
    "shortened",
    "typed",
]
