"""A search of sections: what the built pages say, as one script.

Sphinx's own search is switched off: it returns pages, in hardly any order,
and loads its index with every page. Ours is a script that a reader's first
search loads (`book/scripts/search*.js`): the text of each section, ranked in
the browser by MiniSearch. A script, since a page opened as a file may load
nothing else.
"""

import json
import re
from collections.abc import Iterable, Iterator
from keyword import iskeyword
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.filter import SoupStrainer
from opencc import OpenCC
from sphinx.application import Sphinx
from sphinx.config import Config

from book.site.scripts import handed_over
from book.site.words import language_of, words_of
from book.tools.language import glossary, glossary_key
from preact.strings import LANGUAGES

INDEX = "search-index.js"  # of an edition, beside its pages
UNREAD = ", ".join(  # neither said by the text nor to be given away
    (
        "svg, script, style, summary, .headerlink, .cell_output, "
        ".chapter-map, .chapter-times, .ways-in",
        ".solution, .hint, .exercise-kind, .claim-mark, .footnote-reference",
        ".preact-explorer, .linenos, .eqno .headerlink",
    )
)
BLOCK = "p, dt, dd, li, td, th, pre, .caption"
SECTION = "section[id]:not([id$=-content]), .exercise, .claim-entry"
CHAPTER = re.compile(r"index|\d\d-[\w-]+")  # names of pages that are read
OPENING = 240  # characters kept of a section of the other pages
HAN = "\u3400-\u9fff"


def setup(app: Sphinx) -> None:
    """Replace Sphinx's search page and index."""
    app.connect("config-inited", add_page)
    app.connect("builder-inited", switch_off)
    app.connect("html-page-context", tell_words, priority=950)


def add_page(app: Sphinx, config: Config) -> None:
    """Make search.html a page of ours."""
    config.html_additional_pages = {
        **config.html_additional_pages,
        "search": "search.html",
    }


def switch_off(app: Sphinx) -> None:
    """Let Sphinx write no index of its own."""
    app.builder.search = False  # type: ignore[attr-defined]


