"""The playground: two networks of the reader's choice train in the page."""

import re
from itertools import pairwise

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
# Where the lines to a chart's names begin, and where its names stand.
ENDS = """(svg) => {
  const lines = [...svg.querySelectorAll("path[stroke='#808080']")]
    .map((path) => path.getAttribute("d").match(/M([\\d.]+) ([\\d.]+)L/))
    .filter(Boolean);
  return { curves: lines.map((found) => Number(found[2])),
    names: [...svg.querySelectorAll("text")].filter((text) =>
      /^\\(?[AB]\\)?$/.test(text.textContent)).map((text) =>
        [Number(text.getAttribute("y")) - 5, text.textContent]) };
}"""
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
    """What the table says of each network, A first."""
    rows = page.locator(f"{HOST} tr").all()
    cells = [row.locator("th:not(:first-child), td") for row in rows]
    return [*zip(*[row.all_inner_texts() for row in cells], strict=True)]


def status(page):
    return page.locator(f"{HOST} [role=status]").inner_text()


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
    smaller(page)
    train(page)  # or nothing would be left to guess
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
    words = Strings("en")
    assert words("playground.diverged", said="", name="A") in status(page)
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
    smaller(page)
    field(page, "steps").select_option(str(2 * STEPS))
    settle(page)
    train(page)
    told = page.locator(f"{HOST} th").first.inner_text()
    assert told == Strings("en")("playground.at", step=2 * STEPS)
    assert field(page, "step").get_attribute("max") == str(2 * STEPS)


@TWO_LANGUAGES
def test_a_guess_is_asked_for_before_training_and_judged_after(
    open_page, language
):
    link = (
        f"{PAGE.format(language)}?playground.a.lr=0.003&playground.a.units=2"
    )
    page = open_page(link)
    bet = page.locator(f"{HOST} [name=guess]")
    assert status(page) == ""
    words = Strings(language)
    for guess, verdict in enumerate(("miss", "hit")):  # A is slower to learn
        field(page, "b.units").fill(str(3 + guess))
        settle(page)
        bet.nth(guess).click()
        assert bet.nth(guess).get_attribute("aria-pressed") == "true"
        train(page)
        assert bet.first.is_hidden()
        assert words(f"playground.{verdict}", said="") in status(page)
    assert "guess" not in address(page)


def test_names_stand_at_the_ends_of_their_curves_in_their_order(open_page):
    page = open_page(PAGE.format("en"))
    smaller(page)
    train(page)
    field(page, "pin").click()
    field(page, "a.tail").select_option("BN")
    train(page)
    for chart in page.locator(f"{HOST} .preact-figure svg[role=img]").all():
        ends = chart.evaluate(ENDS)
        if not ends["names"]:
            continue  # a map
        assert len(ends["names"]) == 4
        names = [y for y, _ in ends["names"]]
        assert ends["curves"] == sorted(ends["curves"])
        assert all(b - a > 14 for a, b in pairwise(names))
        middle = [sum(ys) / 4 for ys in (names, ends["curves"])]
        assert abs(middle[0] - middle[1]) < 6  # half of a letter


def test_a_thumb_finds_all_that_can_be_pressed(open_page):
    page = open_page(
        PAGE.format("en"),
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
    )
    state(page, "ready")
    shown = page.locator(f"{HOST} :is(button, select, input):visible")
    assert all(one.bounding_box()["height"] >= 44 for one in shown.all())
    page.evaluate("scrollTo(0, 900)")
    settle(page)
    box = field(page, "train").bounding_box()
    assert 0 <= box["y"] < 200  # what trains stays in sight
