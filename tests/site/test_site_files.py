"""What stands in the files of the built site; no browser is started."""

import html as markup
import re
import unicodedata
from posixpath import dirname, join, normpath

import pytest
from fontTools.ttLib import TTFont

from book.site.glossary import address, definitions, name_of
from book.tools.claims import NEEDED, marked_tests, read_claims
from book.tools.language import glossary
from book.tools.places import wheel_name
from built import (
    API,
    CHAPTERS,
    EVERY_LANGUAGE,
    LANGUAGES,
    PAGES,
    SITE,
    html,
)
from paths import ROOT
from preact.book.runs.cards import cards

CHINESE = pytest.mark.parametrize("language", LANGUAGES[1:])
CJK = re.compile(r"[\u3400-\u9fff]")
CLAIMS = read_claims()
MARK = re.compile(r"<a class=\"[^\"]*claim-mark[^>]*>[^<]+</a>")
LINK = re.compile(r'class="api-link[^"]*" href="([^"#]*)#?([^"]*)"')
CONTROL = re.compile(r'(?:title|aria-label|placeholder)="([^"]+)"')


def failing(language, names, finds):
    """Pages of an edition in which something is found, and what."""
    found = {name: finds(html(f"{language}/{name}")) for name in names}
    return {name: what for name, what in found.items() if what}


# ---------------------------------------------------------------- every page
@EVERY_LANGUAGE
def test_no_page_shows_a_warning_or_the_building_machine(language):
    pattern = re.compile(
        rf"{re.escape(str(ROOT))}|/(?:home|root|Users|tmp)/\w"
        r"|Traceback|Warning:|stderr|OWNER"
        r"|<code>[\w-]+</code>: [^<]*<"  # what prose was handed by a cell
    )
    assert failing(language, PAGES, pattern.findall) == {}


@EVERY_LANGUAGE
def test_the_switch_leads_to_the_same_page(language):
    for name in PAGES:
        page = html(f"{language}/{name}")
        for other in LANGUAGES:
            assert f'href="../{other}/{name}.html"' in page
            alternate = rf'<link [^>]*alternate[^>]* hreflang="{other}"'
            assert len(re.findall(alternate, page)) == 1


@EVERY_LANGUAGE
def test_a_page_offers_its_own_notebook_and_says_its_version(language):
    version = r"\d+\.\d+\.\d+.*<time>\d{4}-\d\d-\d\d</time>"
    for name in PAGES:
        page = html(f"{language}/{name}")
        offered = f'href="_notebooks/{name}.ipynb"' in page
        there = (SITE / language / f"_notebooks/{name}.ipynb").exists()
        written = (ROOT / f"notebooks/{language}/{name}.ipynb").exists()
        assert offered == there == written
        assert re.search(version, page.partition('class="extra_footer"')[2])
    assert [p.name for p in (SITE / "_wheel").iterdir()] == [wheel_name()]


# ---------------------------------------------------------------- in Chinese
@CHINESE
def test_a_chinese_page_has_chinese_controls(language):
    """Titles, aria-labels, placeholders and admonitions; symbols may stay."""

    def english(page):
        found = CONTROL.findall(page)
        found += re.findall(r'class="admonition-title">([^<]+)<', page)
        return {
            markup.unescape(text)
            for text in found
            if re.search("[A-Za-z]", text)
            and not CJK.search(text)
            and "arXiv" not in text  # the title of a citation
        }

    assert failing(language, PAGES, english) == {}


@CHINESE
def test_the_foot_of_a_chinese_page_speaks_chinese(language):
    page = html(f"{language}/01-why")
    foot = page.partition('<footer class="bd-footer-content">')[2]
    words = re.sub(r"<[^>]*>", " ", foot.partition("</footer>")[0])
    assert "©" in words
    english = set(re.findall(r"[A-Za-z]{2,}", words))
    assert english <= {"preact", "zip", "zh", "Hans", "Hant", "MB"}


@CHINESE
def test_every_section_has_the_address_that_it_has_in_english(language):
    section = re.compile(r'<section [^>]*id="([^"]+)"')
    for name in CHAPTERS:
        ids = section.findall(html(f"{language}/{name}"))
        assert ids == section.findall(html(f"en/{name}"))


# ----------------------------------------------------------------- equations
@EVERY_LANGUAGE
def test_a_reference_leads_to_the_equation_of_its_number(language):
    numbered = (
        r'href="([^"#]*)#(equation-[^"]+)"[^>]*>(?:<[^>]+>)*(\([\d.]+\))'
    )
    followed = 0
    for name in CHAPTERS:
        links = re.findall(numbered, html(f"{language}/{name}"))
        for target, equation, number in links:
            there = target.removesuffix(".html") or name
            block = html(f"{language}/{there}").split(f'id="{equation}"')[1]
            assert (
                f'<span class="eqno">{number}<' in block.split("</div>\n")[0]
            )
            followed += 1
    assert followed


