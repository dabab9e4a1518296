"""The page trains as the reference: in a worker, by keyboard, offline."""

import pytest

from built import SITE, TWO_LANGUAGES, load, reload
from engine.calls import bundled
from engine.questions import assert_equal_training, training_question
from preact import reference
from preact.book.why.race import (
    ARMS,
    STEPS,
    mini_batches,
    race_digits,
    race_plan,
)
from preact.strings import Strings

ANSWERS = "tests/engine/answers.js"
CHAPTER = "/{}/01-why.html"
MINUTES = 180_000  # milliseconds until a race counts as stuck
FOCUSED = "document.activeElement.name"
ORDER = """() => [...document.querySelectorAll(".preact-race li[data-arm]")]
  .map((item) => item.dataset.arm)"""
FIRST = list(ARMS)


def state(page, wanted):
    page.wait_for_function(
        "(s) => document.querySelector('.preact-race').dataset.state === s",
        arg=wanted,
        timeout=MINUTES,
    )


def commit(page):
    page.locator(".preact-race [name=commit]").click()


def run_race(page, **settings):
    for name, value in settings.items():
        control = page.locator(f".preact-race [name={name}]")
        if name == "lr":
            control.select_option(value)
        else:
            control.fill(value)
    page.locator(".preact-race [name=start]").click()
    state(page, "done")


def curves(page, kind="curve"):
    return page.eval_on_selector_all(
        f".preact-race .{kind} path[fill=none]",
        "paths => paths.map((path) => path.getAttribute('d'))",
    )


@pytest.fixture(scope="module")
def engine_page(tabs, site):
    page = tabs.take()
    load(page, site + CHAPTER.format("en"))
    page.add_script_tag(content=bundled(ANSWERS, "engineAnswers"))
    yield page
    tabs.give_back(page)


@pytest.mark.xdist_group("engine of the race")
@pytest.mark.parametrize("units", [2, 10])
@pytest.mark.parametrize("arm", ARMS)
def test_two_steps_in_the_page_equal_the_reference(engine_page, arm, units):
    plan, digits = race_plan(arm, units), race_digits()
    params = reference.initialize(plan, 0)
    batches = [
        (digits.images[batch], digits.labels[batch])
        for batch in mini_batches(digits.train, 32, 2, seed=0)
    ]
    question = training_question(plan, params, batches)
    answer = engine_page.evaluate(
        "(question) => engineAnswers.train(question)", question
    )
    assert_equal_training(plan, params, batches, answer)


@TWO_LANGUAGES
def test_the_race_runs_to_its_end_by_keyboard_alone(open_page, language):
    page, words = open_page(CHAPTER.format(language)), Strings(language)

    def tab_to(name):
        for _ in range(300):
            page.keyboard.press("Tab")
            if page.evaluate(FOCUSED) == name:
                return
        raise AssertionError(f"no way to {name} by Tab")

    assert page.locator(".preact-race [name=start]").is_disabled()
    tab_to("down")
    page.keyboard.press("Enter")
    assert page.evaluate(ORDER) == [FIRST[1], FIRST[0], *FIRST[2:]]
    assert page.evaluate(FOCUSED) == "down"
    tab_to("commit")
    page.keyboard.press("Space")
    tab_to("units")
    page.keyboard.press("Home")
    tab_to("start")
    page.keyboard.press("Enter")
    state(page, "done")
    host = page.locator(".preact-race")
    rows = host.locator("tbody tr")
    assert rows.count() == len(ARMS)
    assert words("table.network") in host.locator("thead").inner_text()
    assert all(path.count("L") == STEPS - 1 for path in curves(page))
    assert len(curves(page)) == 2 * len(ARMS)
    assert page.problems == []


def test_a_ranking_is_kept_in_this_browser_and_nowhere_else(open_page):
    page = open_page(CHAPTER.format("en"))
    page.locator(f"li[data-arm='{FIRST[4]}'] [name=up]").click()
    wanted = [*FIRST[:3], FIRST[4], FIRST[3]]
    assert page.evaluate(ORDER) == wanted
    commit(page)
    page.requested.clear()
    reload(page)
    assert page.evaluate(ORDER) == wanted
    assert page.locator(".preact-race [name=start]").is_enabled()
    assert not page.locator(".preact-race [name=up]").first.is_visible()
    queries = {url.partition("?")[2] for url in page.requested}
    assert all(q.startswith(("v=", "digest=")) for q in queries - {""})
    page.evaluate("localStorage.setItem('preact-race', '{\"order\": [1]}')")
    reload(page)
    assert page.evaluate(ORDER) == FIRST
    assert page.problems == []


