"""One PDF for each language: the built pages, printed by Chromium.

All pages of an edition are put into one document before it is printed. So
page numbers run on, a link leads to its page, every heading is a bookmark,
and a screen reader finds the same structure as in the pages.

    python -m book.tools.pdf [LANGUAGE ...]     into _build/pdf/, and offered
"""

import io
import re
import shutil
import sys
from pathlib import Path

import yaml
from playwright.sync_api import Browser, Page, sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject, TextStringObject

from book.site.offline import offer_pdf
from book.site.words import WORDS
from book.tools import ROOT
from book.tools.radicals import restore_words
from preact import __version__
from preact.strings import LANGUAGES

SITE = ROOT / "_build/html"
PDF = ROOT / "_build/pdf"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# A page's article; its name comes before its ids and what points to one.
TAKE_ARTICLE = """(name) => {
  const article = document.querySelector("article.bd-article");
  const title = article.querySelector("h1");
  const number = title.querySelector(".section-number");
  const words = [...title.childNodes].filter((node) => node.nodeType == 3);
  const own = (id) => `${name}--${id}`;
  const target = (link) => {
    if (link.startsWith("#")) return `#${own(link.slice(1))}`;
    const [, page, id] = link.match(/^([\\w-]+)[.]html(?:#(.*))?$/) ?? [];
    if (page) return id ? `#${page}--${id}` : `#${page}`;
    return /^(https?|mailto):/.test(link) ? link : null;  // no file on paper
  };
  for (const node of article.querySelectorAll("*")) {
    for (const { name: key, value } of [...node.attributes]) {
      if (["id", "for", "aria-labelledby", "aria-describedby"].includes(key)) {
        node.setAttribute(key, value.split(" ").map(own).join(" "));
      } else if (key == "href") {
        const link = target(value);
        if (link) node.setAttribute(key, link);
        else node.removeAttribute(key);
      } else if (value.includes("url(")) {
        node.setAttribute(key, value.replace(
          /url\\((["']?)#/g, (start) => start + own("")));
      }
    }
  }
  const sheets = [...document.styleSheets].filter(
    (sheet) => sheet.ownerNode.tagName == "STYLE");
  return [
    article.innerHTML,
    (number?.textContent ?? "") + words.map((node) => node.data).join(""),
    sheets.map((sheet) => [...sheet.cssRules].map(
      (rule) => rule.cssText).join("\\n")).join("\\n"),
    [...document.querySelectorAll("link[rel=stylesheet]")].map(
      (link) => link.outerHTML).join("\\n"),
  ];
}"""
# The texts of each heading, piece by piece.
TAKE_HEADINGS = """() => [...document.querySelectorAll("h1, h2, h3, h4")].map(
  (heading) => {
    const walk = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
    const pieces = [];
    while (walk.nextNode()) {
      if (!walk.currentNode.parentNode.closest(".headerlink")) {
        pieces.push(walk.currentNode.data);
      }
    }
    return pieces;
  })"""
LONGEST_MS = 300_000  # for a whole edition on one page
# Explorers that still wait for an answer of their worker are busy.
DRAWN_ALL = "!document.querySelector('[aria-busy=true]')"
FOOT = (
    '<div style="width:100%;text-align:center;font:8pt sans-serif">'
    '<span class="pageNumber"></span></div>'
)


def print_editions(languages: list[str]) -> None:
    """Print these editions of the built site."""
    for language in languages:
        if language not in LANGUAGES:
            sys.exit(f"no edition {language!r}; one of {', '.join(LANGUAGES)}")
    if not (SITE / "index.html").exists():
        sys.exit("there is no site to print: run `make book` first")
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        sys.exit("no browser: install Chromium (Debian: apt install chromium)")
    PDF.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for language in languages:
            target = PDF / f"preact-{language}.pdf"
            target.write_bytes(print_edition(browser, language))
            print(target.relative_to(ROOT))
        browser.close()


def pages_in_order() -> list[str]:
    """Return the names of the book's pages, as its contents have them.

    The package reference is not printed: one looks things up in it.
    """
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    listed = [
        one["file"] for part in contents["parts"] for one in part["chapters"]
    ]
    return [contents["root"], *(name for name in listed if "/" not in name)]


