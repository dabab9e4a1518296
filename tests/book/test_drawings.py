"""Drawings become lighter, and stay what they were."""

import re

import pytest
from bs4 import BeautifulSoup

from book.site.assets import drop_idle
from book.site.drawings import say_once, steps
from book.site.sheets import linked, of_rooms
from paths import ROOT

STYLE = "fill:none;stroke:#808080"
NAME = "f5370db8-mcf3a840546"
PAGE = f"""<p style="{STYLE}">text</p><article class="bd-article">
<svg style="{STYLE}"><defs><path id="{NAME}" d="M0 0L0 3.5"/></defs>
<path class="own" style="{STYLE}" d="M1 1L2 2"/>
<path style="{STYLE}" d="M1 1L2 2"/>
<text style="{STYLE}" x="1">style="a" M1 1L2 2</text>
<text style="fill:red">once</text>
<use href="#{NAME}"/></svg></article>"""


def test_a_style_that_is_repeated_is_one_rule():
    page = BeautifulSoup(say_once(PAGE), "html.parser")
    rule = page.select_one("article > style").string
    rule_of = r"\.(\w+):not\(#_\)\{" + re.escape(STYLE) + r"\}$"
    name = re.search(rule_of, rule)[1]
    assert rule.count("{") == 1
    assert len(page.select(f"svg .{name}")) == 3
    assert page.select_one("svg .own")["class"] == ["own", name]
    assert page.select_one("svg text:not([class])")["style"] == "fill:red"
    assert page.select_one("svg")["style"] == STYLE  # its own size, its own
    assert page.p["style"] == STYLE


def test_words_in_a_drawing_stay_as_they_are():
    before, after = (
        BeautifulSoup(text, "html.parser").select("svg text")
        for text in (PAGE, say_once(PAGE))
    )
    assert [t.text for t in after] == [t.text for t in before]


def test_a_marker_is_found_under_its_short_name():
    page = BeautifulSoup(say_once(PAGE), "html.parser")
    assert (
        page.select_one("use")["href"] == f"#{page.select_one('defs *')['id']}"
    )
    assert NAME not in str(page)


def test_pages_with_the_same_style_name_it_equally():
    """They are put together for print."""
    rules = [
        re.search(r"<style>(.*?)</style>", say_once(page))[1]
        for page in (PAGE, PAGE.replace("once", "twice"))
    ]
    assert rules[0] == rules[1]


def test_a_page_without_an_article_is_left_alone():
    page = PAGE.replace("article", "div")
    assert say_once(page) == page


GRID = '<path d="M42 180.5H290" stroke="#808080" stroke-opacity="0.3"/>'
STEPS = f"""<article class="bd-article">
<svg>{GRID}<text x="1.0">1.0</text></svg>
<svg>{GRID}<path class="own" d="M0 0L1 1"/></svg><svg>{GRID}</svg></article>"""


def test_a_line_that_pictures_share_is_drawn_once_and_shown_by_all():
    page = BeautifulSoup(say_once(STEPS), "html.parser")
    lent = page.select_one("article > svg > defs > path")
    assert lent["d"] == "M42 180.5H290"
    borrowed = page.select(f'article > svg > use[href="#{lent["id"]}"]')
    assert len(borrowed) == 3
    assert page.select_one("svg .own")["d"] == "M0 0l1 1"
    assert page.select_one("text").text == "1.0"
    assert page.select_one("text")["x"] == "1"


def test_a_curve_s_marks_have_their_style_together():
    mark = f'<use style="{STYLE}" x="1" y="2" href="#{NAME}"/>'
    page = PAGE.replace(f'<use href="#{NAME}"/>', 4 * mark)
    soup = BeautifulSoup(say_once(page), "html.parser")
    group = soup.select_one("svg > g")
    assert len(group.select("use")) == 4
    assert all("class" not in mark.attrs for mark in group.select("use"))
    rule = soup.select_one("style").string
    assert f".{group['class'][0]}:not(#_){{{STYLE}}}" in rule


