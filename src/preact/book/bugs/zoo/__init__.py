"""Mutants: networks with one mistake each, and right ones beside them.

Some of the mistakes are from public code or issues, which `seen` names; the
others we wrote as plausible variations. What each of them breaks stands at
its head; a test holds the probe to it, answer by answer.
"""

from preact.book.bugs.zoo.mistakes import MUTANTS
from preact.book.bugs.zoo.right import (
    RIGHT,
)

__all__ = ["MUTANTS", "RIGHT"]
