"""Right and wrong answers to the exercises, a module for each chapter.

Those of a chapter that has a room stand with its tests.
"""

from answers import (
    bugs,
    summary,
    why,
)
from preact.book.kit import ROOMS
from rooms import gathered

HERE = (why, bugs, summary)
BY_ROOM = {m.__name__.rpartition(".")[2]: m for m in HERE} | gathered(
    "answers"
)
MODULES = {room: BY_ROOM[room] for room in ROOMS}
