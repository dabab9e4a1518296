"""An edition as one file: unzipped anywhere, read without a network.

A zip has the pages of one language and what they load. The other languages
are not in it: their links lead to the site, or are absent if nobody knows
where it is.
"""

import re
import shutil
import zipfile
from html import escape
from pathlib import Path

from book.site.parallel import FOLDER as PARALLEL
from book.tools.places import WHEELS, site_url
from preact.strings import EDITIONS, LANGUAGES

PLACE = "<!-- offline -->"  # of the offer, in the footer of each page
PRINTED = "<!-- printed -->"  # of that of a PDF, behind it
SHARED = ("_vendor", PARALLEL, WHEELS)
EPOCH = (1980, 1, 1, 0, 0, 0)  # equal pages, equal bytes


def zip_name(language: str) -> str:
    """Return the file name of an edition's zip."""
    return f"preact-{language}.zip"


def write_zips(site: Path, words: dict[str, dict[str, str]]) -> None:
    """Write a zip of each edition; let its pages offer it, with its size."""
    for language in LANGUAGES:
        path = site / zip_name(language)
        write_zip(site, language, path)
        offer(site, language, path, words[language]["@offline"], PLACE)


def offer_pdf(site: Path, language: str, pdf: Path, sentence: str) -> None:
    """Lay an edition's PDF beside its zip; let its pages offer it."""
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


def write_zip(site: Path, language: str, path: Path) -> None:
    """Write the pages of one language, and what they load, as a zip."""
    shared = [
        file
        for folder in SHARED
        for file in (site / folder).rglob("*")
        if file.is_file() and file.parent != site / PARALLEL / language
    ]
    pages = [file for file in (site / language).rglob("*") if file.is_file()]
    others = [code for code in LANGUAGES if code != language]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        add(bundle, "index.html", front(language).encode())
        for file in sorted([*shared, *pages]):
            data = file.read_bytes()
            if file.suffix == ".html":
                data = alone(data.decode(), others).encode()
            add(bundle, file.relative_to(site).as_posix(), data)


def add(bundle: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Put a file into the bundle's one folder."""
    stem = Path(bundle.filename or "").stem
    entry = zipfile.ZipInfo(f"{stem}/{name}", EPOCH)
    entry.external_attr = 0o644 << 16
    bundle.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)


def alone(text: str, others: list[str]) -> str:
    """Return a page that leads to no page of the other editions here."""
    text = text.replace(PLACE, "")
    there = rf'href="(?:\.\./)+(?=(?:{"|".join(others)})/)'
    if site := site_url():
        return re.sub(there, f'href="{escape(site)}/', text)
    text = re.sub(rf'<link rel="alternate"[^>]*{there}[^>]*>\n?', "", text)
    text = re.sub(rf"<a {there}[^>]*>.*?</a>\s*", "", text)
    return re.sub(r"<nav[^>]*>\s*</nav>", "", text)  # that led there


def front(language: str) -> str:
    """Return the page that opens the edition."""
    page, name = f"{language}/index.html", EDITIONS[language]["name"]
    return (
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        f"<title>{name}</title>\n"
        f'<meta http-equiv="refresh" content="0; url={page}">\n'
        f'<p><a href="{page}">{name}</a></p>\n</html>\n'
    )
