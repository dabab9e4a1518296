"""How a page comes: nothing in its way, folded and colored from the first."""

import re

import pytest

CHAPTERS = ["en/01-why", "en/05-shortcuts", "zh-Hant/12-summary"]
BLOCKING = """performance.getEntriesByType("resource")
    .filter((one) => one.renderBlockingStatus === "blocking")
    .map((one) => new URL(one.name).pathname)"""
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


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_file_is_asked_for_twice(open_page, name):
    page = open_page(f"/{name}.html")
    asked = [url for url in page.requested if url.startswith("http")]
    assert sorted(asked) == sorted(set(asked))


@pytest.mark.parametrize("name", ["en/index", *CHAPTERS])
def test_a_box_is_folded_before_its_script_has_come(browser, site, name):
    page = browser.new_page()
    page.route("**/joined/*.js", lambda route: route.abort())
    page.goto(f"{site}/{name}.html")
    before = page.evaluate(HELD)
    page.unroute("**/joined/*.js")
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
    page.route("**/joined/*.js", lambda route: route.abort())
    page.goto(f"{site}/en/05-shortcuts.html")
    before = page.evaluate(COLORS)
    page.unroute("**/joined/*.js")
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
