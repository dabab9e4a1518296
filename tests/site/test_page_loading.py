"""How a page comes: nothing in its way, and from the first as it will be."""

import re

import pytest

from built import READY, load, reload

CHAPTERS = ["en/01-why", "en/05-shortcuts", "zh-Hant/13-summary"]
BLOCKING = """performance.getEntriesByType("resource")
    .filter((one) => one.renderBlockingStatus === "blocking")
    .map((one) => new URL(one.name).pathname)"""


# All of it has come but its scripts, for which it is not complete.
LAID_OUT = (  # read and painted, so that its sheets are there
    "document.readyState === 'interactive' && "
    "performance.getEntriesByType('paint').length > 0"
)
TOPS = """[...document.querySelectorAll(
    ".bd-article > section > :is(h1, p:not(.waits), .admonition)," +
    ".bd-article > section > section:first-of-type")]
    .map((one) => one.getBoundingClientRect().top)"""
TOLD = """[...document.querySelectorAll(".preact-predict ul, .concealed," +
    ".preact-ranking td:last-child")]
    .map((one) => one.checkVisibility({ visibilityProperty: true }))"""
COLORS = """() => {
    const style = (name) => getComputedStyle(document.querySelector(name));
    return [style("body").backgroundColor, style(".bd-article").color,
            style(".bd-article a").color];
}"""


def settled(page, expression):
    """A value of a page once it is the same in two frames."""
    value = None
    for _ in range(100):
        last, value = value, page.evaluate(expression)
        if value == last:
            break
        page.evaluate("new Promise(requestAnimationFrame)")
    return value


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_page_waits_for_one_sheet_and_asks_for_no_file_twice(
    cold_page, site, name
):
    page = cold_page()
    load(page, f"{site}/{name}.html")
    asked = [url for url in page.requested if url.startswith("http")]
    assert sorted(asked) == sorted(set(asked))
    (sheet,) = page.evaluate(BLOCKING)
    assert sheet.endswith("/book.css")
    assert sum(".js" in url for url in asked) <= 2  # of all pages, of some


@pytest.fixture
def on_the_way(cold_page, site):
    """Open a page whose scripts are on their way; then let them arrive."""
    page = cold_page(viewport={"width": 360, "height": 900})
    held, move = [], None

    def answer(route):
        held.append(route) if move is None else getattr(route, move)()

    page.route("**/*.js*", answer)

    def opened(name):
        address = f"{site}/{name}.html"
        page.goto(address, wait_until="commit")
        page.wait_for_function(LAID_OUT)
        page.evaluate("document.fonts.ready")
        return page

    def arrive(how="continue_"):
        nonlocal move
        move = how
        while held:
            answer(held.pop(0))
        page.wait_for_function(READY)

    return opened, arrive


@pytest.mark.parametrize(
    "name",
    ["en/index", "en/07-depth", "zh-Hant/11-afterlife", "zh-Hans/03-gradient"],
)
def test_scripts_find_the_room_that_they_take(on_the_way, name):
    opened, arrive = on_the_way
    page = opened(name)
    before = settled(page, TOPS)
    arrive()
    after = settled(page, TOPS)
    assert len(before) > 4
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) < 3


@pytest.mark.parametrize(
    "name", ["en/01-why", "en/05-shortcuts", "en/07-depth"]
)
def test_a_prediction_shows_nothing_measured_before_its_script_has_come(
    on_the_way, name
):
    opened, arrive = on_the_way
    page = opened(name)
    before = page.evaluate(TOLD)
    arrive()
    assert page.locator(".preact-predict ul").count() == 0
    assert before
    assert not any(before)


def test_what_was_measured_is_shown_where_scripts_fail(on_the_way):
    opened, arrive = on_the_way
    page = opened("en/07-depth")
    assert set(page.evaluate(TOLD)) == {False}
    page.emulate_media(media="print")
    assert set(page.evaluate(TOLD)) == {True}  # paper waits for nobody
    page.emulate_media(media="screen")
    arrive("abort")
    assert page.locator(".concealed").first.is_visible()
    page.locator(".preact-predict summary").first.click()  # what is folded
    assert page.locator(".preact-predict ul").first.is_visible()


@pytest.mark.parametrize(("scheme", "dark"), [("light", 0), ("dark", 1)])
def test_the_first_paint_has_the_colors_that_the_page_keeps(
    cold_page, site, scheme, dark
):
    page = cold_page(color_scheme=scheme)
    page.route("**/_static/**/*.js*", lambda route: route.abort())
    page.goto(f"{site}/en/05-shortcuts.html")
    before = page.evaluate(COLORS)
    page.unroute("**/_static/**/*.js*")
    reload(page)
    assert page.evaluate(COLORS) == before
    red = int(re.search(r"\d+", before[0])[0])
    assert (red < 128) == bool(dark)
