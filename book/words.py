"""Words of the pages and notebooks, in each language of the book."""

from pathlib import Path

import yaml

WORDS: dict[str, dict[str, str]] = yaml.safe_load(
    (Path(__file__).parent / "site" / "ui_strings.yml").read_text("utf-8")
)
