"""What the chapters call: the language, pictures, numbers, exercises.

A chapter's first cell is `strings = setup("en")`; it is the only cell that
differs between the three editions. What one chapter alone shows stands in its
room, `preact.book.<name>`, and is asked for by that name: rooms read records,
and a new record shall not run every chapter anew.

Every chapter.
"""

from preact.book.exercises import check
from preact.book.explorers import stepper
from preact.book.page import glue, setup
from preact.book.predictions import predict

__all__ = ["check", "glue", "predict", "setup", "stepper"]