def print_edition(browser: Browser, language: str) -> bytes:
    """Return an edition as a PDF.

    It is printed twice: the first time tells on which page a chapter begins.
    """
    page = browser.new_page(color_scheme="light")
    articles, titles, styles, links = [], {}, [], ""
    for name in pages_in_order():
        _open(page, SITE / language / f"{name}.html")
        text, titles[name], style, links = page.evaluate(TAKE_ARTICLE, name)
        styles.append(style)
        articles.append(
            f'<article class="bd-article chapter" id="{name}">{text}</article>'
        )
    head = links + "".join(f"<style>{style}</style>" for style in styles)
    body = "".join(articles)
    begins: dict[str, int] = {}
    for _ in range(2):
        text = document(language, head, cover(titles, begins) + body)
        pdf = _printed(page, SITE / language, text)
        begins = first_pages(pdf, titles)
    page.close()
    return pdf


def cover(titles: dict[str, str], begins: dict[str, int]) -> str:
    """Return the title page and the contents, with pages once known."""
    first, *others = titles.items()
    lines = "".join(
        f'<li><a href="#{name}">{title}</a>'
        f"<span>{begins.get(name, '')}</span></li>"
        for name, title in others
    )
    return (
        f'<div class="cover"><p class="title">{first[1]}</p>'
        f"<p>preact {__version__}</p><ol>{lines}</ol></div>"
    )


def document(language: str, head: str, body: str) -> str:
    """Return the page that is printed."""
    return (
        f'<!doctype html><html lang="{language}" data-theme="light" '
        'data-mode="light"><head><meta charset="utf-8">'
        f"<title>preact</title>{head}</head><body>"
        '<div class="bd-main"><div class="bd-content">'
        f'<div class="bd-article-container">{body}</div></div></div>'
        "</body></html>"
    )


def first_pages(pdf: bytes, titles: dict[str, str]) -> dict[str, int]:
    """Read from a PDF's bookmarks on which page each chapter begins."""
    reader = PdfReader(io.BytesIO(pdf))
    marks = {
        _plain(mark.title): (reader.get_destination_page_number(mark) or 0) + 1
        for mark in reader.outline
        if not isinstance(mark, list)
    }
    return {
        name: marks[_plain(title)]
        for name, title in titles.items()
        if _plain(title) in marks
    }


def _plain(title: str | None) -> str:
    """Return a title without spaces: a line break in it is none here."""
    return re.sub(r"[\s#]", "", title or "")


def _open(page: Page, path: Path) -> None:
    """Show a page when all of it is there, and its explorers have drawn.

    On a busy machine the network rests before the page has been read.
    """
    page.set_default_timeout(LONGEST_MS)
    page.goto(path.as_uri())
    page.wait_for_load_state("networkidle")
    page.wait_for_function(DRAWN_ALL)


def _printed(page: Page, folder: Path, text: str) -> bytes:
    """Show a text as if it were a page of the site, and print it."""
    path = folder / "_print.html"
    path.write_text(text, "utf-8")
    _open(page, path)
    path.unlink()
    page.evaluate("document.fonts.ready")
    headings = page.evaluate(TAKE_HEADINGS)
    pdf = page.pdf(
        format="A4",
        margin={
            "top": "18mm",
            "left": "18mm",
            "right": "18mm",
            "bottom": "20mm",
        },
        print_background=True,
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=FOOT,
        outline=True,
        tagged=True,
    )
    return _mended(pdf, headings)


def _mended(pdf: bytes, headings: list[list[str]]) -> bytes:
    """Mend words, and bookmarks of headings that moved to the next page.

    Chromium notes the pieces of such a heading once for each page.
    """
    once = {
        _plain("".join(2 * piece for piece in pieces)): "".join(pieces)
        for pieces in headings
    }
    writer = PdfWriter(clone_from=io.BytesIO(pdf))
    restore_words(writer)
    for node in writer._objects:
        if isinstance(node, dict) and "/Title" in node and "/Parent" in node:
            title = str(node["/Title"])
            node[NameObject("/Title")] = TextStringObject(
                once.get(_plain(title), title)
            )
    title = "".join(headings[0])  # of the front page
    writer.add_metadata({"/Title": title, "/Creator": "preact"})
    text = io.BytesIO()
    writer.write(text)
    return text.getvalue()


def main(languages: list[str]) -> None:
    """Print editions, and let the pages of the site offer them."""
    print_editions(languages)
    for language in languages:
        offer = WORDS[language]["@pdf"]
        offer_pdf(SITE, language, PDF / f"preact-{language}.pdf", offer)


if __name__ == "__main__":
    main(sys.argv[1:] or list(LANGUAGES))
