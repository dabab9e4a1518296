"""On a phone: what is tapped is as high as a thumb, in the order one reads."""

import pytest

THUMB = 43.5  # px, and what a display rounds
PHONE = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}
TAPPED = """() => [...document.querySelectorAll(
    ".preact-explorer :is(button:not(.preact-data), input, select), "
    + ".waits button, .admonition.dropdown > .admonition-title, "
    + ".bd-header-article .btn, .language-switch a")]
  .map((one) => one.matches("[type=radio], [type=checkbox]")
    ? one.closest("label") : one)
  .filter((one) => one.offsetParent)
  .map((one) => [one.outerHTML.slice(0, 80), one.offsetHeight])"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("language", "chapter"),
    [("en", "01-why"), ("zh-Hans", "13-summary"), ("en", "05-shortcuts")],
)
def test_what_is_tapped_is_as_high_as_a_thumb(
    open_page, scheme, language, chapter
):
    page = open_page(
        f"/{language}/{chapter}.html", color_scheme=scheme, **PHONE
    )
    heights = page.evaluate(TAPPED)
    assert heights
    assert [one for one in heights if one[1] < THUMB] == []
    over = "document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(over) <= 0


def test_a_question_is_tabbed_through_as_it_is_read(open_page):
    page = open_page("/en/03-gradient.html", **PHONE)
    place = page.locator(".preact-predict").first
    place.locator("[name=guess]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    focused = "document.activeElement.name"
    assert page.evaluate(focused) == "commit"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "skip"
