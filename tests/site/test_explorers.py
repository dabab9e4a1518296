"""Explorers answer without a kernel; the page's engine computes the truth."""

import json
import re

import numpy as np
import pytest

from built import SITE, TWO_LANGUAGES, load, settle
from engine.calls import bundled, evaluate
from preact import reference
from preact.book.explorers import ROWS, engine_plan
from preact.plan import Conventions, stack_plan
from preact.propagation import draw_batch, open_share
from preact.spec import BN, TABLE_2, Scale, UnitSpec
from preact.strings import Strings

ANSWERS = "tests/engine/answers.js"


@pytest.fixture(scope="module")
def engine_page(tabs, site):
    page = tabs.take()
    load(page, f"{site}/en/03-gradient.html")
    page.add_script_tag(content=bundled(ANSWERS, "engineAnswers"))
    yield page
    tabs.give_back(page)


@pytest.mark.xdist_group("engine of the page")
@pytest.mark.parametrize("factor", [1.0, 0.9])
@pytest.mark.parametrize("tail", ["derived", "none", "BN"])
@pytest.mark.parametrize("row", ROWS)
def test_the_pages_engine_agrees_with_the_reference(
    engine_page, row, tail, factor
):
    spec = ROWS[row]
    spec = UnitSpec(
        pre=spec.pre,
        post=spec.post,
        after=spec.after,
        on_shortcut=Scale(factor),
    )
    tails = {"derived": None, "none": (), "BN": (BN,)}
    plan = stack_plan(
        spec, units=6, width=5, conventions=Conventions(tail=tails[tail])
    )
    params = reference.initialize(plan, 3)
    x, labels = draw_batch(plan, 7, 3)
    streams, _, gradients, loss = reference.propagate(plan, params, x, labels)
    question = {
        "plan": engine_plan(plan),
        "params": {name: p.ravel().tolist() for name, p in params.items()},
        "x": x.ravel().tolist(),
        "labels": labels.tolist(),
    }
    got = engine_page.evaluate(
        "(question) => engineAnswers.show(question)", question
    )
    signal = [np.sqrt(np.mean(s**2)) for s in streams]
    norms = [np.linalg.norm(g) for g in gradients]
    np.testing.assert_allclose(got["signal"], signal, rtol=1e-9)
    np.testing.assert_allclose(got["gradient"], norms, rtol=1e-9)
    np.testing.assert_allclose(
        got["first"], gradients[0].ravel(), rtol=1e-9, atol=1e-9 * norms[0]
    )
    assert got["loss"] == pytest.approx(loss, rel=1e-9)
    assert got["open"] == open_share(plan, streams)[-1]


def paths(page):
    return page.eval_on_selector_all(
        ".preact-stack svg .curve path",
        "nodes => nodes.map(n => n.getAttribute('d'))",
    )


@TWO_LANGUAGES
def test_every_control_of_the_live_stack_changes_what_is_computed(
    open_page, language
):
    page = open_page(f"/{language}/03-gradient.html")
    host = page.locator(".preact-stack")
    assert host.get_attribute("data-live") == "true"
    words = Strings(language)
    assert words("explorer.width") in host.inner_text()
    assert words("row.full-preactivation") in host.inner_html()
    for control, value in {
        "units": "20",
        "width": "16",
        "lambda": "0.9",
        "seed": "3",
    }.items():
        before = paths(page)
        page.locator(f".preact-stack [name={control}]").fill(value)
        settle(page)
        after = paths(page)
        assert len(after) == 2
        assert before != after
    for control, value in {"row": "original", "tail": "BN"}.items():
        before = page.locator(".preact-stack .facts").inner_text()
        page.locator(f".preact-stack [name={control}]").select_option(value)
        settle(page)
        assert page.locator(".preact-stack .facts").inner_text() != before
    assert page.problems == []


@pytest.mark.parametrize("row", ["original", "full-preactivation"])
def test_the_direct_term_shown_is_lambda_to_the_depth_times_open(
    open_page, row
):
    page = open_page("/en/03-gradient.html")
    page.locator(".preact-stack [name=row]").select_option(row)
    page.locator(".preact-stack [name=units]").fill("20")
    page.locator(".preact-stack [name=lambda]").fill("0.9")
    settle(page)
    facts = page.locator(".preact-stack .facts").inner_text()
    power, share, term = map(
        float,
        re.search(r"= ([\d.e-]+)\s×\s([\d.e-]+) = ([\d.e-]+)", facts).groups(),
    )
    assert power == pytest.approx(0.9**20, rel=1e-2)
    assert term == pytest.approx(power * share, rel=1e-2)
    assert (share == 1) == TABLE_2[row].is_identity_after


def test_the_live_stack_runs_from_a_file(open_page):
    page = open_page((SITE / "en/03-gradient.html").as_uri())
    page.wait_for_selector(".preact-stack[data-live=true]")
    assert page.problems == []


def test_without_script_the_measured_figure_stays(open_page):
    page = open_page("/en/03-gradient.html", java_script_enabled=False)
    assert page.locator(".preact-stack .preact-figure svg.wide").count() == 1


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
    box = page.locator(".preact-explorer[data-keys]").first
    visible = box.locator("[data-frame]:visible")
    frames = []
    for place, value in enumerate(json.loads(box.get_attribute("data-keys"))):
        box.locator("input").fill(str(place))
        assert box.locator("output").inner_text() == value
        assert visible.count() == 1
        frames.append(visible.inner_html())
    assert len({*frames}) == len(frames)
