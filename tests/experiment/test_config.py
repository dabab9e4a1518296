"""What an experiment file may say, what it may not, and the runs it means."""

import re
from pathlib import Path

import pytest

from paths import ROOT
from preact.cli import main
from preact.data import load
from preact.data.folders import ImageFolder
from preact.experiment import read_experiment
from preact.experiment.config import ExperimentFile, shipped
from preact.experiment.matrix import count_runs, planned_runs
from preact.paper import results
from preact.spec import BN, RELU
from preact.train import Recipe
from preact.typed import schema

SMALL = """
[scientific]
rows = ["original", "full-preactivation"]
networks = [{ depth = 8, convs = 2, width = 4 }]
final_bn = [true, false]
[nuisance]
seeds = [1, 2]
[fixed]
recipe = "digits"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "small.toml"
    path.write_text(text, "utf-8")
    return path


def test_every_experiment_of_the_project_can_be_read_and_planned():
    for path in shipped().values():
        experiment = read_experiment(path)
        folder = ImageFolder(
            name="imagenet",
            label="ImageNet",
            root=path.parent,
            size=224,
            classes=1000,
            train_files=(),
            test_files=(),
        )
        data = folder if experiment.data == "imagenet" else load("digits")
        found = list(planned_runs(experiment, data))
        assert found
        assert len({planned.path for planned in found}) == len(found)
        assert count_runs(experiment) == len(found)
        for planned in found[:2]:
            assert planned.run.plan.depth == planned.run.depth


def test_the_matrix_is_rows_by_tails_by_seeds_first_seeds_first(tmp_path):
    experiment = read_experiment(written(tmp_path, SMALL))
    found = list(planned_runs(experiment, load("digits")))
    assert [c.run.seed for c in found] == [1] * 4 + [2] * 4
    assert [str(c.path.relative_to("small/digits")) for c in found[:4]] == [
        "resnet-8-2-width-4/original.tail-bn/seed-1.json",
        "resnet-8-2-width-4/original/seed-1.json",
        "resnet-8-2-width-4/full-preactivation/seed-1.json",
        "resnet-8-2-width-4/full-preactivation.tail-relu/seed-1.json",
    ]
    assert [c.run.tail for c in found[:4]] == [(BN,), None, None, (RELU,)]
    once = SMALL.replace("[nuisance]\nseeds = [1, 2]\n", "")
    experiment = read_experiment(written(tmp_path, once))
    runs = planned_runs(experiment, load("digits"))
    assert [planned.run.seed for planned in runs] == [1] * 4


def test_a_list_of_learning_rates_is_an_axis_of_the_matrix(tmp_path):
    text = SMALL.replace("[nuisance]", "lr = [0.1, 0.03]\n[nuisance]")
    experiment = read_experiment(written(tmp_path, text))
    found = list(planned_runs(experiment, load("digits")))
    assert [c.run.recipe.lr for c in found] == [0.1, 0.03] * 8
    names = [c.path.parent.name for c in found[:2]]
    assert names == ["original.tail-bn.lr-0.1", "original.tail-bn.lr-0.03"]
    swapped = text.replace("[0.1, 0.03]", "[0.03, 0.1]")
    assert read_experiment(written(tmp_path, swapped)).deviations == ()
    text += "recipe_changes = { lr = 0.01 }\n"
    with pytest.raises(ValueError, match="lr is either in"):
        read_experiment(written(tmp_path, text))


def test_table_1_is_every_printed_row_with_its_searched_row_written_out():
    experiment = read_experiment("digits_table_1")
    printed = {result.row for result in results(1)}
    assert len(experiment.rows) == len(printed) + 5 == 16
    seeds = {
        n.depth: n.seeds for n in read_experiment("digits_depth").networks
    }
    assert (seeds[1001], seeds[110]) == ((1, 2, 3), (1, 2, 3, 4, 5))


def test_a_name_is_the_package_s_unless_there_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table_1").mkdir()  # a folder of records, say
    for name in ("table_1", "table_1.toml"):
        assert read_experiment(name).name == "table_1"
    # with a byte order mark, as some editors write it
    Path("table_1.toml").write_text(SMALL, "utf-8-sig")
    assert len(read_experiment("table_1.toml").rows) == 2
    assert len(read_experiment("table_1").rows) == 16


@pytest.mark.parametrize(
    "name", ["tabel_2", "experiments/table_2.toml", "table_22.toml"]
)
def test_an_unknown_name_is_answered_with_those_that_there_are(name):
    with pytest.raises(FileNotFoundError) as told:
        read_experiment(name)
    sentence = str(told.value)
    assert sentence.startswith(f"{name} does not exist; experiments of the")
    near, names = sentence.split("(near it: ")[1].split("): ")
    assert "table_2" in near
    assert names.split(", ") == list(shipped())


def test_an_own_unit_has_all_that_a_spec_has(tmp_path):
    unit = (
        '{ name = "mine", pre = ["BN"], post = ["ReLU"], on_shortcut = '
        "{ gate = -2.0, complement = true }, on_branch = { gate = -2.0 } }"
    )
    path = written(tmp_path, SMALL.replace('"original"', unit))
    assert str(read_experiment(path).rows["mine"]) == (
        "BN conv BN ReLU conv ReLU (+), 1-g(x) on shortcut, g(x) on F, "
        "initial bias -2"
    )


def test_the_page_on_the_files_has_every_key_and_a_file_that_is_read(tmp_path):
    page = (ROOT / "docs/experiments.md").read_text("utf-8")
    keys = set()
    for kind in (ExperimentFile, Recipe):
        whole = schema(kind)
        for table in (whole, *whole.get("$defs", {}).values()):
            keys |= set(table.get("properties", {}))
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == keys
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    experiment = read_experiment(written(tmp_path, text))
    assert [*experiment.rows] == ["original", "full-preactivation", "mine"]


WRONG = {
    "scientific = 5": "scientific must be a table",
    "scientific.rows = []": "rows must be a list of at least 1",
    "scientific.rows = [5]": "rows[0] must be a row's name in quotes, or a t",
    "scientific.rows = ['orignal']": "near it: original",
    "scientific.networks = [{ depth = 8 }]": "networks[0].convs is missing",
    "scientific.networks = [{ depth = '8', convs = 2 }]": "whole number; got",
    "scientific.networks = [{ depth = 9, convs = 2 }]": "depth must be 6n + 2",
    "scientific.networks = [{ depht = 8, convs = 2 }]": "may say depth, convs",
    'scientific.networks = [{ "\\u001b[31m" = 1 }]': "may say depth, convs",
    "scientific.lr = [-0.1]": "scientific.lr: lr must be greater than 0; got",
    "scientific.final_bn = ['yes']": "final_bn[0] must be one of",
    "nusance.seeds = [1]": "the file may say title, scientific",
    "nuisance.seeds = [1, 1]": "distinct whole numbers",
    "fixed.data = '../data'": "must be one of",
    "fixed.recipe = 'digit'": "recipe must be one of",
    "fixed.recipe_changes = { lrr = 1 }": "may say conventions, batch, ghost",
    "fixed.recipe_changes = { name = 'x' }": "may say conventions, batch, gh",
    "fixed.recipe_changes = { batch = 65 }": "multiple of ghost_batch; got 65",
    "fixed.execution = { processes = 2 }": "is counted when it runs (torchrun",
    'title = "\\u001b[31m"': "control characters",
    **{
        f"scientific.rows = [{{ {unit} }}]": says
        for unit, says in {
            'name = "original"': "name must be one of its own",
            'name = "../x"': "name must be letters",
            'name = "a", pre = ["BN", "BN"]': "BN and ReLU once each at most",
            'name = "a", per = ["BN"]': "pre, post, after, on_shortcut, on_",
            'name = "a", mkae = "own:Unit"': "name, make, like; got 'mkae'",
            'name = "a", make = "torch:ones", pre = []': "pre must not stand "
            "beside make",
            'name = "a", like = "original", pre = []': "like must not stand "
            "beside pre, post, after or a factor",
            'name = "a", like = "original", mak = "x:y"': "got 'mak'",
            'name = "a", like = "original"': "make must be",
            'name = "a"': "make must be",
            'name = "a", on_branch = { gate = 1.0 }': "needs its complement",
            'name = "a", on_shortcut = {}': "exactly one of scale, gate",
        }.items()
    },
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_file_is_one_sentence_that_names_it(tmp_path, line):
    good = {
        "scientific.rows": '["original"]',
        "scientific.networks": "[{ depth = 8, convs = 2, width = 4 }]",
    }
    key = line.partition(" =")[0]
    kept = [
        f"{name} = {value}"
        for name, value in good.items()
        if name != key and not name.startswith(f"{key}.")
    ]
    path = written(tmp_path, "\n".join([line, *kept]))
    with pytest.raises(ValueError, match=r"^[^\n]*\Z") as told:
        read_experiment(path)
    said = str(told.value)
    assert said.startswith(str(path))
    assert WRONG[line] in said
    assert "pydantic" not in said


def test_a_misspelt_key_is_not_said_to_be_excluded(tmp_path):
    row = '[scientific]\nrows = [{ name = "a", pos = [] }]'
    with pytest.raises(ValueError, match=r"make, like; got 'pos'\Z"):
        read_experiment(written(tmp_path, row))


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\0", b"a = " + b"[" * 20_000, b"[scientific"]
)
def test_what_is_no_experiment_file_is_named(tmp_path, capsys, content):
    path = tmp_path / "wrong.toml"
    path.write_bytes(content)
    assert main(["ablate", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"preact: {path}")
    assert error.count("\n") == 1
