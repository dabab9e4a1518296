"""Every word and number handed to a figure stands in its SVG, unchanged."""

import io
import re
import xml.etree.ElementTree as ET
from importlib import import_module

import matplotlib as mpl
import numpy as np
import pytest
from every_figure import DRAWN
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.text import Text

from paths import ROOT
from preact import figures
from preact.figures import style
from preact.plan import cifar_plan
from preact.spec import ROWS
from preact.strings import LANGUAGES, TRANSLATIONS, Strings
from sampled import sampled

HARD = [
    "0.025",
    "0.0000001",
    "3.14159; a: b",
    "1.0.0",
    "signal: rms of x",
    "#010101 is #808080",
    'an id="x" with href="#x" and url(#x)',
    "font-family: none; fill: currentColor",
    'stroke-linecap: square; "',
    "<b>1.23456</b> & <!-- no --> />",
    " id=3.999",
    "10.125 / 20.875",
    "信号：0.12345；a: b",
    'transform="rotate(-0 1.234 5.678)"',
]


class Handed(Strings):
    """The words of a language, each made hard to keep, and a list of them."""

    def __init__(self, language, extra=""):
        super().__init__(language)
        self.extra, self.texts = extra, {}

    def __call__(self, key, **values):
        text = super().__call__(key, **values)
        silent = ("alt.", "unit.", "punctuation.", "number.", "race.alt")
        silent += ("drawn.",)  # names in the numbers alone
        if key.startswith(silent):
            return text
        text += self.extra
        self.texts[key] = text
        return text


def texts(picture):
    """What a reader can read or hear of a picture."""
    found = []
    for panel in picture.panels:
        root = ET.fromstring(panel)
        found.append(root.get("aria-label"))
        found += [as_handed(t) for t in root.iter() if "text" in t.tag]
    return found


def as_handed(text):
    """The words of a text, indices and exponents as they were again."""
    for piece in text:
        if piece.get("font-size") == "75%":
            piece.text = f"_{piece.text}"
        if piece.get("font-size") == "70%":
            piece.text = piece.text.translate(HIGH)
    return "".join(text.itertext())


