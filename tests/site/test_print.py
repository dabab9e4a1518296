"""On paper: the numbers of sections, and each edition as one PDF."""

import re

import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader

from book.tools import pdf
from book.tools.radicals import RADICALS
from built import NIGHTLY, html
from preact.strings import LANGUAGES


# Printing an edition takes minutes where something else runs; `make pdf` does.
@pytest.fixture(
    scope="module",
    params=[
        pytest.param(
            code, marks=[pytest.mark.xdist_group(f"PDF {code}"), NIGHTLY]
        )
        for code in LANGUAGES
    ],
)
def printed(request, browser):
    folder = pdf.PDF
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"preact-{request.param}.pdf"
    path.write_bytes(pdf.print_edition(browser, request.param))
    return request.param, PdfReader(path)


def bookmarks(outline):
    for mark in outline:
        yield from bookmarks(mark) if isinstance(mark, list) else [mark.title]


def plain(text):
    """Text without spaces."""
    return re.sub(r"\s", "", text)


def numbered(language, name):
    """A page's title as it is read, with the number of its chapter."""
    head = html(f"{language}/{name}").partition("<h1>")[2]
    title = BeautifulSoup(head.partition("</h1>")[0], "html.parser")
    for link in title.select(".headerlink"):
        link.decompose()
    number = f"{int(name[:2])}. " if name[0].isdigit() else ""
    return plain(number + title.text)


def test_each_edition_is_one_pdf_with_all_chapters(printed):
    language, reader = printed
    assert len(reader.pages) > 120
    names = pdf.pages_in_order()
    assert len(set(names)) == len(names)
    assert names[0] == "index"
    assert not any(name.startswith("api") for name in names)
    titles = [numbered(language, name) for name in names]
    chapters = [
        plain(mark.title)
        for mark in reader.outline
        if not isinstance(mark, list)
    ]
    assert chapters == titles
    text = plain("".join(leaf.extract_text() for leaf in reader.pages))
    assert sorted(set(RADICALS.findall(text))) == []  # words, if copied
    for title in titles:
        assert text.count(title) >= 2  # contents, chapter
    assert all(f"{number}.1." in text for number in range(1, 12))
    assert len(list(bookmarks(reader.outline))) > 80
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]


def test_a_pdf_brings_its_faces_and_no_link_to_the_building_machine(printed):
    language, reader = printed
    faces = {}
    for leaf in reader.pages:
        for font in (leaf["/Resources"].get("/Font") or {}).values():
            font = font.get_object()
            own = font.get("/DescendantFonts", [font])[0].get_object()
            drawn = own.get("/FontDescriptor") or own.get("/CharProcs")
            faces[str(own.get("/BaseFont", "drawn"))] = drawn
        for link in leaf.get("/Annots") or ():
            action = link.get_object().get("/A") or {}
            assert "127.0.0.1" not in str(action.get("/URI", ""))
    assert all(faces.values())
    if language != "en":
        assert re.search("[\u4e00-\u9fff]", reader.pages[0].extract_text())


def test_no_page_ends_with_a_heading(printed):
    _, reader = printed
    headings = {plain(mark) for mark in bookmarks(reader.outline)}
    left = []
    for number, leaf in enumerate(reader.pages, start=1):
        lines = [plain(x) for x in leaf.extract_text().splitlines()]
        lines = [x for x in lines if x and x != str(number)]
        if lines and lines[-1].rstrip("#") in headings:
            left.append((number, lines[-1]))
    assert left == []
