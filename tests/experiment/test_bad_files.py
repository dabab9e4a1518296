"""What an experiment file may say; `wrong_input` has what it may not."""

import re
from pathlib import Path

import pytest

from preact.experiment import read_experiment
from preact.train import find_recipe

GOOD = """
[scientific]
rows = ["original"]
networks = [{ depth = 8, convs = 2 }]
[nuisance]
seeds = [1, 2]
[fixed]
recipe = "digits"
"""


def refused(path: Path) -> str:
    with pytest.raises(ValueError, match=re.escape(str(path))) as told:
        read_experiment(path)
    text = str(told.value)
    assert "\n" not in text
    assert len(text) < len(str(path)) + 700
    assert "pydantic" not in text
    assert "validation error" not in text
    return text


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "recipe_changes = { lr = 'a' }",
            "fixed.recipe_changes: lr must be a number; got 'a'",
        ),
        (
            "execution = { processes = 2 }",
            "fixed: execution.processes is counted when it runs (torchrun); "
            "got 2",
        ),
    ],
)
def test_a_sentence_says_file_key_value_and_legal_form(
    tmp_path, line, sentence
):
    path = tmp_path / "wrong.toml"
    path.write_text(GOOD + line)
    assert refused(path) == f"{path}: {sentence}"


@pytest.mark.parametrize("name", ["name", "lrr"])
def test_what_no_recipe_can_change_is_told_what_it_can(tmp_path, name):
    path = tmp_path / "wrong.toml"
    path.write_text(f"{GOOD}recipe_changes = {{ {name} = 0.1 }}")
    said = refused(path)
    assert "fixed.recipe_changes may say conventions, batch, ghost" in said
    assert said.endswith(f"; got '{name}'")
    assert " name," not in said


@pytest.mark.parametrize("row", ["5", "true", "['original']"])
def test_a_row_is_a_name_or_a_table(tmp_path, row):
    path = tmp_path / "wrong.toml"
    path.write_text(GOOD.replace('["original"]', f"[{row}]"))
    value = row.replace("true", "True")
    assert refused(path) == (
        f"{path}: scientific.rows[0] must be a row's name in quotes, or a "
        f"table; got {value}"
    )


def test_a_byte_order_mark_is_read_over(tmp_path):
    path = tmp_path / "notepad.toml"
    path.write_text(GOOD, "utf-8-sig")
    assert read_experiment(path).recipes == (find_recipe("digits"),)


def test_an_own_unit_stands_in_a_file_with_all_that_a_spec_has(tmp_path):
    path = tmp_path / "own.toml"
    unit = (
        '[{ name = "mine", pre = ["BN"], post = ["ReLU"], on_shortcut = '
        "{ gate = -2.0, complement = true }, on_branch = { gate = -2.0 } }]"
    )
    path.write_text(GOOD.replace('["original"]', unit))
    spec = read_experiment(path).rows["mine"]
    assert str(spec) == (
        "BN conv BN ReLU conv ReLU (+), 1-g(x) on shortcut, g(x) on F, "
        "initial bias -2"
    )


def test_an_own_unit_that_is_none_is_refused(tmp_path):
    for unit, message in [
        ('pre = ["BN"]', "name is missing"),
        ('name = "original"', "name must be one of its own"),
        ('name = "../x"', "name must be letters"),
        ('name = "a", pre = ["BM"]', r"pre\[0\] must be one of 'BN'"),
        (
            'name = "a", pre = ["BN", "BN"]',
            "pre must have BN and ReLU once each at most; got BN, BN",
        ),
        ('name = "a", per = ["BN"]', "may say pre, post, after"),
        ('name = "a", on_branch = { dropout = 0.5 }', "a scale or a gate"),
        ('name = "a", on_branch = { gate = 1.0 }', "needs its complement"),
        ('name = "a", on_shortcut = { scale = nan }', "finite number"),
        ('name = "a", on_shortcut = { dropout = 1.5 }', "between 0 and 1"),
        ('name = "a", on_shortcut = {}', "exactly one of scale, gate"),
        ('name = "a", on_shortcut = { gate = 0.0, design = "x" }', "design"),
        *(
            (f'name = "a", on_shortcut = {{ {factor}, {rest} }}', "of a gate")
            for factor in ("scale = 0.5", "dropout = 0.5", "conv1x1 = true")
            for rest in ("complement = true", 'design = "two conv3x3"')
        ),
    ]:
        path = tmp_path / "own.toml"
        path.write_text(GOOD.replace('["original"]', f"[{{ {unit} }}]"))
        told = refused(path)
        assert re.search(message, told)
        assert "scientific.rows[0]" in told
