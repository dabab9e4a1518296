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

from paths import ROOT
from preact import figures
from preact.figures import style
from preact.figures.chart import Chart, draw
from preact.figures.svg import slim
from preact.plan import cifar_plan
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
HIGH = str.maketrans("−0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SILENT = ("alt.", "unit.", "punctuation.", "number.", "race.alt", "drawn.")


class Handed(Strings):
    """The words of a language, each made hard to keep, and a list of them."""

    def __init__(self, language, extra=""):
        super().__init__(language)
        self.extra, self.texts = extra, []

    def __call__(self, key, **values):
        text = super().__call__(key, **values)
        if not key.startswith(SILENT):
            text += self.extra
            self.texts.append(text)
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


def joined(picture):
    """All of it as one text; what was broken into lines is one again."""
    return re.sub(r"\s", "", "\n".join(texts(picture)))


def test_every_function_that_draws_is_tested_here():
    offered = {name: getattr(figures, name) for name in figures.__all__}
    rooms = [p.parent.name for p in ROOT.glob("src/preact/book/*/figures.py")]
    for name in ("dots", *(f"{room}.figures" for room in rooms)):
        module = import_module(f"preact.book.{name}")
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
@pytest.mark.parametrize(
    "name", [*sampled(["unit_diagram", "direct_term"], 2)]
)
def test_a_figure_says_every_word_it_is_handed(name):
    for i, extra in enumerate(HARD):
        say = Handed(LANGUAGES[i % len(LANGUAGES)], extra)
        picture = DRAWN[name](say)
        assert say.texts
        for text in say.texts:
            assert re.sub(r"\s", "", text) in joined(picture), text


@pytest.mark.slow
@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_chinese_figure_puts_no_space_before_the_percent_sign(language):
    for draw_one in DRAWN.values():
        for text in texts(draw_one(Strings(language))):
            assert not re.search(r"\d\s%", text or ""), text


def with_words(words):
    """A figure with these words in every place that takes words."""

    def on(chart):
        (panel,) = chart.panels
        name = f"label {words}"
        panel.plot([0, 1], [0, 1], name=name, listed=True)
        panel.ax.set_xticks([0, 0.5], [f"tick {words}", "0.025"])
        panel.ax.set(xlabel=f"x {words}", ylabel=f"y {words}")
        panel.ax.set_title(f"title {words}")
        panel.ax.annotate(f"note {words}", (0.5, 0.5))
        panel.ax.legend()

    return draw(on, (150, 80), f"alt {words}")


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
    picture = with_words(words)
    shown = texts(picture)
    assert shown[0] == f"alt {words}"
    for place in ("label", "tick", "x", "title", "note"):
        assert f"{place} {words}" in shown[1:]
    assert re.sub(r"\s", "", f"y {words}") in joined(picture)
    assert "0.025" in shown


def plain(**names):
    """A chart with an axis set so, and what matplotlib would label it."""
    chart = Chart((150, 80))
    chart.panels[0].ax.set(**names)
    ax, (low, high) = chart.panels[0].ax, names["ylim"]
    chart.figure.draw_without_rendering()
    labels = ax.get_yticklabels() + ax.get_yticklabels(minor=True)
    inside = [
        label.get_text()
        for label in labels
        if low <= label.get_position()[1] <= high
    ]
    return draw(lambda c: c.panels[0].ax.set(**names), (150, 80), ""), inside


@pytest.mark.parametrize(
    "limits", [(0, 0.125), (0, 0.0375), (0.10005, 0.1001)]
)
def test_ticks_are_those_that_matplotlib_wrote(limits):
    picture, handed = plain(ylim=limits)
    assert set(handed) <= set(texts(picture))


@pytest.mark.parametrize("limits", [(1e-8, 1e8), (0.03, 40), (2e-4, 9e-4)])
def test_a_logarithmic_axis_has_the_ticks_that_matplotlib_wrote(limits):
    picture, handed = plain(yscale="log", ylim=limits)
    shown = [
        as_formula(text)
        for text in ET.fromstring(picture.panels[0]).iter()
        if text.tag.endswith("}text") and "10" in text.text
    ]
    assert len(shown) > 1
    assert sorted(shown) == sorted(filter(None, handed))


def as_formula(text):
    """A label of a logarithmic axis as matplotlib's formula."""
    (high,) = text
    assert high.get("dy").startswith("-")
    formula = (text.text + "^{" + high.text + "}").replace("−", "-")
    return rf"$\mathdefault{{{formula}}}$".replace("×", r"\times")


def test_curves_pass_where_matplotlib_drew_them_to_a_hundredth():
    def on(chart):
        chart.panels[0].ax.plot(np.sin(np.arange(9)))

    raw = io.StringIO()
    with mpl.rc_context(style.RC):
        chart = Chart((150, 80))
        on(chart)
        chart.figure.savefig(raw, format="svg")
    paths = [
        [
            np.array(re.findall(r"-?[\d.]+", path), float)
            for path in re.findall(r'<path[^>]* d="([^"]+)"', text)
        ]
        for text in (raw.getvalue(), draw(on, (150, 80), "").panels[0])
    ]
    assert len(paths[0]) == len(paths[1]) > 10
    for ours, theirs in zip(*paths, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=0.0051, rtol=0)


@pytest.mark.slow
def test_every_reference_has_its_target_and_no_two_pictures_share_an_id():
    seen = {}
    for name, draw_one in DRAWN.items():
        for panel in draw_one(Strings("en")).panels:
            ids = re.findall(r' id="([^"]+)"', panel)
            wanted = re.findall(r'(?:url\(|href=")#([^")]+)', panel)
            assert set(ids) == set(wanted)
            assert len(set(ids)) == len(ids)
            assert all(seen.setdefault(one, name) == name for one in ids)


def test_a_picture_has_a_role_an_alternative_text_and_the_pages_ink():
    for name in ("direct_term", "unit_diagram"):
        for language in LANGUAGES:
            picture = DRAWN[name](Strings(language))
            assert picture.panels == DRAWN[name](Strings(language)).panels
            for panel in picture.panels:
                root = ET.fromstring(panel)
                assert root.get("role") == "img"
                assert len(root.get("aria-label")) > 20
                assert "<image" not in panel
                assert "#010101" not in panel
                assert "currentColor" in panel


@pytest.mark.parametrize("alt", ["a & b", "λ < 1, “so”", '"so"'])
def test_an_alternative_text_is_what_was_given(alt):
    tree = slim('<svg xmlns="http://www.w3.org/2000/svg"/>')
    picture = figures.Picture.of(tree, alt)
    assert (picture + picture).alt == alt


def test_a_wrapped_title_loses_and_gains_nothing():
    title = "full pre-activation: BN/ReLU; 0.025 / 3.14159"
    unit = cifar_plan("original", depth=20, convs=2).units[1]
    picture = figures.unit_diagram(unit, Strings("en"), title)
    lines = [
        "".join(t.itertext())
        for t in ET.fromstring(picture.panels[0]).iter()
        if t.get("class") == "title"
    ]
    assert all(line in title for line in lines)
    assert "".join(lines).replace(" ", "") == title.replace(" ", "")


def test_an_index_stands_below_its_letter():
    picture = DRAWN["signal_and_gradient"](Strings("en"))
    text = next(
        text
        for text in ET.fromstring(picture.panels[0]).iter()
        if "signal" in (text.text or "")
    )
    assert "".join(text.itertext()) == "signal: rms of xl"
    assert [piece.text for piece in text][:2] == ["x", "l"]