HIGH = str.maketrans("−0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
WRAPPED = {"errors_by_condition", "unit_diagram"}
# Names of vertical axes, which break into lines where they have no room.
UPRIGHT = {
    *("activations.correlation", "afterlife.loss"),
    *("depth.share", "figure.direct", "figure.signal"),
    *("figure.training_error", "imagenet.error", "paths.share"),
}
# Their rows are told by markers, and named in the numbers.
UNNAMED = {
    "by_iteration",
    "by_unit",
    "errors_by_condition",
    "placed_by_unit",
    "prediction_beside_errors",
}
# Their labels are put together from several words.
COMPOSED = {
    *("depth_laws", "errors_by_unit", "paths_fresh_and_trained"),
    *("by_iteration", "by_unit", "silent_chain", "mixing_products"),
    *("answers_by_mutant", "losses_by_rate", "real_over_predicted"),
}


def joined(picture):
    """All of it as one text; a wrapped title is one again."""
    return re.sub(r"\s", "", "\n".join(texts(picture)))


def test_every_function_that_draws_is_tested_here():
    offered = {name: getattr(figures, name) for name in figures.__all__}
    for path in ROOT.glob("src/preact/book/*/figures.py"):
        module = import_module(f"preact.book.{path.parent.name}.figures")
        offered |= {
            name: made
            for name, made in vars(module).items()
            if getattr(made, "__module__", "") == module.__name__
        }
    drawing = {
        name
        for name, made in offered.items()
        if made.__annotations__.get("return") is figures.Picture
        and callable(made)
    }
    assert drawing == set(DRAWN)


@pytest.mark.filterwarnings("ignore:constrained_layout not applied")
@pytest.mark.parametrize(("i", "name"), [*sampled(enumerate(DRAWN), 12)])
def test_a_figure_says_every_word_it_is_handed(i, name):
    """Each figure one hard text; each text two figures or three."""
    language, extra = LANGUAGES[i % len(LANGUAGES)], HARD[i % len(HARD)]
    say = Handed(language, extra)
    picture = DRAWN[name](say)
    assert say.texts
    whole = texts(picture)
    for key, text in say.texts.items():
        if name in UNNAMED and key.startswith("row."):
            assert any(text == one.name for one in picture.series), key
        elif name in WRAPPED or key in UPRIGHT:  # into lines
            assert re.sub(r"\s", "", text) in joined(picture), key
        elif name in COMPOSED or key == "figure.with_final_bn":
            # part of a longer label
            named = (one.name for one in picture.series)
            assert any(text in t for t in (*whole, *named)), key
        else:
            assert text in whole, key


@pytest.mark.slow
@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_chinese_figure_puts_no_space_before_the_percent_sign(language):
    for draw in DRAWN.values():
        for text in texts(draw(Strings(language))):
            assert not re.search(r"\d\s%", text or ""), text


@pytest.mark.parametrize("row", ["original", "full-preactivation"])
def test_a_wrapped_title_loses_and_gains_nothing(row):
    title = f"{Strings('en')(f'row.{row}')}: BN/ReLU; 0.025 / 3.14159"
    plan = cifar_plan(ROWS[row], depth=20, convs=2)
    picture = figures.unit_diagram(plan.units[1], Strings("en"), title)
    lines = [
        "".join(t.itertext())
        for t in ET.fromstring(picture.panels[0]).iter()
        if t.get("class") == "title"
    ]
    assert all(line in title for line in lines)
    assert "".join(lines).replace(" ", "") == title.replace(" ", "")


def drawn_with(words, values=(0.0, 1.0)):
    """A figure with these words in every place that takes words."""
    with style.axes(150, 80) as (figure, ax):
        ax.plot(values, label=f"label {words}")
        ax.set_xticks([0, 0.5], [f"tick {words}", "0.025"])
        ax.set(xlabel=f"x {words}", ylabel=f"y {words}")
        ax.set_title(f"title {words}")
        ax.annotate(f"note {words}", (0.5, 0.5))
        ax.legend()
    figure.draw_without_rendering()  # before the phone's drawing breaks lines
    handed = [
        t.get_text()
        for t in figure.findobj(Text)
        if t.get_visible() and t.get_text()
    ]
    return style.picture(figure, f"alt {words}"), handed


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:constrained_layout not applied")
@pytest.mark.filterwarnings("ignore:Glyph .* missing")  # the browser has it
@settings(max_examples=30)
@given(
    st.text(
        st.characters(
            codec="utf-8",
            exclude_categories=["C", "Z"],
            exclude_characters="$",
        )
        | st.just(" "),
        max_size=30,
    )
)
def test_any_text_in_any_place_reaches_the_page_unchanged(words):
    picture, handed = drawn_with(words)
    shown = texts(picture)
    assert shown[0] == f"alt {words}"
    for place in ("label", "tick", "x", "y", "title", "note"):
        if place != "y":  # which may be broken into lines
            assert f"{place} {words}" in shown[1:]
        assert f"{place} {words}" in handed
    assert re.sub(r"\s", "", f"y {words}") in joined(picture)


@pytest.mark.parametrize(
    "values", [(0, 0.125), (0, 0.0375), (0.10005, 0.1001), (0, 1e-7)]
)
def test_ticks_are_those_that_matplotlib_wrote(values):
    picture, handed = drawn_with("", values)
    shown = set(texts(picture))
    assert "0.025" in shown
    ticks = [text for text in handed if re.fullmatch(r"[\d.−e]+", text)]
    inside = [t for t in ticks if t in shown]
    assert len(inside) >= 5  # a few stand outside of the axes
    numbers = {t for t in shown if re.fullmatch(r"[\d.−e]+", t)}
    assert numbers <= set(handed)


@pytest.mark.parametrize("limits", [(1e-8, 1e8), (0.03, 40), (2e-4, 9e-4)])
def test_a_logarithmic_axis_has_the_ticks_that_matplotlib_wrote(limits):
    with style.axes(150, 80) as (figure, ax):
        ax.set(yscale="log", ylim=limits)
    figure.draw_without_rendering()
    labels = ax.get_yticklabels() + ax.get_yticklabels(minor=True)
    inside = [
        label.get_text()
        for label in labels
        if limits[0] <= label.get_position()[1] <= limits[1]
    ]
    formulas = sorted(formula for formula in inside if formula)
    panel = ET.fromstring(style.picture(figure, "").panels[0])
    shown = [
        as_formula(text)
        for text in panel.iter("{http://www.w3.org/2000/svg}text")
        if "10" in text.text
    ]
    assert len(formulas) > 1
    assert sorted(shown) == formulas


def as_formula(text):
    """A label of a logarithmic axis as matplotlib's formula."""
    (high,) = text
    assert high.get("dy").startswith("-")
    plain = (text.text + "^{" + high.text + "}").replace("−", "-")
    return rf"$\mathdefault{{{plain}}}$".replace("×", r"\times")


def test_curves_pass_where_matplotlib_drew_them_to_a_hundredth():
    with style.axes(150, 80) as (figure, ax):
        ax.plot(np.sin(np.arange(9)))
    raw = io.StringIO()
    with mpl.rc_context(style.RC):
        figure.savefig(raw, format="svg")
    paths = [
        [
            np.array(re.findall(r"-?[\d.]+", path), float)
            for path in re.findall(r'<path[^>]* d="([^"]+)"', text)
        ]
        for text in (raw.getvalue(), style.picture(figure, "").panels[0])
    ]
    assert len(paths[0]) == len(paths[1]) > 10
    for ours, theirs in zip(*paths, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=0.0051, rtol=0)


@pytest.mark.slow
def test_every_reference_has_its_target():
    for draw in DRAWN.values():
        for panel in draw(Strings("en")).panels:
            ids = re.findall(r' id="([^"]+)"', panel)
            wanted = re.findall(r'(?:url\(|href=")#([^")]+)', panel)
            assert set(ids) == set(wanted)
            assert len(set(ids)) == len(ids)
