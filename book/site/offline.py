"""The site as one file: unzipped anywhere, read without a network."""

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from preact.strings import LANGUAGES

ZIP = "preact"  # its name, and that of the folder in it
PLACE = "<!-- offline -->"  # of the offer, in the footer of each page
PRINTED = "<!-- printed -->"  # of that of a PDF, behind it


def write_zip(site: Path, words: dict[str, dict[str, str]]) -> None:
    """Write a zip of the whole site; let its pages offer it, with its size."""
    with TemporaryDirectory() as folder:
        left_out = shutil.ignore_patterns("*.zip", "*.pdf", "404.html", ".*")
        shutil.copytree(site, Path(folder) / ZIP, ignore=left_out)
        made = shutil.make_archive(f"{folder}/made", "zip", folder, ZIP)
        zipped = Path(shutil.move(made, site / f"{ZIP}.zip"))
    for language in LANGUAGES:
        offer(site, language, zipped, words[language]["@offline"], PLACE)


def offer_pdf(site: Path, language: str, pdf: Path, sentence: str) -> None:
    """Lay an edition's PDF beside the zip; let its pages offer it."""
    shutil.copyfile(pdf, site / pdf.name)
    offer(site, language, site / pdf.name, sentence, PRINTED)


def offer(
    site: Path, language: str, file: Path, sentence: str, place: str
) -> None:
    """Let the pages of an edition offer a file at a place in their footer.

    `sentence` has a place for the link and one for the megabytes. What an
    earlier offer has written there, goes.
    """
    size = f"{file.stat().st_size / 1e6:.1f}"
    for page in (site / language).rglob("*.html"):
        up = "../" * len(page.relative_to(site).parents[:-1])
        link = f'<a href="{up}{file.name}" download>{file.name}</a>'
        said = f"{place}<p>{sentence.format(link, size)}</p>{place}"
        text = page.read_text("utf-8")
        text = re.sub(f"{place}(.*{place})?", said, text)
        page.write_text(text, "utf-8")
