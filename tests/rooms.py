"""What the chapters' folders of tests hold, in the order of the book."""

from importlib import import_module

from paths import ROOT
from preact.book.kit import ROOMS


def gathered(kind):
    """Modules of one kind, `tests/chapters/ROOM/KIND.py`, by room."""
    return {
        room: import_module(f"chapters.{room}.{kind}")
        for room in ROOMS
        if (ROOT / f"tests/chapters/{room}/{kind}.py").exists()
    }
