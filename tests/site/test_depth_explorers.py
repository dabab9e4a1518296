"""Chapter 07 and its runs in a browser: sliders, a query."""

import pytest

from built import show_concealed
from preact.book.depth import DEPTHS, MOMENTS

CHAPTER = "/en/07-depth.html"


@pytest.fixture
def page(open_page):
    return open_page(CHAPTER)


def slide(page, what, place):
    page.locator(f".preact-training input[data-of={what}]").evaluate(
        "(slider, place) => {slider.value = place;"
        " slider.dispatchEvent(new Event('input'));}",
        place,
    )


def shown(page):
    """Alternative text of the only frame that is to be seen."""
    frame = page.locator(".preact-training [data-moment]:visible")
    assert frame.count() == 1
    return frame.locator("svg").first.get_attribute("aria-label")


def test_both_sliders_choose_one_frame(page):
    show_concealed(page)
    for place, depth in enumerate(DEPTHS):
        slide(page, "depth", place)
        for moment, iteration in ((0, 0), (MOMENTS.index(100), 100)):
            slide(page, "moment", moment)
            assert f"ResNet-{depth} at iteration {iteration}." in shown(page)


def test_runs_are_added_by_a_query_and_removed(open_page):
    host = open_page("/en/runs.html").locator(".preact-runs")
    lines = host.locator("svg .run")
    assert lines.count() == 6  # three seeds of two networks at first
    host.locator("[name=clear]").click()
    assert lines.count() == 0
    host.locator("[name=network]").select_option("110")
    host.locator("[name=rate]").select_option("0.01")
    host.locator("[name=add]").click()
    assert lines.count() == 30
    for quantity in ("loss", "signal", "open", "ratio"):
        host.locator("[name=quantity]").select_option(quantity)
        assert lines.count() == 30
