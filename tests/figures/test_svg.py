"""Every word and number handed to a figure stands in its SVG, unchanged."""

import csv
import io
import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preact import figures
from preact.book.gradient import figures as gradient
from preact.figures import style
from preact.figures.chart import Chart, draw
from preact.figures.series import COLUMNS, table
from preact.figures.svg import slim
from preact.plan import Conventions, cifar_plan
from preact.spec import BN
from preact.strings import LANGUAGES, Strings
from sampled import sampled

BOTH = ("original", "full-preactivation")
SEEDS = np.array([[0.125, 0.1], [0.025, 0.05]])


def direct_term(say):
    runs = dict.fromkeys(BOTH, SEEDS)
    return gradient.direct_term([10, 20], runs, SEEDS[0], say)


def unit_diagram(say):
    plan = cifar_plan(
        "original",
        depth=20,
        convs=2,
        conventions=Conventions(tail=(BN,)),
    )
    return figures.unit_diagram(plan.units[-1], say, say("row.original"))


DRAWN = [direct_term, unit_diagram]
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


@pytest.mark.filterwarnings("ignore:constrained_layout not applied")
@pytest.mark.parametrize("drawn", [*sampled(DRAWN, 2)])
def test_a_figure_says_every_word_it_is_handed(drawn):
    for i, extra in enumerate(HARD):
        say = Handed(LANGUAGES[i % len(LANGUAGES)], extra)
        picture = drawn(say)
        assert say.texts
        for text in say.texts:
            assert re.sub(r"\s", "", text) in joined(picture), text


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


def test_a_picture_has_a_role_an_alternative_text_and_the_pages_ink():
    for drawn in DRAWN:
        for language in LANGUAGES:
            picture = drawn(Strings(language))
            assert picture.panels == drawn(Strings(language)).panels
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


def test_what_is_plotted_is_noted_as_it_was_and_as_it_is_told():
    runs = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]])

    def on(chart):
        (panel,) = chart.panels
        panel.seeds([1, 2, 4], runs / 7, name="</script>", color="#d1591a")
        panel.plot([1.0], [2.0], name="two", told=(["one"], None))
        panel.plot([1, 2, 4], runs, name="seeds")
        panel.ax.set(xlabel="l", title="a,\nb")

    picture = draw(on, (80, 60), "")
    rows = [
        *csv.DictReader(
            io.StringIO(
                table(picture.series, dict(zip(COLUMNS, COLUMNS, strict=True)))
            )
        )
    ]
    got = {(r["series"], r["number"], r["l"]): r for r in rows}
    assert {r["panel"] for r in rows} == {"a, b"}
    line = got["</script>", "1", "2"]
    assert [float(line[c]) for c in ("a, b", "low", "high")] == [
        4 / 7,
        3 / 7,
        5 / 7,
    ]
    assert got["two", "1", "one"]["a, b"] == "2"
    assert got["seeds", "2", "4"]["a, b"] == "4"
    assert len(got) == 3 + 1 + 6
    assert picture._repr_html_().count("</script>") == 1


def test_what_is_wider_than_a_phone_is_also_drawn_for_one():
    room = 328  # the text column of a phone of 360 pixels
    wide, narrow = map(ET.fromstring, direct_term(Strings("en")).panels)
    for panel, name in ((wide, "wide"), (narrow, "narrow")):
        assert panel.get("class") == name
        width = float(panel.get("viewBox").split()[2]) * 4 / 3
        assert (width > room) is (panel is wide)
    assert "display:none" in narrow.get("style")  # without a sheet
