"""What the rooms' folders of tests hold."""

from importlib import import_module

from paths import ROOT


def gathered(kind):
    """Modules of one kind, `tests/chapters/ROOM/KIND.py`, by room."""
    found = sorted((ROOT / "tests/chapters").glob(f"*/{kind}.py"))
    return {
        path.parent.name: import_module(f"chapters.{path.parent.name}.{kind}")
        for path in found
    }
