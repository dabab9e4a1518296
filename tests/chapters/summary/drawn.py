"""One call of every function of the room that draws."""

from handed import SEEDS

from preact.book.summary import figures

DRAWN = {
    "errors_by_condition": lambda say: figures.errors_by_condition(
        [
            figures.Group(say(f"conditions.{name}"), {"original": SEEDS[0]})
            for name in ("both_head", "f_broken")
        ],
        say,
    ),
}
