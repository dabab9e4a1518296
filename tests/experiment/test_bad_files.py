"""Whatever is wrong in an experiment file is one sentence before training."""

import os
import re
from pathlib import Path

import pytest

from preact.experiment import read_experiment
from preact.train import find_recipe
from sampled import sampled

GOOD = """
[scientific]
rows = ["original"]
networks = [{ depth = 8, convs = 2 }]
[nuisance]
seeds = [1, 2]
[fixed]
recipe = "digits"
"""

# What stands for a value of each kind, and means nothing there.
NO_TABLE = ["5", "true", '"x"', "[1]", "1.5"]
NO_LIST = ["5", "true", '"x"', "{ a = 1 }"]
NO_TEXT = ["5", "true", "[1]", "{ a = 1 }"]
NO_INT = ['"8"', "8.0", "true", "nan", "[8]"]
NO_FLOAT = ['"a"', "true", "nan", "inf", "-1", "[0.1]"]
NO_BOOL = ['"false"', '"no"', "0", "1", "1.0"]


def cases():
    """(the text that is wrong, the key that the answer must name)."""

    def section(name, keys):
        for value in keys:
            yield f"{name} = {value}\n", name

    yield from section("scientific", NO_TABLE)
    for key in ("nuisance", "fixed"):
        for value in NO_TABLE:
            body = GOOD.split(f"[{key}]")[0]
            if key == "nuisance":
                body += '[fixed]\nrecipe = "digits"\n'
            yield f"{key} = {value}\n{body}", key
    for value in NO_LIST:
        yield GOOD.replace('["original"]', value), "rows"
        yield GOOD.replace("[{ depth = 8, convs = 2 }]", value), "networks"
        yield GOOD.replace("[1, 2]", value), "seeds"
        yield GOOD + f"recipe_changes = {{ drop_at = {value} }}", "drop_at"
        yield f"deviation = {value}\n{GOOD}", "deviation"
    for value in ("[]", "[5]", "[[]]", '["orignal"]', "[true]"):
        yield GOOD.replace('["original"]', value), "row"
    for value in ("[]", "[20]", "[{}]", "[{ depth = 8 }]", "[{ convs = 2 }]"):
        yield GOOD.replace("[{ depth = 8, convs = 2 }]", value), "networks"
    for value in (*NO_INT, "0", "-8", "2", "60000002", "90000002"):
        yield GOOD.replace("depth = 8", f"depth = {value}"), "depth"
    for value in (*NO_INT, "0", "4"):
        yield GOOD.replace("convs = 2", f"convs = {value}"), "convs"
    for value in (*NO_INT, "0", "-4", "1000000", "1" + "0" * 18):
        text = GOOD.replace("convs = 2", f"convs = 2, width = {value}")
        yield text, "width"
    for value in ("[]", "[1, 1]", "[true]", "[1.0]", "[-1]", f"[{2**63}]"):
        yield GOOD.replace("[1, 2]", value), "seeds"
        text = GOOD.replace("convs = 2", f"convs = 2, seeds = {value}")
        yield text, "seeds"
    for value in (*NO_LIST, '["yes"]', "[1]", "[]"):
        text = GOOD.replace("[nuisance]", f"final_bn = {value}\n[nuisance]")
        yield text, "final_bn"
    for value in (*NO_TEXT, '"digit"'):
        yield GOOD.replace('"digits"', value), "recipe"
        yield GOOD + f"data = {value}", "data"
    for value in NO_TEXT:
        yield f"title = {value}\n{GOOD}", "title"
    for value in NO_TABLE:
        yield GOOD + f"execution = {value}", "execution"
        yield GOOD + f"recipe_changes = {value}", "recipe_changes"

    def change(key, value):
        return GOOD + f"recipe_changes = {{ {key} = {value} }}", key

    for key in ("batch", "ghost_batch", "iterations"):
        for value in (*NO_INT, "0", "-64", "12.5", "1" + "0" * 12):
            yield change(key, value)
    for key in ("warmup_iterations", "pad"):
        for value in (*NO_INT, "-1", "1.5"):
            yield change(key, value)
    for key in ("lr", "warmup_lr", "momentum", "weight_decay"):
        for value in NO_FLOAT:
            yield change(key, value)
    yield from (change("momentum", "2"), change("momentum", "1.0"))
    for value in (*NO_FLOAT, "2.0"):
        yield change("label_smoothing", value)
    for value in ("[-5]", '["a"]', "[0]", "[1.5]", "[true]"):
        yield change("drop_at", value)
    for key in ("flip", "nesterov", "pad_before_normalization"):
        for value in NO_BOOL:
            yield change(key, value)
    for key in ("conventions", "schedule", "decayed", "normalization"):
        for value in (*NO_TEXT, '"ours"'):
            yield change(key, value)
    yield from (change("name", '"x"'), change("epochs", "5"))
    for key in ("channels_last", "fast"):
        for value in NO_BOOL:
            yield GOOD + f"execution = {{ {key} = {value} }}", key
    for key in ("precision", "memory"):
        for value in (*NO_TEXT, '"ours"'):
            yield GOOD + f"execution = {{ {key} = {value} }}", key
    for text in ("fast = true", "processes = 2", "treads = 2"):
        yield GOOD + f"execution = {{ {text} }}", text.split()[0]
    for text in ("from = 1", 'from = "a"', 'form = "a"'):
        yield GOOD + f"[[deviation]]\n{text}", "deviation"


