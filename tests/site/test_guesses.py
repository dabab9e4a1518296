"""A prediction is made before the answer is seen, and kept in the browser."""

import math
import re
from csv import reader

import pytest

from built import CHAPTERS, SITE, query, reload
from preact.strings import Strings

ASKED = [  # a slider, choices, in two languages
    ("01-why", "en", 0, "arms_ask"),
    ("02-signal", "zh-Hans", 1, "paths_ask"),
    ("04-units", "en", 0, "place_ask"),
]


def host(page, n=0):
    return page.locator(".preact-predict").nth(n)


def guess(page, n):
    if host(page, n).locator("[type=range]").count():
        host(page, n).locator("[name=guess]").fill("150")
    else:
        host(page, n).locator("input[type=radio]").nth(1).check()


def commit(page, n=0):
    host(page, n).locator("[name=commit]").click()


@pytest.mark.parametrize(("chapter", "language", "n", "asked"), ASKED)
def test_a_guess_stands_beside_the_answer_until_it_is_taken_back(
    open_page, chapter, language, n, asked
):
    page, words = open_page(f"/{language}/{chapter}.html"), Strings(language)
    assert words(f"predict.{asked}") in host(page, n).text_content().replace(
        "\xa0", " "
    )
    assert host(page, n).locator("svg").count() == 0
    guess(page, n)
    commit(page, n)
    assert query(page) == ""  # it is nobody else's
    assert (
        words("predict.yours") in host(page, n).locator("svg").text_content()
    )
    assert host(page, n).locator("svg").get_attribute("aria-label")
    drawn = host(page, n).locator("svg").inner_html()
    reload(page)
    assert host(page, n).locator("svg").inner_html() == drawn
    commit(page, n)  # guess again
    assert host(page, n).locator("svg").count() == 0
    reload(page)
    assert host(page, n).get_attribute("data-state") == "open"
    assert page.problems == []


def test_without_script_the_answer_is_folded_below_its_question(open_page):
    page = open_page("/en/01-why.html", java_script_enabled=False)
    assert host(page).locator("p").is_visible()
    assert host(page).locator("li").count() >= 2
    assert not host(page).locator("li").first.is_visible()


# Of each slider, what it shall guess, where it stands, and what is in sight
# with it: cells of tables, and figures, by the files of their numbers.
SIGHT = """() => [...document.querySelectorAll(".preact-predict")]
    .filter((host) => host.querySelector("[type=range]")).map((host) => {
        host.scrollIntoView({ block: "start" });
        const inSight = (one) => {
            const { top, bottom } = one.getBoundingClientRect();
            return one.checkVisibility({ visibilityProperty: true }) &&
                bottom > 0 && top < innerHeight && !host.contains(one);
        };
        const found = (what) => [...document.querySelectorAll(what)]
            .filter(inSight);
        const { rows, asked, limits, log, name } =
            JSON.parse(host.dataset.predict);
        const { value, max } = host.querySelector("[type=range]");
        return { name, limits, log, answer: rows[asked].value,
            start: value / max,
            cells: found("td").map((one) => one.textContent),
            files: found(".preact-figure a.preact-data").map((a) =>
                new URL(a.href).pathname) };
    })"""
NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_answer_is_in_sight_before_the_guess(open_page, chapter):
    page = open_page(
        f"/en/{chapter}.html", viewport={"width": 1280, "height": 900}
    )
    for asked in page.evaluate(SIGHT):
        texts = list(asked["cells"])
        for name in asked["files"]:
            text = (SITE / name.lstrip("/")).read_text("utf-8-sig")
            texts += [
                number
                for row in reader(text.splitlines())
                for number in row[4:]
            ]
        told = {
            f"{float(number.replace(',', '')):.2g}"
            for text in texts
            for number in NUMBER.findall(text)
        }
        assert f"{asked['answer']:.2g}" not in told, asked["name"]
        low, high, answer = (
            math.log10(number) if asked["log"] else number
            for number in (*asked["limits"], asked["answer"])
        )
        place = (answer - low) / (high - low)
        assert abs(asked["start"] - place) > 0.05, asked["name"]


@pytest.mark.parametrize("way", ["guess", "skip"])
def test_the_cell_that_shows_the_answer_waits_for_the_guess(open_page, way):
    page = open_page("/en/03-gradient.html")
    answer = page.locator(".concealed").first
    said = page.get_by_text(Strings("en")("predict.waits")).first
    assert said.is_visible()
    assert not answer.is_visible()
    if way == "guess":
        guess(page, 0)
        commit(page)
    else:
        page.locator(".waits [name=skip]").first.click()
    assert answer.is_visible()
    assert not said.is_visible()
    drawn = host(page).locator("svg").count()
    assert drawn == (way == "guess")  # else there is none to draw


def test_a_link_to_what_is_concealed_leads_to_the_question(open_page):
    page = open_page("/en/03-gradient.html")
    answer = page.locator(".concealed").first
    answer.evaluate(
        "cell => cell.append(Object.assign("
        "document.createElement('p'), { id: 'the-answer' }))"
    )
    page.evaluate("location.hash = 'the-answer'")
    page.wait_for_function(
        "innerHeight > document.querySelector('.preact-predict')"
        ".getBoundingClientRect().top"
    )
    assert not answer.is_visible()


@pytest.mark.parametrize(
    ("chapter", "language", "n", "place", "said"),
    [
        ("07-depth", "en", 0, "120", r"You said 60 %, it is \d+ %\.$"),
        ("07-depth", "zh-Hans", 0, "120", r"你猜的是 60%，实际是 \d+%。$"),
        ("03-gradient", "en", 0, "120", "You said 40, it is .* as much"),
        ("07-depth", "en", 1, "150", "your guess is about .* times as much"),
        ("02-signal", "en", 1, "17", r"Close: you said 4\.6, it is 4\.5"),
    ],
)
def test_a_number_hears_how_far_off_it_is(
    open_page, chapter, language, n, place, said
):
    page = open_page(f"/{language}/{chapter}.html")
    host(page, n).locator("[name=guess]").fill(place)
    assert host(page, n).locator("[role=status]").text_content() == ""
    commit(page, n)
    status = host(page, n).locator("[role=status]").text_content()
    assert re.search(said, status.replace("\xa0", " "))