def test_a_ranking_is_drawn_beside_what_came_out(open_page):
    page = open_page(CHAPTER.format("en"))
    commit(page)
    run_race(page, units="2")
    cells = page.locator(".preact-race tbody tr").all_inner_texts()
    errors = [float(row.split("\t")[3]) for row in cells]
    assert errors == sorted(errors)
    names = [row.split("\t")[0].split(". ", 1)[1] for row in cells]
    label = page.locator(".outcome svg").get_attribute("aria-label")
    assert label.endswith(f"What came out: {', '.join(names)}.")
    places = [int(row.split("\t")[1]) for row in cells]
    right = sum(place == i for i, place in enumerate(places, start=1))
    sentence = page.locator(".outcome .facts").inner_text()
    assert f"{right} of {len(ARMS)}" in sentence


def test_depth_rate_and_seed_change_the_race_and_pins_keep_it(open_page):
    page = open_page(CHAPTER.format("en"))
    commit(page)
    run_race(page, units="2")
    first = curves(page)
    page.locator(".preact-race [name=pin]").click()
    for settings in ({"seed": "1"}, {"lr": "0.03"}, {"units": "3"}):
        before = curves(page)
        run_race(page, **settings)
        assert curves(page) != before
        assert curves(page, "pinned") == first
    run_race(page, units="2", lr="0.1", seed="0")
    assert curves(page) == first
    assert page.locator(".preact-race table").count() == 2
    page.locator(".preact-race [name=pin]").click()
    assert curves(page, "pinned") == []


def test_the_curves_can_be_read_at_every_step(open_page):
    page = open_page(CHAPTER.format("en"))
    commit(page)
    run_race(page, units="2")
    read = page.locator(".legend output").all_inner_texts()
    step = page.locator(".preact-race [name=step]")
    assert step.get_attribute("aria-valuetext") == step.input_value()
    step.fill("1")
    assert page.locator(".legend output").all_inner_texts() != read
    label = page.locator(".preact-race .preact-figure svg").first
    assert "At step 1," in label.get_attribute("aria-label")


def test_a_race_can_be_stopped_and_started_again(open_page):
    page = open_page(CHAPTER.format("en"))
    commit(page)
    page.locator(".preact-race [name=units]").fill("50")
    page.locator(".preact-race [name=start]").click()
    state(page, "running")
    page.locator(".preact-race [name=start]").click()
    state(page, "ready")
    run_race(page, units="2")
    assert page.problems == []


def test_a_rate_that_diverges_is_said_in_a_word(open_page):
    page = open_page(CHAPTER.format("en"))
    commit(page)
    page.evaluate(
        """() => {
          const rates = document.querySelector(".preact-race [name=lr]");
          rates.add(new Option("1e200", "1e200"));
        }"""
    )
    run_race(page, units="2", lr="1e200")
    text = page.locator(".preact-race").inner_text()
    assert Strings("en")("race.diverged") in text
    assert "NaN" not in text
    assert page.problems == []


def test_the_race_runs_from_a_file(open_page):
    page = open_page((SITE / "en/01-why.html").as_uri())
    commit(page)
    run_race(page, units="2")
    assert page.locator(".preact-race tbody tr").count() == len(ARMS)
    assert page.problems == []


@TWO_LANGUAGES
def test_without_script_the_recorded_race_stays(open_page, language):
    page = open_page(CHAPTER.format(language), java_script_enabled=False)
    assert page.locator(".preact-race svg.wide").is_visible()
    recorded = Strings(language)("race.recorded", settings="|").split("|")[0]
    assert recorded in page.locator(".preact-race > p").inner_text()


@pytest.mark.parametrize(
    ("language", "width"), [("en", 360), ("en", 1280), ("zh-Hans", 360)]
)
def test_a_finished_race_fits_the_page(open_page, language, width):
    page = open_page(
        CHAPTER.format(language), viewport={"width": width, "height": 900}
    )
    commit(page)
    run_race(page, units="2")
    assert not page.evaluate(
        "document.documentElement.scrollWidth > window.innerWidth"
    )
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".preact-race button, " +
            ".preact-race svg, .preact-race li, .preact-race fieldset")]
          .filter((node) => node.getBoundingClientRect().width > 0 &&
            node.getBoundingClientRect().right > innerWidth).length"""
    )
    assert cut == 0
