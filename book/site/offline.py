"""The site as one file: unzipped anywhere, read without a network."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from preact.strings import LANGUAGES

ZIP = "preact"  # its name, and that of the folder in it
PLACE = "<!-- offline -->"  # of the offer, in the footer of each page


def write_zip(site: Path, words: dict[str, dict[str, str]]) -> None:
    """Write a zip of the whole site; let its pages offer it, with its size."""
    with TemporaryDirectory() as folder:
        left_out = shutil.ignore_patterns("*.zip", "404.html", ".*")
        shutil.copytree(site, Path(folder) / ZIP, ignore=left_out)
        made = shutil.make_archive(f"{folder}/made", "zip", folder, ZIP)
        zipped = Path(shutil.move(made, site / f"{ZIP}.zip"))
    size = f"{zipped.stat().st_size / 1e6:.1f}"
    for language in LANGUAGES:
        for page in (site / language).rglob("*.html"):
            up = "../" * len(page.relative_to(site).parents[:-1])
            link = f'<a href="{up}{zipped.name}" download>{zipped.name}</a>'
            offer = words[language]["@offline"].format(link, size)
            text = page.read_text("utf-8")
            page.write_text(text.replace(PLACE, f"<p>{offer}</p>"), "utf-8")
