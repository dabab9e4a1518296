"""`preact report` and `preact plot`: what a reader of own runs sees."""

import json
import re
from html import unescape
from itertools import pairwise, product
from math import nan
from pathlib import Path

import pytest
from matplotlib.lines import Line2D

from preact.cli import main
from preact.figures.recorded import Runs, recorded
from preact.records.compare import odd_warmup

FILE = """
[scientific]
rows = [{ name = "mine", pre = ["ReLU"] }, "original"]
networks = [{ depth = 8, convs = 2, width = 4 }]
lr = [0.1, 0.01]
[nuisance]
seeds = [1, 2]
[fixed]
recipe = "digits"
recipe_changes = { iterations = 2, drop_at = [1] }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where own.toml has been run."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "own.toml").write_text(FILE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert (
            main(["ablate", "own"]) == 0
        )  # the file's ending may be left out
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    return folder


def words_of(svg):
    words = re.sub(r"<[^>]+>", " ", svg.read_text("utf-8"))
    return " ".join(words.split())


def test_rows_and_rates_stand_in_the_order_of_the_file(here, capsys):
    assert main(["report", "own.toml"]) == 0
    lines = re.findall(
        r"^(mine|original) .*? (0\.\d+) ", capsys.readouterr().out, re.M
    )
    rates = "0.1", "0.01"
    assert lines == [*product(("mine", "original"), rates)]
    assert main(["plot", "own.toml"]) == 0
    assert capsys.readouterr().out == "own.svg: 8 runs in 4 lines\n"
    words = words_of(here / "own.svg")
    assert words.index("mine") < words.index("original")
    assert words.index("rate 0.1") < words.index("rate 0.01")


@pytest.mark.parametrize("command", ["report", "plot"])
def test_a_misspelt_row_is_named_and_no_runs_are_shown(
    command, folder, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    wrong = FILE.replace('"original"', '"originl"')
    Path("own.toml").write_text(wrong)
    options = ["own.toml", "--results", str(folder / "runs")]
    assert main([command, *options]) == 2
    told = capsys.readouterr()
    assert "own.toml: " in told.err
    assert "originl" in told.err
    assert not told.out


def test_a_folder_of_an_experiments_name_is_not_taken_for_its_file(
    folder, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("own").mkdir()
    assert main(["report", "own", "--results", str(folder / "runs")]) == 0
    assert "2 steps of 64" in capsys.readouterr().out


def test_a_picture_says_what_was_run_and_what_its_marks_mean(here):
    assert main(["plot", "own"]) == 0
    words = words_of(here / "own.svg")
    for fact in (
        "ResNet-8 of width 4, scikit-learn digits",
        "2 steps of 64",
        "seeds 1 and 2",
        "learning rate 0.1",
        "learning rate 0.01",
        "Dots: seeds",
        "band: least",
    ):
        assert fact in words, fact
    assert "own" in words.split()  # the name, where no title is given
    assert "interval" not in words  # of two seeds there is none


def test_a_pictures_title_is_that_of_the_file(tmp_path):
    out = tmp_path / "it.svg"
    rows = ["--rows", "original"]
    assert main(["plot", "digits_table_2", *rows, "-o", str(out)]) == 0
    words = words_of(out)
    assert "Table 2 and the clean control on scikit-learn" in words
    assert "mean and its 95" in words
    assert "pre-activation" not in words


def test_a_bare_picture_prints_its_title_and_caption(here, capsys):
    assert main(["plot", "own", "--bare", "--width", "3.3"]) == 0
    words, said = words_of(here / "own.svg"), capsys.readouterr().out
    for part in ("Dots: seeds", "steps of 64"):
        assert part in said
        assert part not in words
    assert 'width="237.6pt"' in (here / "own.svg").read_text("utf-8")


def test_what_is_taller_than_a_page_is_left_out_unless_asked_for(
    tmp_path, capsys
):
    out = tmp_path / "it.svg"
    assert main(["plot", "digits_rates", "-o", str(out)]) == 0
    assert "errors alone" in capsys.readouterr().err
    assert "Learning curves" not in words_of(out)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--out nowhere/own.svg", "--out must lie in a folder that is there"),
        ("--width nan", "--width must be 2.5 to 20 inches; got nan"),
        ("--rows mine other", "has --rows other; choose from mine, original"),
    ],
)
def test_a_plot_that_cannot_be_made_says_why(here, capsys, options, says):
    assert main(["plot", "own", *options.split()]) == 2
    assert says in capsys.readouterr().err
    assert not (here / "nowhere").exists()


@pytest.mark.parametrize(
    ("ending", "begins"),
    [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")],
)
def test_a_picture_has_the_form_of_its_name_and_replaces_none_but_its_own(
    here, capsys, ending, begins
):
    file = here / f"another.{ending}"
    command = ["plot", "own", "--panels", "errors", "-o", str(file)]
    assert main(command) == 0
    before = file.read_bytes()
    assert before.startswith(begins)
    assert main(command) == 0
    assert file.read_bytes() == before  # it has no date
    file.write_text("by matplotlib, and mine")
    assert main(command) == 2
    assert "must name a new file or one of" in capsys.readouterr().err
    assert file.read_text() == "by matplotlib, and mine"


def test_two_tails_of_a_row_differ_in_stroke_and_label(tmp_path):
    out = tmp_path / "two.svg"
    assert main(["plot", "digits_rates", "--depth", "20", "-o", str(out)]) == 0
    words = words_of(out)
    assert "original, no final BN" in words
    assert "Dashed and hollow: no BN before the classifier" in words


def test_each_of_many_own_units_has_a_face_of_its_own_hollow_or_filled():
    runs = [
        Runs(name=f"u{i}", row=f"u{i}", errors_pct=[5.0], dashed=hollow)
        for i in range(40)
        for hollow in (True, False)
    ]
    (axes,) = recorded({"": runs}, ["errors"]).axes
    dots = [one for one in axes.lines if one.get_marker() != "|"]
    looks = {
        (one.get_marker(), one.get_color(), one.get_markerfacecolor())
        for one in dots
    }
    assert len(looks) == len(runs) == 80
    assert {one.get_marker() for one in dots} <= {*Line2D.filled_markers}


def test_a_curve_with_one_test_error_is_left_out(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    words = "train --depth 8 --width 4 --batch 16 --iterations 15"
    assert main(words.split()) == 0
    assert main(["plot", "train"]) == 0
    assert "curves are left out" in capsys.readouterr().err


def test_no_line_of_a_name_begins_with_a_number(tmp_path):
    out = tmp_path / "it.svg"
    command = ["plot", "digits_table_1", "--panels", "errors", "-o", str(out)]
    assert main(command) == 0
    lines = {*re.findall(r">([^<>]+)</text>", out.read_text("utf-8"))}
    assert "(shortcut\u00a0×\u00a00)" in lines
    assert not {"0", "0)", "−6"} & lines


def test_names_in_two_lines_stand_apart_in_every_width():
    runs = [
        Runs(name=name, note=note, row=name, errors_pct=[5.0, 60.0])
        for name, note in [
            ("a unit with a rather long name", "1,000,000 parameters"),
            *(("another unit, no final BN", "") for _ in range(5)),
        ]
    ]
    facets = {f"learning rate {rate}, {'x ' * 20}": runs for rate in "abc"}
    for width in (3.3, 7.2):
        figure = recorded(facets, ["errors"], width=width)
        figure.draw_without_rendering()
        labels = figure.axes[0].get_yticklabels()
        boxes = [label.get_window_extent() for label in labels]
        for upper, lower in pairwise(boxes):
            assert upper.y0 - lower.y1 > 2 * figure.dpi / 72  # points


def test_a_median_is_nearer_to_its_own_panel_than_to_the_next():
    runs = [Runs(name="a", row="a", errors_pct=[5.0, 60.0])]
    figure = recorded({"x": runs, "y": runs}, ["errors"])
    figure.draw_without_rendering()
    first, second = figure.axes
    (median,) = first.texts
    box, own = median.get_window_extent(), first.get_window_extent()
    theirs = second.get_tightbbox()
    assert box.x0 - own.x1 < theirs.x0 - box.x1
    assert not any(
        tick.tick1line.get_visible() for tick in second.yaxis.get_major_ticks()
    )


def test_the_legend_of_curves_alone_covers_no_caption(tmp_path):
    curve = {"iteration": [1, 2], "test_error_pct": [90.0, 1.0]}
    runs = [
        Runs(name=f"u {i} " * 5, row="u", errors_pct=[1.0], curves=[curve])
        for i in range(8)
    ]
    figure = recorded({"": runs}, ["curves"], "title", "caption " * 40)
    figure.savefig(tmp_path / "it.png")
    (legend,) = figure.legends
    boxes = [
        one.get_window_extent()
        for one in (
            legend,
            figure._supxlabel,
            figure._suptitle,
            figure.axes[0],
        )
    ]
    assert not any(boxes[0].overlaps(box) for box in boxes[1:])


def test_facets_share_their_scales_so_that_they_compare():
    curve = {"iteration": [1, 2], "test_error_pct": [90.0, 1.0]}
    facets = {
        name: [Runs(name="a", row="a", errors_pct=[end], curves=[curve])]
        for name, end in (("deep", 80.0), ("flat", 3.0))
    }
    first, second = recorded(facets, ["errors"]).axes
    assert first.get_xlim() == second.get_xlim()
    assert first.get_xscale() == "log"
    assert second.get_title(loc="left") == "flat"


def test_an_interval_that_leaves_the_frame_has_an_arrow_at_that_side():
    def arrows(*errors_pct):
        row = Runs(name="a", row="a", errors_pct=errors_pct)
        (ax,) = recorded({"": [row]}, ["errors"]).axes
        ends = zip("<>", ax.get_xlim(), strict=True)
        return [
            side
            for side, end in ends
            for line in ax.lines
            if line.get_marker() == side and list(line.get_xdata()) == [end]
        ]

    assert arrows(20.0, 20.1, 20.2) == []
    assert arrows(1.0, 2.0, 1.0) == ["<"]
    assert arrows(60.0, 90.0, 95.0) == [">"]
    assert arrows(43.0, 68.0, 72.0) == []


def dots_of(axes, marker):
    """Where dots stand on the canvas."""
    return [
        tuple(map(round, line.get_transform().transform(line.get_xydata())[0]))
        for line in axes.lines
        if line.get_marker() == marker
    ]


def test_equal_seeds_do_not_hide_each_other():
    row = Runs(name="a", row="original", errors_pct=[5.0] * 12 + [9.0])
    (axes,) = recorded({"": [row]}, ["errors"]).axes
    dots = dots_of(axes, "o")
    assert len(set(dots)) == len(dots) == 13
    assert len({x for x, _ in dots}) == 2


def test_a_run_that_diverged_has_a_cross_and_its_curve_goes_on():
    def curve(*iterations):
        errors = [80.0] * len(iterations)
        return {"iteration": iterations, "test_error_pct": errors}

    runs = [
        Runs(
            name=row,
            row=row,
            errors_pct=[90.0],
            diverged=[last < 30],
            curves=[curve(10, last)],
        )
        for row, last in (("original", 20), ("full-preactivation", 30))
    ]
    errors, curves = recorded({"": runs}, ["errors", "curves"]).axes
    assert len(dots_of(errors, "x")) == 1
    (cross,) = [one for one in curves.lines if one.get_marker() == "x"]
    assert cross.get_xydata().tolist() == [[20, 90.0]]
    (line,) = [one for one in curves.lines if one.get_marker() == "o"]
    assert line.get_xydata().tolist() == [[10, 80.0], [20, 80.0], [30, 90.0]]


def test_panels_of_one_column_stand_one_below_the_other():
    runs = [Runs(name="a", row="a", errors_pct=[9.0], gradients=[[1.0, 2.0]])]
    for width, columns in ((7.2, 2), (3.3, 1)):
        panels = ["errors", "gradients"]
        figure = recorded({"": runs}, panels, "title", "words " * 50, width)
        grids = {ax.get_subplotspec().get_geometry()[1] for ax in figure.axes}
        assert grids == {columns}
        assert figure.get_figwidth() == width


def test_an_own_unit_has_one_look_in_all_facets():
    one, two = (Runs(name=name, row=name, errors_pct=[9.0]) for name in "ab")
    first, second = recorded({"x": [one, two], "y": [two]}, ["errors"]).axes
    colors = [ax.get_yticklabels()[-1].get_color() for ax in (first, second)]
    assert colors[0] == colors[1]


def test_a_logarithmic_axis_has_three_numbers_and_more():
    row = Runs(name="a", row="a", errors_pct=[7.0, 11.0, 47.0])
    (ax,) = recorded({"": [row]}, ["errors"]).axes
    low, high = ax.get_xlim()
    assert sum(low <= tick <= high for tick in ax.get_xticks()) >= 3


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"warmup_iterations": 9}, "longer than the run of 9"),
        ({"warmup_iterations": 9, "warmup_lr": 0.01}, ""),
        ({"warmup_lr": 0.1}, "begins at 0.1, above the learning rate 0.01"),
        ({"warmup_lr": 0.1, "warmup_iterations": 0}, ""),
        ({}, ""),
    ],
)
def test_a_warm_up_too_long_or_above_the_rate_is_told(changes, says):
    recipe = {"iterations": 9, "warmup_iterations": 2}
    said = odd_warmup({**recipe, "warmup_lr": 0.001, "lr": 0.01, **changes})
    assert says in said
    assert bool(said) == bool(says)


@pytest.mark.parametrize("name", ["digits_table_2", "digits_rates", "own"])
def test_a_report_of_80_columns_breaks_no_word(here, capsys, name):
    assert main(["report", name, "--markdown"]) == 0
    table = unescape(capsys.readouterr().out).split("\n| ")[1:]
    words = set(re.findall(r"[A-Za-z(]+[-:a-z)]*|\d+\.\d+", " ".join(table)))
    assert main(["report", name]) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.split("deviation: ")[0].splitlines())) <= 80
    # a table of one network has no column of sizes
    assert words - {"ResNet-", "network", "parameters"} <= set(
        re.findall(r"[A-Za-z(]+[-:a-z)]*|\d+\.\d+", said)
    )


def test_runs_of_train_that_differ_in_much_keep_their_numbers_in_80_columns(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    words = "train --depth 8 --width 4 --iterations 2 --row"
    assert main([*words.split(), "original"]) == 0
    (kept,) = tmp_path.rglob("*.safetensors")
    more = ["--init", str(kept), "--batch", "32", "--out", "tuned"]
    assert main([*words.split(), "original", *more]) == 0
    (tuned,) = tmp_path.glob("tuned/**/seed-1.json")
    tuned.rename(kept.with_name("seed-2.json"))
    capsys.readouterr()
    assert main(["report", "train"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"init_sha256 +\w{8}\]", " ".join(said.split()))
    for path in (kept.with_name("seed-1.json"), kept.with_name("seed-2.json")):
        error = json.loads(path.read_text())["test_error_pct"]
        assert f" {error:.2f}  " in said
    assert re.search(r" runs *$", said, re.M)


def test_a_facet_whose_runs_all_diverged_has_no_gradients_and_warns_of_none(
    recwarn, tmp_path
):
    facets = {
        name: [Runs(name="a", row="a", errors_pct=[9.0], gradients=[norms])]
        for name, norms in (("bad", [nan, nan]), ("good", [0.1, 0.2]))
    }
    figure = recorded(facets, ["errors", "gradients"])
    figure.savefig(tmp_path / "it.png")
    drawn = [ax for ax in figure.axes if ax.get_yscale() == "log"]
    assert [ax.axison for ax in drawn] == [False, True]
    low, high = drawn[1].get_ylim()
    assert (low, high) == (pytest.approx(0.01), pytest.approx(1.0))
    assert not recwarn.list


def test_a_plot_of_no_record_names_what_was_asked_for(here, capsys):
    assert main(["plot", "own", "--lr", "0.2"]) == 2
    assert capsys.readouterr().err == (
        "preact: no record of own has --lr 0.2; choose from 0.01, 0.1\n"
    )


def test_the_step_of_gradients_is_told_and_that_diverged_runs_had_an_earlier(
    tmp_path, capsys
):
    out = str(tmp_path / "it.svg")
    which = ["digits_rates", "--depth", "110", "--lr", "0.1"]
    assert main(["plot", *which, "--bare", "-o", out]) == 0
    said = capsys.readouterr().out
    assert "in step 300, of diverged runs an earlier one: median" in said
