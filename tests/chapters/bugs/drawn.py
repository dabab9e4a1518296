"""One call of every function of the room that draws."""

from preact.book.bugs import figures

DRAWN = {
    "answers_by_mutant": lambda say: figures.answers_by_mutant(
        {"one": {"a": "no"}, "two": {"b": "could not tell"}}, ["a", "b"], say
    ),
}
