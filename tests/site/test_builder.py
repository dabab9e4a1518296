"""The unit builder shows the unit that was built: by mouse, touch and keys."""

import pytest

from built import TWO_LANGUAGES
from preact.book.placements import numpy_line, spec_line, twelve_units
from preact.spec import BN, RELU, TABLE_2, UnitSpec
from preact.strings import Strings

CHAPTER = "/{}/04-units.html"
WAYS = twelve_units()


def host(page):
    return page.locator(".preact-builder")


def place(page, **choices):
    for name, value in choices.items():
        host(page).locator(f"input[name={name}][value={value}]").check()


def shown(page):
    return host(page).locator(".way:visible")


def curves(page):
    return page.eval_on_selector_all(
        ".preact-builder g.curve path[fill=none]",
        "paths => paths.map((path) => path.getAttribute('d'))",
    )


@TWO_LANGUAGES
def test_each_of_the_twelve_can_be_built_and_is_named(open_page, language):
    page, words = open_page(CHAPTER.format(language)), Strings(language)
    for spec in WAYS.values():
        where = {
            op.name.lower(): next(
                p for p in ("pre", "post", "after") if op in getattr(spec, p)
            )
            for op in (BN, RELU)
        }
        place(page, **where)
        together = where["bn"] == where["relu"]
        assert host(page).locator(".order").is_visible() == together
        if together:
            first = getattr(spec, where["bn"])[0].name.lower()
            place(page, order=f"{first}_first")
        assert shown(page).count() == 1
        text = shown(page).inner_text()
        assert spec_line(spec) in text
        assert numpy_line(spec) in text
        row = next((r for r, own in TABLE_2.items() if own == spec), None)
        named = words(f"row.{row}") if row else words("builder.nobody")
        assert named in text
    built = words("builder.built", count=12, seen=12, rows=5, named=5)
    assert built in host(page).inner_text()
    assert page.problems == []


def test_a_unit_is_built_by_keys_alone(open_page):
    page = open_page(CHAPTER.format("en"))
    host(page).locator("input[name=bn][value=post]").focus()
    for key in ("ArrowLeft", "Tab", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    wanted = spec_line(UnitSpec(pre=(BN, RELU)))
    assert wanted in shown(page).inner_text()


def test_another_unit_has_other_curves_and_the_axes_stay(open_page):
    page = open_page(CHAPTER.format("en"))
    axes = host(page).locator("> .preact-figure svg > text")
    place(page, bn="after", relu="after")
    ticks, first = axes.all_text_contents(), curves(page)
    place(page, bn="pre", relu="pre")
    assert axes.all_text_contents() == ticks
    assert len(first) == 2
    assert curves(page) != first


# Every choice in turn, and how far below the top its curves begin.
TOPS = """(host) => [...host.querySelectorAll("fieldset [type=radio]")].map(
  (radio) => {
    radio.click();
    return host.querySelector(".legend").getBoundingClientRect().top
      - host.getBoundingClientRect().top;
  })"""


@pytest.mark.parametrize("width", [1280, 360])
def test_a_choice_moves_nothing_that_stands_below_it(open_page, width):
    page = open_page(
        CHAPTER.format("en"), viewport={"width": width, "height": 800}
    )
    tops = host(page).evaluate(TOPS)
    assert len(tops) >= 8
    assert max(tops) - min(tops) <= 1


def test_without_script_all_twelve_stand_in_a_table(open_page):
    page = open_page(CHAPTER.format("en"), java_script_enabled=False)
    rows = host(page).locator(".preact-table tbody tr")
    assert rows.count() == len(WAYS)
    assert rows.first.is_visible()
    assert host(page).locator("details.way").count() == len(WAYS)
