"""Shapes in signatures are checked in every test; nbmake fills the book's cache."""

from pathlib import Path

from jaxtyping import install_import_hook

# Before anything imports the package: jaxtyping's shapes become checks.
install_import_hook("preact.reference", "beartype.beartype")

ROOT = Path(__file__).resolve().parents[1]
