"""What the rooms' folders of tests hold, the chapters' in the book's order."""

from importlib import import_module

from paths import ROOT
from preact.book.exercises import ROOMS


def gathered(kind):
    """Modules of one kind, `tests/chapters/ROOM/KIND.py`, by room."""
    found = {p.parent.name for p in ROOT.glob(f"tests/chapters/*/{kind}.py")}
    ordered = [room for room in ROOMS if room in found]
    ordered += sorted(found - set(ROOMS))
    return {room: import_module(f"chapters.{room}.{kind}") for room in ordered}
