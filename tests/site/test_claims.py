"""Marks of claims on the pages: links that arrive, words that can be read."""

import re

import pytest

from book.tools.claims import read_claims
from paths import ROOT
from preact.strings import LANGUAGES

SITE = ROOT / "_build/html"
MARK = re.compile(r"<a class=\"[^\"]*claim-mark[^>]*>[^<]+</a>")
WEIGHTS = (0.2126, 0.7152, 0.0722)  # of red, green and blue in luminance
EVERY_LANGUAGE = pytest.mark.parametrize("language", LANGUAGES)


def marks(language, name):
    """Attributes of every mark of a page."""
    text = (SITE / language / f"{name}.html").read_text("utf-8")
    return [
        dict(re.findall(r'(\w+)="([^"]*)"', m)) for m in MARK.findall(text)
    ]


@EVERY_LANGUAGE
def test_every_claim_is_listed_once_and_leads_to_its_sentence(language):
    text = (SITE / language / "claims.html").read_text("utf-8")
    ids = re.findall(r'id="claim-([\w-]+)"', text)
    claims = read_claims()
    assert sorted(ids) == sorted(claims)
    wanted = {f"{c.chapter}.html#said-{c.id}" for c in claims.values()}
    assert {mark["href"] for mark in marks(language, "claims")} == wanted
    for claim in claims.values():
        page = SITE / language / f"{claim.chapter}.html"
        assert page.read_text("utf-8").count(f'id="said-{claim.id}"') == 1


@EVERY_LANGUAGE
@pytest.mark.parametrize(
    "name", sorted({claim.chapter for claim in read_claims().values()})
)
def test_every_mark_leads_to_a_claim_and_says_its_scope(language, name):
    entries = {f"claims.html#claim-{claim_id}" for claim_id in read_claims()}
    on_page = marks(language, name)
    assert on_page
    for mark in on_page:
        assert mark["href"] in entries
        assert len(mark["title"]) > 15


@EVERY_LANGUAGE
def test_the_tests_that_a_claim_names_can_be_downloaded(language):
    text = (SITE / language / "claims.html").read_text("utf-8")
    tests = [test for c in read_claims().values() for test in c.tests]
    links = re.findall(r'<a download[^>]*href="([^"]+)"', text)
    assert len(links) == len(tests)
    for link in links:
        assert (SITE / language / link).exists()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_mark_can_be_read(open_page, theme):
    """Contrast of at least 4.5, as WCAG asks of small text."""
    page = open_page("/en/03-gradient.html", color_scheme=theme)
    colors = page.evaluate(
        """() => {
          const mark = document.querySelector("a.claim-mark");
          return [getComputedStyle(mark).color,
                  getComputedStyle(document.body).backgroundColor];
        }"""
    )

    def luminance(color):
        values = [int(v) / 255 for v in re.findall(r"\d+", color)[:3]]
        linear = [
            v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4
            for v in values
        ]
        return sum(w * v for w, v in zip(WEIGHTS, linear, strict=True))

    dark, light = sorted(map(luminance, colors))
    assert (light + 0.05) / (dark + 0.05) >= 4.5
