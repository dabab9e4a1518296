"""Right and wrong answers to the exercises, a module for each chapter.

Those of a chapter that has a room stand with its tests.
"""

from answers import bugs
from preact.book.kit import ROOMS
from rooms import gathered

BY_ROOM = {"bugs": bugs} | gathered("answers")
MODULES = {room: BY_ROOM[room] for room in ROOMS}