def test_the_face_holds_every_glyph_of_every_formula():
    face = TTFont(SITE / "_vendor/math/book-math.woff2")
    assert "MATH" in face
    shown = set()
    for path in SITE.rglob("*.html"):
        page = html(path.relative_to(SITE).with_suffix("").as_posix())
        for formula in re.findall("<math.*?</math>", page, re.S):
            shown.update(markup.unescape(re.sub(r"<[^>]*>", "", formula)))
    lacking = {
        sign
        for sign in shown - set(map(chr, face.getBestCmap()))
        if unicodedata.category(sign) not in ("Lo", "Cc", "Cf")
    }
    assert lacking == set()


# -------------------------------------------------------------- the reference
def links(path):
    """Pages and anchors of the reference to which a page's code leads."""
    found = LINK.findall(html(path))
    return [
        (target, anchor) for target, anchor in found if "://" not in target
    ]


OWN_CODE = {"07-depth", "08-paths"}  # whose cells call their own rooms alone


@EVERY_LANGUAGE
def test_code_leads_to_entries_that_are_there_and_marked_as_english(language):
    for name in [*CHAPTERS, *(f"api/{page}" for page in API)]:
        found = links(f"{language}/{name}")
        assert set(found) == set(links(f"en/{name}"))
        assert found or name.startswith("api/") or name in OWN_CODE
        for target, anchor in found:
            there = normpath(join(dirname(name), target)) if target else name
            page = html(f"{language}/{there.removesuffix('.html')}")
            assert not anchor or f'id="{anchor}"' in page
    for name in API:
        page = html(f"{language}/api/{name}")
        head, _, text = page.partition('container" lang="en">')
        assert 'class="py ' not in head
        assert 'class="py ' in text or name == "index"


# ------------------------------------------------------ pages made from data
def marks(language, name):
    """Attributes of every mark of a page."""
    found = MARK.findall(html(f"{language}/{name}"))
    return [dict(re.findall(r'(\w+)="([^"]*)"', mark)) for mark in found]


@EVERY_LANGUAGE
def test_claims_and_their_sentences_lead_to_each_other(language):
    """Each is listed once, counted by its kind, with the tests behind it."""
    ledger = markup.unescape(html(f"{language}/claims"))
    ids = re.findall(r'id="claim-([\w-]+)"', ledger)
    assert sorted(ids) == sorted(CLAIMS)
    wanted = {f"{c.chapter}.html#said-{c.id}" for c in CLAIMS.values()}
    assert {mark["href"] for mark in marks(language, "claims")} == wanted
    entries = {f"claims.html#claim-{claim_id}" for claim_id in CLAIMS}
    for name in sorted({claim.chapter for claim in CLAIMS.values()}):
        on_page = marks(language, name)
        assert on_page
        assert {mark["href"] for mark in on_page} <= entries
        assert min(len(mark["title"]) for mark in on_page) > 15
    for claim in CLAIMS.values():
        page = html(f"{language}/{claim.chapter}")
        assert page.count(f'id="said-{claim.id}"') == 1
    tests = {test for found in marked_tests().values() for test in found}
    assert tests <= {*re.findall(r">([\w/]+\.py::\w+)<", ledger)}
    kinds = ledger.partition("claim-kinds")[2].partition("</table>")[0]
    assert kinds.count("claim-count") == len(NEEDED)


@EVERY_LANGUAGE
def test_every_defined_term_stands_in_the_glossary_in_three_languages(
    language,
):
    page = markup.unescape(html(f"{language}/glossary"))
    page = page.replace("\u2019", "'")  # set as typographers do
    defined = {key for group in definitions().values() for key in group}
    for term in glossary()["term"]:
        wanted = address(term).removeprefix("term-") in defined
        assert page.count(f'id="{address(term)}"') == wanted
        for code in LANGUAGES if wanted else ():
            assert name_of(term, code) in page


@EVERY_LANGUAGE
def test_every_experiment_has_its_card_and_every_work_its_line(language):
    page = html(f"{language}/runs")
    for card in cards():
        assert page.count(f'id="card-{card.name}"') == 1
    works = (ROOT / "book/references.bib").read_text("utf-8")
    _, _, printed = html(f"{language}/bibliography").partition(
        'id="bibliography"'
    )
    assert printed.count("<li id=") == len(re.findall(r"^@\w+{", works, re.M))


# ----------------------------------------------------------------- the search


# ------------------------------------------------------- what all pages load
@EVERY_LANGUAGE
def test_an_edition_has_one_sheet_and_the_scripts_that_are_asked_for(language):
    index = SITE / language / "search-index.js"
    assert index.stat().st_size < 400e3
    assert "\xa0" not in index.read_text("utf-8")
    sheets = [*(SITE / language).rglob("*.css")]
    assert [sheet.name for sheet in sheets] == ["book.css"]
    sheet = sheets[0].read_text("utf-8")
    assert len(sheet) < 160e3
    assert ".claim-mark" in sheet
    assert ".carousel" not in sheet  # the theme's, which no page has
    scripts = {path.name for path in (SITE / language).rglob("*.js")}
    assert scripts == {
        "book.js",
        "digits.js",
        "explorers-engine.js",
        "explorers.js",
        "search-engine.js",
        "search-index.js",
    }
