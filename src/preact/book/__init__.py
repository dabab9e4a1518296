"""What the chapters call: the language, pictures, numbers, exercises.

A chapter's first cell is `strings = setup("en")`; it is the only cell that
differs between the three editions. `preact.book.cover` and
`preact.book.activations` are asked for by their own names: they read records,
and a new record shall not run every chapter anew.

Every chapter.
"""

from preact.book.exercises import check
from preact.book.explorers import stepper
from preact.book.page import glue, setup
from preact.book.predictions import predict

__all__ = [
    "check",
    "glue",
    "predict",
    "setup",
    "stepper",
]
