"""How a page comes: nothing in its way, and from the first as it will be."""

import re

import pytest

CHAPTERS = ["en/01-why", "en/05-shortcuts", "zh-Hant/12-summary"]
BLOCKING = """performance.getEntriesByType("resource")
    .filter((one) => one.renderBlockingStatus === "blocking")
    .map((one) => new URL(one.name).pathname)"""
# How often a page is told that it has been read, and whether by the browser.
HEARD = """window.heard = [];
document.addEventListener(
    "DOMContentLoaded", ({ isTrusted }) => heard.push(isTrusted));"""
# All of it has come but its scripts, for which it is not complete.
LAID_OUT = "document.readyState === 'interactive'"
TOPS = """[...document.querySelectorAll(
    ".bd-article > section > :is(h1, p:not(.waits), .admonition)," +
    ".bd-article > section > section:first-of-type")]
    .map((one) => one.getBoundingClientRect().top)"""
TOLD = """[...document.querySelectorAll(".preact-predict ul, .concealed," +
    ".concealed-numbers td + td, .preact-ranking td:last-child")]
    .map((one) => one.checkVisibility({ visibilityProperty: true }))"""
HELD = """() => [...document.querySelectorAll(".admonition.dropdown")]
    .map((box) => box.lastElementChild.checkVisibility())"""
COLORS = """() => {
    const style = (name) => getComputedStyle(document.querySelector(name));
    return [style("body").backgroundColor, style(".bd-article").color,
            style(".bd-article a").color];
}"""


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_page_waits_for_two_sheets_and_for_no_script(open_page, name):
    page = open_page(f"/{name}.html")
    waited = page.evaluate(BLOCKING)
    assert len(waited) == 2
    assert all(path.endswith(".css") for path in waited)


@pytest.mark.parametrize("name", ["en/index", *CHAPTERS])
def test_a_page_hears_once_that_it_has_been_read(browser, site, name):
    page = browser.new_page()
    page.add_init_script(HEARD)
    page.goto(f"{site}/{name}.html")
    assert page.evaluate("heard") == [True]
    assert page.locator("html[data-awaits]").count() == 0
    page.context.close()


@pytest.fixture(params=[360, 1280])
def on_the_way(browser, site, request):
    """Open a page whose scripts are on their way; then let them arrive."""
    page = browser.new_page(viewport={"width": request.param, "height": 900})
    held, moves = [], []

    def meet(route):
        getattr(route, moves[0])() if moves else held.append(route)

    page.route("**/*.js*", meet)

    def opened(name):
        address = f"{site}/{name}.html"
        page.goto(address, wait_until="commit")
        page.wait_for_function(LAID_OUT)
        page.evaluate("document.fonts.ready")
        return page

    def arrive(move="continue_"):
        moves.append(move)
        for route in held:
            meet(route)
        page.wait_for_load_state()

    yield opened, arrive
    page.context.close()


@pytest.mark.parametrize(
    "name",
    ["en/index", "en/07-depth", "zh-Hant/10-afterlife", "zh-Hans/03-gradient"],
)
def test_scripts_find_the_room_that_they_take(on_the_way, name):
    opened, arrive = on_the_way
    page = opened(name)
    before = page.evaluate(TOPS)
    arrive()
    after = page.evaluate(TOPS)
    assert len(before) > 4
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) < 3


@pytest.mark.parametrize(
    ("name", "count"),
    # the list; the cell or the table; the errors of the rows to be ranked
    [
        ("en/01-why", 1 + 1 + 4),
        ("en/05-shortcuts", 4 + 11),
        ("en/07-depth", 6),
    ],
)
def test_a_prediction_shows_nothing_measured_before_its_script_has_come(
    on_the_way, name, count
):
    opened, arrive = on_the_way
    page = opened(name)
    before = page.evaluate(TOLD)
    arrive()
    assert page.locator(".preact-predict ul").count() == 0
    assert len(before) == count
    assert not any(before)


def test_what_was_measured_is_shown_where_scripts_fail(on_the_way):
    opened, arrive = on_the_way
    page = opened("en/07-depth")
    assert page.evaluate(TOLD) == 6 * [False]
    page.emulate_media(media="print")
    assert page.evaluate(TOLD) == 6 * [True]  # paper waits for nobody
    page.emulate_media(media="screen")
    arrive("abort")
    assert page.evaluate(TOLD) == 6 * [True]


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_file_is_asked_for_twice(open_page, name):
    page = open_page(f"/{name}.html")
    asked = [url for url in page.requested if url.startswith("http")]
    assert sorted(asked) == sorted(set(asked))


@pytest.mark.parametrize("name", ["en/index", *CHAPTERS])
def test_a_box_is_folded_before_its_script_has_come(browser, site, name):
    page = browser.new_page()
    page.route("**/_static/**/*.js*", lambda route: route.abort())
    page.goto(f"{site}/{name}.html")
    before = page.evaluate(HELD)
    page.unroute("**/_static/**/*.js*")
    page.reload(wait_until="networkidle")
    assert page.evaluate(HELD) == before
    page.context.close()
    assert before
    assert not any(before)


@pytest.mark.parametrize(("scheme", "dark"), [("light", 0), ("dark", 1)])
def test_the_first_paint_has_the_colors_that_the_page_keeps(
    browser, site, scheme, dark
):
    page = browser.new_page(color_scheme=scheme)
    page.route("**/_static/**/*.js*", lambda route: route.abort())
    page.goto(f"{site}/en/05-shortcuts.html")
    before = page.evaluate(COLORS)
    page.unroute("**/_static/**/*.js*")
    page.reload(wait_until="networkidle")
    after = page.evaluate(COLORS)
    page.context.close()
    assert before == after
    red = int(re.search(r"\d+", before[0])[0])
    assert (red < 128) == bool(dark)


@pytest.mark.parametrize("name", ["en/index", *CHAPTERS])
def test_without_scripts_at_all_a_box_is_open(browser, site, name):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/{name}.html")
    last = page.locator(".admonition.dropdown > :last-child").first
    assert last.is_visible()
    context.close()
