"""Explorers answer without a kernel."""

import json

import numpy as np
import pytest

from built import TWO_LANGUAGES, settle, show_concealed
from engine.calls import evaluate
from preact.strings import Strings


def drawn(page, kind):
    return page.eval_on_selector_all(
        f".preact-growth svg .{kind} path",
        "nodes => nodes.map(n => n.getAttribute('d'))",
    )


@TWO_LANGUAGES
def test_a_pinned_curve_stays_while_another_unit_is_drawn(open_page, language):
    page, words = open_page(f"/{language}/02-signal.html"), Strings(language)
    host = page.locator(".preact-growth")
    assert host.get_attribute("data-live") == "true"
    pin = host.locator("[name=pin]")
    assert pin.inner_text() == words("explorer.pin")
    (before,) = drawn(page, "curve")
    assert drawn(page, "pinned") == []
    pin.click()
    host.locator("[name=row]").select_option("relu-before-addition")
    settle(page)
    assert drawn(page, "pinned") == [before]
    assert drawn(page, "curve") != [before]
    facts = host.locator(".facts").inner_text()
    for row in ("relu-before-addition", "full-preactivation"):
        assert words(f"row.{row}") in facts
    assert pin.inner_text() == words("explorer.unpin")
    pin.focus()
    page.keyboard.press("Enter")
    settle(page)
    assert drawn(page, "pinned") == []
    assert page.problems == []


@pytest.mark.parametrize(
    ("row", "law"),
    [("full-preactivation", "root"), ("relu-before-addition", "linear")],
)
def test_a_fresh_stack_follows_the_law_that_is_drawn_beside_it(
    open_page, row, law
):
    """Within a quarter at the hundredth unit, where the two are 4:1."""
    page = open_page("/en/02-signal.html")
    host = page.locator(".preact-growth")
    host.locator("[name=row]").select_option(row)
    host.locator("[name=units]").fill("100")
    host.locator("[name=width]").fill("64")
    settle(page)
    assert len(drawn(page, "law")) == 2
    picture = host.locator(".preact-figure svg")
    assert Strings("en")(f"law.{law}") in picture.text_content()
    wanted = evaluate(
        "{ LAWS }", "book/scripts/depth.js", f"() => LAWS.{law}(100)", None
    )
    depth = 100
    theory = {"root": np.sqrt(depth + 1), "linear": depth / np.sqrt(2 * np.pi)}
    assert wanted == pytest.approx(theory[law])
    last = float(host.locator(".facts").inner_text().split("…")[1])
    assert last == pytest.approx(wanted, rel=0.25)


def test_without_script_the_measured_growth_stays(open_page):
    page = open_page("/en/02-signal.html", java_script_enabled=False)
    assert page.locator(".preact-growth .preact-figure svg.wide").count() == 1


@TWO_LANGUAGES
def test_a_stepper_shows_one_measured_frame_at_a_time(open_page, language):
    page = open_page(f"/{language}/02-signal.html")
    show_concealed(page)
    box = page.locator(".preact-explorer:has([data-of=frame])").first
    slider, frames = box.locator("input"), []
    visible = box.locator("[data-frame]:visible")
    keys = json.loads(slider.get_attribute("data-keys"))
    for place, value in enumerate(keys):
        slider.fill(str(place))
        assert box.locator("output").inner_text() == value
        assert visible.count() == 1
        frames.append(visible.inner_html())
    assert len({*frames}) == len(frames)