def test_see_through_marks_are_seen_through_one_by_one():
    style = f"{STYLE};opacity:0.3"
    mark = f'<use style="{style}" x="1" y="2" href="#{NAME}"/>'
    page = PAGE.replace(f'<use href="#{NAME}"/>', 4 * mark)
    soup = BeautifulSoup(say_once(page), "html.parser")
    assert len(soup.select("svg > use[class]")) == 4


def test_every_sheet_is_loaded_and_those_of_paper_by_paper_alone():
    folder = ROOT / "book/_static/sheets"
    files = {f"sheets/{path.name}" for path in folder.glob("*.css")}
    files |= {f"sheets/{room}.css" for room in of_rooms()}
    names = [x if isinstance(x, str) else x[0] for x in linked()]
    assert set(names) == files
    assert linked()[-1] == ("sheets/print.css", {"media": "print"})


def places(path):
    """Corners of a path of steps, in hundredths."""
    x = y = start = 0
    for command, rest in re.findall(r"([MLlhvzZ])([^MLlhvzZ]*)", path):
        numbers = [
            round(100 * float(n))
            for n in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", rest)
        ]
        match command:
            case "M" | "L":
                x, y = numbers
            case "l":
                x, y = x + numbers[0], y + numbers[1]
            case "h":
                x += numbers[0]
            case "v":
                y += numbers[0]
            case "z" | "Z":
                x, y = start
        if command == "M":
            start = x, y
        yield command in "MzZ" and command.lower(), x, y


@pytest.mark.parametrize(
    "path",
    [
        "M27.6 151.36L240.78 151.36L240.78 16.6L27.6 16.6L27.6 151.36z",
        "M0 0L-0.5 3.5L1 -2M3 3L4.25 4.05",
        "M1 1L2 1L2 2zL5 5",
        "M42 153.6L54 143.5L54 151.1Z",
        "M0.01 -0.01L0.02 -0.99L100 0.1",
    ],
)
def test_steps_lead_through_the_same_places(path):
    assert list(places(steps(path))) == list(places(path))


def test_no_error_adds_up_along_a_line():
    path = "M0 0" + "".join(f"L{i / 100} {i % 7 / 100}" for i in range(1, 999))
    assert [*places(steps(path))][-1] == [*places(path)][-1]


def test_a_page_loads_what_its_content_needs_and_no_more():
    head = (
        '<link href="_static/pygments.css?v=1"/>\n'
        '<link href="_static/copybutton.css?v=1"/>\n'
        '<link href="_static/togglebutton.css"/>\n'
        '<link href="_static/sphinx-thebe.css?v=1"/>\n'
    )
    text = '<summary class="toctree-toggle">menu</summary>'
    code = '<div class="highlight"><pre>code</pre></div>'
    fold = '<div class="admonition dropdown">more</div>'
    assert drop_idle(head + text) == text
    assert "pygments" in drop_idle(head + code)
    assert "copybutton" in drop_idle(head + code)
    assert "togglebutton" not in drop_idle(head + code)
    assert "togglebutton" in drop_idle(head + fold)
    assert "thebe" not in drop_idle(head + code + fold)


def test_axes_that_panels_share_are_drawn_once_with_their_words():
    axes = '<g class="axes"><path d="M0 0H9"/><text x="1">unit</text></g>'
    panels = "".join(f"<svg>{axes}<path d='M0 {k}'/></svg>" for k in range(3))
    page = BeautifulSoup(
        say_once(f'<article class="bd-article">{panels}</article>'),
        "html.parser",
    )
    lent = page.select_one("article > svg > defs > g.axes")
    assert lent.get_text() == "unit"
    assert len(page.select(f'use[href="#{lent["id"]}"]')) == 3
    assert len(page.select("text")) == 1
