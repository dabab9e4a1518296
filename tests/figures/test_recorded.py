"""`preact report` and `preact plot`: what a reader of own runs sees."""

import json
import re
from html import unescape
from itertools import product
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
    assert capsys.readouterr().out.startswith("own.svg: 8 runs\nErrors: ")
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


@pytest.mark.parametrize(
    ("ending", "begins"),
    [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")],
)
def test_a_picture_has_the_form_of_its_name_and_no_date(here, ending, begins):
    file = here / f"another.{ending}"
    command = ["plot", "own", "-o", str(file)]
    assert main(command) == 0
    before = file.read_bytes()
    assert before.startswith(begins)
    assert main(command) == 0
    assert file.read_bytes() == before


def test_a_picture_that_has_no_folder_is_refused(here, capsys):
    assert main(["plot", "own", "--out", "nowhere/own.svg"]) == 2
    assert "--out must lie in a folder that is" in capsys.readouterr().err
    assert not (here / "nowhere").exists()


def test_a_picture_says_what_was_run(here):
    assert main(["plot", "own", "--rows", "mine"]) == 0
    words = words_of(here / "own.svg")
    said = "ResNet-8 of width 4, scikit-learn digits, learning rate"
    for rate in ("0.1", "0.01"):
        assert f"{said} {rate}, 2 steps of 64" in words
    assert "original" not in words


def test_two_ends_of_a_row_differ_in_stroke_and_label(tmp_path, capsys):
    out = tmp_path / "two.svg"
    assert main(["plot", "digits_rates", "--depth", "20", "-o", str(out)]) == 0
    assert "original, no final BN" in words_of(out)
    said = capsys.readouterr().out
    assert "Dashed and hollow: no BN before the classifier" in said
    assert "in the last step." in said


def runs_of(name="a", errors_pct=(5.0,), diverged=None, **facts):
    diverged = diverged or [False] * len(errors_pct)
    facts = {"name": name, "row": name, "diverged": diverged} | facts
    return Runs(errors_pct=errors_pct, **facts)


def test_each_of_many_own_units_has_a_face_of_its_own_hollow_or_filled():
    runs = [
        runs_of(f"u{i}", dashed=hollow)
        for i in range(40)
        for hollow in (True, False)
    ]
    axes, *_ = recorded({"": runs}).axes
    dots = [one for one in axes.lines if one.get_marker() != "|"]
    looks = {
        (one.get_marker(), one.get_color(), one.get_markerfacecolor())
        for one in dots
    }
    assert len(looks) == len(runs) == 80
    assert {one.get_marker() for one in dots} <= {*Line2D.filled_markers}


def test_facets_share_a_scale_and_the_look_of_a_row():
    deep, flat = runs_of("a", [80.0]), runs_of("b", [3.0])
    first, _, _, second, *_ = recorded({"x": [deep, flat], "y": [flat]}).axes
    assert first.get_xlim() == second.get_xlim()
    assert first.get_xscale() == "log"
    assert second.get_title(loc="left") == "y"
    colors = [ax.get_yticklabels()[-1].get_color() for ax in (first, second)]
    assert colors[0] == colors[1]


def test_equal_seeds_do_not_hide_each_other():
    (axes, *_) = recorded({"": [runs_of(errors_pct=[5.0] * 12)]}).axes
    dots = [tuple(one.get_xydata()[0]) for one in axes.lines[2:-1]]
    assert len(set(dots)) == len(dots) == 12
    assert {x for x, _ in dots} == {5.0}


def test_a_run_that_diverged_ends_in_a_cross_and_without_gradients_is_none(
    recwarn, tmp_path
):
    curve = {"iteration": [10, 20, 30], "test_error_pct": [80.0, 90.0, nan]}
    one = runs_of(diverged=[True], curves=[curve])
    figure = recorded({"": [one]})
    figure.savefig(tmp_path / "it.png")
    errors, curves, gradients = figure.axes
    assert [one.get_marker() for one in errors.lines] == ["x", "|"]
    line, cross = curves.lines
    assert line.get_xydata().tolist() == [[10, 80.0], [20, 90.0]]
    assert cross.get_xydata().tolist() == [[20, 90.0]]
    assert not gradients.axison
    assert not recwarn.list


def test_no_line_of_a_name_begins_with_a_number(tmp_path):
    out = tmp_path / "it.svg"
    command = ["plot", "digits_table_1", "-o", str(out)]
    assert main(command) == 0
    lines = {*re.findall(r">([^<>]+)</text>", out.read_text("utf-8"))}
    assert "(shortcut\u00a0×\u00a00)" in lines
    assert "bias\u00a00" in lines
    assert not {"0)", "−6"} & lines


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


def test_what_is_not_read_on_a_terminal_is_not_broken(here, capsys):
    for columns, whole in (("80", False), (None, True)):
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("COLUMNS")
            if columns:
                patch.setenv("COLUMNS", columns)
            assert main(["report", "digits_table_1"]) == 0
        said = capsys.readouterr().out
        assert ("plain network (shortcut × 0)" in said) is whole


def test_json_has_the_order_of_the_file_and_what_stands_below_a_table(
    here, capsys
):
    assert main(["report", "own.toml", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["runs"], told["missing"]) == (8, 0)
    rows = [(line["row"], line["lr"]) for line in told["lines"]]
    assert rows == [*product(("mine", "original"), (0.1, 0.01))]
    line = told["lines"][0]
    assert (line["steps"], line["batch"]) == (2, 64)
    changed = {one["from"]: one["to"] for one in line["deviations"]}
    assert changed["iterations 300"] == "iterations 2"
    assert any("warm-up" in one for one in told["remarks"])
    (kept,) = here.glob("runs/**/mine.lr-0.1/seed-1.json")
    hidden = kept.rename(kept.with_suffix(".away"))
    assert main(["report", "own.toml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["missing"] == 1
    hidden.rename(kept)


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
    assert re.search(r"; init\b", said)
    assert re.search(r"^\w{8}\]", said, re.M)
    for path in (kept.with_name("seed-1.json"), kept.with_name("seed-2.json")):
        error = json.loads(path.read_text())["test_error_pct"]
        assert f" {error:.2f}  " in said
    assert re.search(r" runs *$", said, re.M)


def test_a_plot_of_no_record_names_what_was_asked_for(here, capsys):
    assert main(["plot", "own", "--lr", "0.2"]) == 2
    assert capsys.readouterr().err == (
        "preact: no record of own has --lr 0.2; choose from 0.01, 0.1\n"
    )
