"""What an experiment file may say, and the runs that it means."""

from pathlib import Path

import pytest

from preact.data import ImageFolder, load
from preact.experiment import planned_runs, read_experiment, shipped
from preact.paper import results
from preact.spec import BN, RELU, find_row

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
    path.write_text(text)
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


def test_a_list_of_learning_rates_is_an_axis_of_the_matrix(tmp_path):
    text = SMALL.replace("[nuisance]", "lr = [0.1, 0.03]\n[nuisance]")
    experiment = read_experiment(written(tmp_path, text))
    found = list(planned_runs(experiment, load("digits")))
    assert [c.run.recipe.lr for c in found] == [0.1, 0.03] * 8
    names = [c.path.parent.name for c in found[:2]]
    assert names == ["original.tail-bn.lr-0.1", "original.tail-bn.lr-0.03"]


def test_a_learning_rate_is_listed_or_changed_but_not_both(tmp_path):
    text = SMALL.replace("[nuisance]", "lr = [0.1, 0.03]\n[nuisance]")
    text += "recipe_changes = { lr = 0.01 }\n"
    with pytest.raises(ValueError, match="lr is either in"):
        read_experiment(written(tmp_path, text))


def test_a_final_bn_is_the_only_thing_that_its_switch_moves(tmp_path):
    experiment = read_experiment(written(tmp_path, SMALL))
    tails = {
        (c.run.row, c.run.tail)
        for c in planned_runs(experiment, load("digits"))
    }
    assert tails == {
        ("original", (BN,)),
        ("original", ()),
        ("full-preactivation", (BN, RELU)),
        ("full-preactivation", (RELU,)),
    }


def test_table_1_is_every_printed_row_with_its_searched_row_written_out():
    experiment = read_experiment(Path("digits_table_1"))
    printed = {result.row for result in results(1)}
    assert len(experiment.rows) == len(printed) + 5 == 16
    for row in experiment.rows:
        find_row(row)


def test_a_network_may_have_seeds_of_its_own():
    experiment = read_experiment(Path("digits_depth"))
    seeds = {n.depth: n.seeds for n in experiment.networks}
    assert seeds[1001] == (1, 2, 3)
    assert seeds[110] == (1, 2, 3, 4, 5)


def test_an_experiment_of_the_package_is_found_by_name_from_anywhere(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table_1").mkdir()  # a folder of records, say
    for name in ("table_1", "table_1.toml"):
        assert read_experiment(Path(name)).name == "table_1"


def test_a_file_of_ones_own_goes_before_one_of_the_package(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("table_1.toml").write_text(SMALL)
    assert len(read_experiment(Path("table_1.toml")).rows) == 2
    assert len(read_experiment(Path("table_1")).rows) == 16


@pytest.mark.parametrize(
    "name", ["tabel_2", "experiments/table_2.toml", "table_22.toml"]
)
def test_an_unknown_name_is_answered_with_those_that_there_are(name):
    with pytest.raises(FileNotFoundError) as told:
        read_experiment(Path(name))
    sentence = str(told.value)
    assert sentence.startswith(f"{name} does not exist; experiments of the")
    near, names = sentence.split("(near it: ")[1].split("): ")
    assert "table_2" in near
    assert names.split(", ") == list(shipped())


def test_a_file_that_means_nothing_is_answered_in_a_sentence(tmp_path):
    for change, message in [
        (("[nuisance]", "[nusance]"), "the file may say title, scientific"),
        (("seeds =", "sedes ="), "nuisance may say seeds; got 'sedes'"),
        (("[1, 2]", "[1, 1]"), r"distinct whole numbers.*got \[1, 1\]"),
        (("original", "orignal"), "row must be a key .* got 'orignal'"),
        (("rows = [", "rows = [] # ["), "rows must be a list of at least"),
        (("depth", "depht"), r"networks\[0\] may say depth, convs"),
        (("[true, false]", '["yes"]'), r"final_bn\[0\] must be one of"),
        (('"digits"', '"digit"'), "recipe must be one of"),
        (("[scientific]", "[scientific"), "is not TOML"),
        (
            ("[fixed]", "[fixed]\nexecution = { processes = 2 }"),
            r"processes is counted when it runs \(torchrun\); got 2",
        ),
    ]:
        path = written(tmp_path, SMALL.replace(*change))
        with pytest.raises(ValueError, match=message) as told:
            read_experiment(path)
        assert str(path) in str(told.value)


def test_a_deviation_says_from_what_to_what_and_why(tmp_path):
    text = SMALL + '[[deviation]]\nfrom = "a"\nto = "b"\n'
    with pytest.raises(ValueError, match="why is missing; legal keys"):
        read_experiment(written(tmp_path, text))


def test_changes_of_the_protocol_are_changes_of_known_fields(tmp_path):
    text = SMALL + "recipe_changes = { iterations = 5, drop_at = [3] }\n"
    recipe = read_experiment(written(tmp_path, text)).recipes[0]
    assert (recipe.iterations, recipe.drop_at) == (5, (3,))
    text = SMALL + "recipe_changes = { epochs = 5 }\n"
    with pytest.raises(ValueError, match="got 'epochs'"):
        read_experiment(written(tmp_path, text))