def tell_words(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Hand the box its words."""
    context["search"] = words_of("search", language_of(app))


# ---------------------------------------------------------------- the index
def write_index(folder: Path, language: str) -> None:
    """Write the index of one edition beside its built pages."""
    pages: list[list[Any]] = []
    sections: list[list[Any]] = []
    for path in sorted(folder.glob("*.html")):
        entries = list(sections_of(path.read_text("utf-8")))
        if not entries:
            continue
        read = bool(CHAPTER.fullmatch(path.stem))
        pages.append([path.stem, entries[0][1], int(read)])
        for place, title, equations, code, text in entries:
            kept = text if read else text[:OPENING]
            sections.append(
                [len(pages) - 1, place, title, kept, equations, code]
            )
    index = {
        "pages": pages,
        "sections": sections,
        "terms": terms(language, [name for name, *_ in pages]),
        "folds": folds(json.dumps([sections, pages], ensure_ascii=False)),
    }
    (folder / INDEX).write_text(handed_over(index), "utf-8")
    (folder / "searchindex.js").unlink(missing_ok=True)  # an older build's


def sections_of(html: str) -> Iterator[tuple[str, ...]]:
    """Yield place, title, equations, code and text of a page's sections.

    An exercise is a section of its own, and so is an entry of the ledger of
    claims or of the glossary. What stands in one section is not repeated in
    the one around it.
    """
    article = BeautifulSoup(
        html, "html.parser", parse_only=SoupStrainer("article")
    ).select_one(".bd-article")
    if article is None:
        return
    for mute in article.select(UNREAD):
        mute.decompose()
    for formula in article.select(".math"):
        write_out(formula)
    for term in article.select("dl.terms > dt[id]"):
        set_apart(term)
    for block in article.select(BLOCK):
        block.append(" ")
    sections = []
    # From the inside out: in a document the inner ones come later.
    for part in reversed(article.select(SECTION)):
        title = title_of(part)
        name = plain(title.extract()) if title else ""
        code = names_in(cell.extract() for cell in part.find_all("pre"))
        equations = [
            str(tag["data-equation"]) for tag in part.select("[data-equation]")
        ]
        place, numbers = str(part["id"]), " ".join(equations)
        sections.append((place, name, numbers, code, plain(part)))
        part.extract()
    yield from reversed(sections)


def title_of(part: Tag) -> Tag | None:
    """Return the element that titles a section or an exercise, if one does."""
    heading = part.find(["h1", "h2", "h3", "h4"], recursive=False)
    return heading or part.find(class_="admonition-title", recursive=False)


def set_apart(term: Tag) -> None:
    """Make a term of the glossary a section, titled by its name alone."""
    entry, title = Tag(name="section"), Tag(name="h4")
    entry["id"] = str(term["id"])
    symbols = [symbol.extract() for symbol in term.select(".math")]
    title.string = plain(term)
    entry.extend([title, *symbols, " "])
    if meaning := term.find_next_sibling("dd"):
        entry.append(meaning.extract())
    term.replace_with(entry)


def write_out(formula: Tag) -> None:
    """Put what one would type in the place of a formula; note its number."""
    if number := formula.select_one(".eqno"):
        numbers = re.findall(r"[\d.]+", number.extract().get_text())
        formula["data-equation"] = " ".join(f"({n})" for n in numbers)
    if math := formula.find("math"):
        formula.string = typed(math)


def typed(part: Tag) -> str:
    """Return MathML as it is typed into a search: λ^L, x_{l+1}, a/b."""
    parts = [child for child in part.children if isinstance(child, Tag)]
    if not parts:
        return part.get_text().strip()
    texts = [typed(child) for child in parts]
    if part.name == "msqrt":
        return f"√({''.join(texts)})"
    signs = {
        "msup": "^", "msub": "_", "msubsup": "_^", "mfrac": "/",
        "munder": "_", "munderover": "_^",
    }.get(part.name, "")  # fmt: skip
    if not signs:
        return texts[0] if part.name == "mover" else "".join(texts)
    if part.name == "mfrac":
        texts = [
            text if re.fullmatch(r"[\w.]+|√\([^()]*\)", text) else f"({text})"
            for text in texts
        ]
    text = texts[0]
    for sign, script in zip(signs, texts[1:], strict=False):
        simple = re.fullmatch(r"\w+", script) or sign == "/"
        text += sign + (script if simple else f"{{{script}}}")
    return text


def names_in(cells: Iterable[Tag]) -> str:
    """Return the names in code, each once."""
    found = dict.fromkeys(
        name
        for cell in cells
        for name in re.findall(r"[A-Za-z_]\w{2,}", cell.get_text())
    )
    return " ".join(name for name in found if not iskeyword(name))


def plain(part: Tag) -> str:
    """Return the text of an element, on one line."""
    text = " ".join(part.get_text().split())
    return re.sub(f"(?<=[{HAN}，。、；：]) (?=[{HAN}])", "", text)


# ---------------------------------------------------------------- its words
def terms(language: str, pages: list[str]) -> list[list[Any]]:
    """Return the glossary for a search: what a term is called elsewhere.

    Each row holds how the edition says it, how a reader may ask for it (in
    any of the languages), and the number of the page that defines it or -1.
    """
    rows = []
    for term in glossary()["term"]:
        names = [term[glossary_key(code)] for code in LANGUAGES]
        names = [re.sub(r" \(.*\)", "", name) for name in names]
        own = names[LANGUAGES.index(language)]
        others = (*term.get("synonyms", ()), *term.get("related", ()))
        asked = [*dict.fromkeys([*names, *others])]
        home = term.get("chapter")
        rows.append([own, asked, pages.index(home) if home in pages else -1])
    return rows


def folds(text: str) -> str:
    """Return pairs of characters: a Traditional one, its Simplified one.

    Only those of which one is in the text.
    """
    rows = [chr(code) for code in range(0x3400, 0xA000)]
    folded = OpenCC("t2s").convert("\n".join(rows)).split("\n")
    pairs = [pair for pair in zip(rows, folded, strict=True)]
    known = set(text) | {new for old, new in pairs if old in text}
    return "".join(
        old + new for old, new in pairs if old != new and new in known
    )
