"""A unit that the paper has not, from its file to the report."""

import numpy as np
import pytest

from preact.book.why.figures import error_by_rate
from preact.cli import main
from preact.figures import errors_table
from preact.figures.variants import (
    COLORS,
    MARKERS,
    color_of,
    marker_of,
)
from preact.records import read_record
from preact.records.compare import compare, load_records
from preact.strings import LANGUAGES, Strings

OWN = """
[scientific]
rows = ["original", { name = "mine", pre = ["BN"], post = ["ReLU"] }]
networks = [{ depth = 8, convs = 2, width = 4 }]
[nuisance]
seeds = [1, 2]
[fixed]
recipe = "digits"
[fixed.recipe_changes]
iterations = 4
batch = 16
ghost_batch = 8
drop_at = [3]
"""
SPEC = "BN conv BN ReLU conv ReLU (+)"


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (folder / "own.toml").write_text(OWN)
    command = ["ablate", str(folder / "own.toml"), "--device", "cpu"]
    assert main([*command, "--out", str(folder)]) == 0
    return folder


def test_an_own_unit_is_trained_and_its_record_holds_it_in_full(out):
    (path,) = out.rglob("mine/seed-1.json")
    record = read_record(path)
    assert (record.row, record.spec, record.tail) == ("mine", SPEC, "BN")
    assert record.config["unit"] == {
        "pre": ["BN"],
        "post": ["ReLU"],
        "after": [],
        "on_shortcut": {"kind": "Scale", "value": 1.0},
        "on_branch": {"kind": "Scale", "value": 1.0},
    }


def test_another_unit_of_the_same_name_does_not_take_its_place(out, capsys):
    other = out / "other"
    other.mkdir()
    path = other / "own.toml"
    path.write_text(OWN.replace('post = ["ReLU"]', 'after = ["ReLU"]'))
    command = ["ablate", str(path), "--device", "cpu", "--out", str(out)]
    assert main(command) == 2
    output = capsys.readouterr()
    assert "record of another configuration" in output.out + output.err


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_report_prints_the_unit_beside_its_name(out, language):
    lines = compare(load_records("own", out))
    table = errors_table(lines, Strings(language))
    assert [line.n for line in lines] == [2, 2]
    assert f"mine: {SPEC}" in [row[0] for row in table.body]


def test_an_own_row_has_the_same_color_and_marker_everywhere():
    assert color_of("mine") == color_of("mine") not in COLORS.values()
    assert marker_of("mine") == marker_of("mine") not in MARKERS.values()
    picture = error_by_rate(
        [0.1, 0.01],
        {row: np.array([[4.0, 2.0]]) for row in ("mine", "original")},
        Strings("en"),
    )
    assert color_of("mine") in picture.panels[0]
    assert color_of("original") in picture.panels[0]
