"""The playground: two networks of the reader's choice train in the page."""

import re

from built import (
    EVERY_LANGUAGE,
    SITE,
    TWO_LANGUAGES,
    address,
    html,
    load,
    settle,
)
from preact.book.why.race import STEPS
from preact.strings import Strings

PAGE = "/{}/playground.html"
HOST = ".preact-playground"
MINUTES = 180_000  # milliseconds until a training counts as stuck
FOCUSED = "document.activeElement.name"
CUT = """() => [...document.querySelectorAll(".preact-playground *")]
  .filter((node) => node.checkVisibility() && !node.closest("defs, clipPath")
    && node.getBoundingClientRect().right > innerWidth + 1).length"""
# Steps of which a map has a row; what is equal everywhere has no ink.
ROWS_OF_MAPS = """() => [...document.querySelectorAll(".course svg")].map(
  (svg) => new Set([...svg.querySelectorAll("[shape-rendering] rect")]
    .map((rect) => rect.getAttribute("y"))).size)"""


def state(page, wanted):
    page.wait_for_function(
        "(s) => document.querySelector('.preact-playground')"
        ".dataset.state === s",
        arg=wanted,
        timeout=MINUTES,
    )


def field(page, name):
    return page.locator(f"{HOST} [name='{name}']")


def train(page):
    """Train what has new settings."""
    field(page, "train").click()
    state(page, "done")


def smaller(page):
    """Make both networks such as train in a moment."""
    for arm in "ab":
        field(page, f"{arm}.units").fill("3")
    settle(page)


def curves(page, kind=":is(.curve, .ghost)"):
    return page.eval_on_selector_all(
        f"{HOST} {kind} path[fill=none]",
        "paths => paths.map((path) => path.getAttribute('d'))",
    )


def said(page):
    return page.locator(f"{HOST} .said").all_inner_texts()


@TWO_LANGUAGES
def test_the_keyboard_alone_trains_two_networks(open_page, language):
    page = open_page(PAGE.format(language))
    smaller(page)
    page.evaluate("document.activeElement.blur()")
    for _ in range(300):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED) == "train":
            break
    page.keyboard.press("Enter")
    state(page, "done")
    assert all(path.count("L") == STEPS - 1 for path in curves(page))
    assert min(page.evaluate(ROWS_OF_MAPS)) >= STEPS
    words = Strings(language)
    assert words("playground.rate") in page.locator(HOST).inner_text()
    assert page.problems == []


def test_each_setting_makes_another_network_and_a_pin_keeps_both(open_page):
    page = open_page(PAGE.format("en"))
    smaller(page)
    train(page)
    first = curves(page)
    field(page, "pin").click()
    for name, value in {
        "row": "no-relu-after-addition",
        "shortcut": "0.5",
        "tail": "BN",
    }.items():
        before = said(page)
        field(page, f"a.{name}").select_option(value)
        settle(page)
        assert said(page)[0] != before[0]
        assert said(page)[1] == before[1]
        state(page, "ready")
    train(page)
    before = curves(page)
    field(page, "a.lr").select_option("0.03")
    train(page)
    assert curves(page) != before
    assert curves(page, ".pinned") == first
    shared = address(page)
    again = open_page(shared)
    assert field(again, "a.tail").input_value() == "BN"
    state(again, "done")  # nobody opens an empty page
    assert curves(again, ".pinned") == first
    assert said(again) == said(page)
    field(page, "pin").click()
    assert curves(page, ".pinned") == []
    assert page.problems == again.problems == []


def test_a_training_can_be_stopped_and_started_again(open_page):
    page = open_page(PAGE.format("en"))
    field(page, "a.units").fill("50")
    settle(page)
    field(page, "train").click()
    state(page, "running")
    field(page, "train").click()
    state(page, "ready")
    smaller(page)
    train(page)
    assert page.problems == []


def test_recorded_runs_of_the_same_unit_are_a_click_away(open_page):
    page = open_page(PAGE.format("en"))
    link = page.locator(f"{HOST} .recorded a").first
    low, high = re.search(r"([\d.]+)–([\d.]+)", link.inner_text()).groups()
    with page.expect_navigation():
        link.click()
    settle(page)
    runs = page.locator(".preact-runs")
    assert f"{low}–{high}" in runs.locator(".facts").inner_text()
    load(page, address(page).split("runs.html")[0] + "playground.html")
    field(page, "a.lr").select_option("0.3")
    nothing = Strings("en")("playground.unrecorded")
    assert page.locator(f"{HOST} .recorded").first.inner_text() == nothing


def test_a_rate_that_diverges_is_said_in_a_word(open_page):
    page = open_page(PAGE.format("en"))
    smaller(page)
    page.evaluate(
        """() => document.querySelector("[name='a.lr']")
          .add(new Option("1e200", "1e200"))"""
    )
    field(page, "a.lr").select_option("1e200")
    settle(page)
    train(page)
    name = f"A {Strings('en')('row.original')}"
    assert said(page)[0] == Strings("en")("playground.diverged", name=name)
    assert "NaN" not in page.locator(HOST).inner_text()
    assert page.problems == []


def test_it_trains_from_a_file_and_where_nothing_shall_move(open_page):
    page = open_page(
        (SITE / "en/playground.html").as_uri(), reduced_motion="reduce"
    )
    smaller(page)
    train(page)
    assert min(page.evaluate(ROWS_OF_MAPS)) >= STEPS
    assert page.problems == []


@EVERY_LANGUAGE
def test_all_of_it_is_on_one_screen(open_page, language):
    page = open_page(
        PAGE.format(language), viewport={"width": 1280, "height": 800}
    )
    smaller(page)
    train(page)
    box = page.locator(HOST).bounding_box()
    assert box["y"] + box["height"] <= 800
    assert page.evaluate(CUT) == 0


def test_chapters_lead_to_it_with_settings_that_it_has(open_page):
    for chapter in ("01-why", "03-gradient", "playground"):
        links = re.findall(
            r'href="(playground\.html\?[^"]+)"', html(f"en/{chapter}")
        )
        assert links
        for link in links:
            asked = link.replace("&amp;", "&")
            page = open_page(f"/en/{asked}")
            assert address(page).endswith(asked)  # none is wrong, none idle


@TWO_LANGUAGES
def test_the_race_waits_for_the_readers_ranking(open_page, language):
    page = open_page(f"/{language}/01-why.html")
    host = page.locator(".preact-ranking")
    assert host.locator(".told").is_hidden()
    host.locator("[name=down]").first.click()
    host.locator("[name=commit]").click()
    assert host.locator(".told").is_visible()
    picture = host.locator("> .preact-figure svg").first
    assert len(re.findall(r"\d\.\d", picture.get_attribute("aria-label"))) == 5
    load(page, page.url)
    assert host.locator(".told").is_visible()  # kept in this browser
    host.locator("[name=commit]").click()
    assert host.locator(".told").is_hidden()
    still = open_page(f"/{language}/01-why.html", java_script_enabled=False)
    assert still.locator(".preact-ranking svg.wide").is_visible()


def test_both_networks_train_for_as_many_steps_as_are_chosen(open_page):
    page = open_page(PAGE.format("en"))
    state(page, "done")
    smaller(page)
    field(page, "steps").select_option(str(2 * STEPS))
    settle(page)
    train(page)
    assert (
        f"step {2 * STEPS}:"
        in page.locator(f"{HOST} .said").first.inner_text()
    )
    assert field(page, "step").get_attribute("max") == str(2 * STEPS)