CASES = list(cases())


def refused(path: Path) -> str:
    with pytest.raises(ValueError, match=re.escape(str(path))) as told:
        read_experiment(path)
    text = str(told.value)
    assert "\n" not in text
    assert len(text) < len(str(path)) + 700
    assert "pydantic" not in text
    assert "validation error" not in text
    return text


def test_the_file_that_the_others_spoil_is_good(tmp_path):
    path = tmp_path / "good.toml"
    path.write_text(GOOD)
    assert list(read_experiment(path).rows) == ["original"]
    assert len(CASES) > 250


@pytest.mark.parametrize(("text", "key"), [*sampled(CASES, 5)])
def test_a_wrong_value_is_answered_with_file_and_key(tmp_path, text, key):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    assert key in refused(path).removeprefix(str(path))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "recipe_changes = { lr = 'a' }",
            "fixed.recipe_changes: lr must be a number; got 'a'",
        ),
        (
            "recipe_changes = { name = 'a' }",
            "fixed.recipe_changes cannot change the name",
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "scientific is missing"),
        (b"\xff\xfe\x00", "must be UTF-8"),
        (b"\x80abc", "must be UTF-8"),
        (b"[scientific", "is not TOML"),
        (b"a = " + b"[" * 20_000 + b"]" * 20_000, "too deeply"),
        (b"a = 1" + b"0" * 5000, "is not TOML"),
        (b"a = 1\na = 2", "is not TOML"),
        (b"\x00", "is not TOML"),
        (b"[nusance]", "scientific"),
    ],
)
def test_a_file_that_is_none_is_named(tmp_path, content, message):
    path = tmp_path / "wrong.toml"
    path.write_bytes(content)
    assert message in refused(path)


@pytest.mark.parametrize("name", ["...toml", "a b.toml", "-x.toml"])
def test_a_name_that_could_leave_the_folder_is_refused(tmp_path, name):
    path = tmp_path / name
    path.write_text(GOOD)
    assert "name must be letters" in refused(path)


def test_what_is_no_regular_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "wrong.toml")
    assert "regular file" in refused(tmp_path / "wrong.toml")
    (tmp_path / "folder.toml").mkdir()
    assert "regular file" in refused(tmp_path / "folder.toml")


def test_a_byte_order_mark_is_read_over(tmp_path):
    path = tmp_path / "notepad.toml"
    path.write_text(GOOD, "utf-8-sig")
    assert read_experiment(path).recipe == find_recipe("digits")


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


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        ('pre = ["BN"]', "name is missing"),
        ('name = "original"', "name must be one of its own"),
        ('name = "../x"', "name must be letters"),
        ('name = "a", pre = ["BM"]', r"pre\[0\] must be one of 'BN'"),
        (
            'name = "a", pre = ["BN", "BN"]',
            "pre must have BN and ReLU once each at most; got BN, BN",
        ),
        ('name = "a", pre = "BN"', "pre must be a list"),
        ('name = "a", per = ["BN"]', "may say pre, post, after"),
        ('name = "a", on_branch = { dropout = 0.5 }', "a scale or a gate"),
        ('name = "a", on_branch = { gate = 1.0 }', "needs its complement"),
        ('name = "a", on_shortcut = { scale = nan }', "finite number"),
        ('name = "a", on_shortcut = { dropout = 1.5 }', "between 0 and 1"),
        ('name = "a", on_shortcut = 0.5', "on_shortcut must be a table"),
        ('name = "a", on_shortcut = {}', "exactly one of scale, gate"),
        ('name = "a", on_shortcut = { gate = 0.0, design = "x" }', "design"),
        *(
            (f'name = "a", on_shortcut = {{ {factor}, {rest} }}', "of a gate")
            for factor in ("scale = 0.5", "dropout = 0.5", "conv1x1 = true")
            for rest in ("complement = true", 'design = "two conv3x3"')
        ),
    ],
)
def test_an_own_unit_that_is_none_is_refused(tmp_path, unit, message):
    path = tmp_path / "own.toml"
    path.write_text(GOOD.replace('["original"]', f"[{{ {unit} }}]"))
    told = refused(path)
    assert re.search(message, told)
    assert "scientific.rows[0]" in told
