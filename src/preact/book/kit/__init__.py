"""What the chapters' rooms share.

A room, `preact.book.<name>`, holds what one chapter shows: what its cells
import, `figures`, `exercises`, its words in all languages, its claims, and the
script and sheet of its explorer.

Every chapter.
"""

ROOMS = (
    *("why", "signal", "gradient", "units", "shortcuts", "activations"),
    *("depth", "training", "imagenet", "afterlife", "bugs", "summary"),
)
"""The chapters' rooms, in the order of the book."""
