import json

import pytest

from preact.cli import main
from preact.records import FIELDS, read_record, write_record


@pytest.fixture
def trained(tmp_path, capsys):
    """A tiny run from the command line, and its record."""
    command = ["train", "--depth", "8", "--iterations", "30"]
    command += ["--device", "cpu", "--out", str(tmp_path)]
    assert main(command) == 0
    (path,) = tmp_path.rglob("*.json")
    capsys.readouterr()
    return command, path


def test_a_run_leaves_a_record_and_its_curve_and_nothing_else(
    trained, tmp_path
):
    _, path = trained
    record = read_record(path)
    assert record["outcome"] == "finished"
    assert record["test_error_is"] == "last iteration"
    assert record["spec"] == "BN ReLU conv BN ReLU conv (+)"
    assert record["config"]["protocol"]["iterations"] == 30
    assert path.relative_to(tmp_path).parts == (
        "train",
        "digits",
        "resnet-8-2",
        "full-preactivation",
        "seed-1.json",
    )
    lines = path.with_suffix(".csv").read_text().splitlines()
    assert lines[0] == "iteration,lr,loss,train_error_pct,test_error_pct"
    assert [line.split(",")[0] for line in lines[1:]] == ["20", "30"]
    assert sorted(p.name for p in path.parent.iterdir()) == [
        "seed-1.csv",
        "seed-1.json",
    ]


def test_a_recorded_run_is_not_repeated(trained, capsys):
    command, path = trained
    before = path.read_bytes()
    assert main(command) == 0
    assert "already recorded" in capsys.readouterr().out
    assert path.read_bytes() == before


def test_another_configuration_does_not_take_a_records_place(trained, capsys):
    command, _ = trained
    assert main([*command, "--iterations", "31"]) == 2
    assert "record of another configuration" in capsys.readouterr().err


def test_two_runs_cannot_write_one_record(trained):
    _, path = trained
    record = read_record(path)
    with pytest.raises(FileExistsError):
        write_record(path, record, [])
    assert read_record(path) == record


@pytest.mark.parametrize("field", FIELDS)
def test_a_record_without_a_field_is_refused(trained, field):
    _, path = trained
    record = read_record(path)
    del record[field]
    with pytest.raises(ValueError, match=f"a record must have '{field}'"):
        write_record(path.with_name("other.json"), record, [])
    assert not path.with_name("other.json").exists()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("outcome", "crashed", "outcome must be finished or diverged"),
        ("test_error_pct", float("nan"), "test_error_pct must be finite"),
        ("depth", "110", "depth must be"),
    ],
)
def test_a_record_with_a_wrong_value_is_refused(
    trained, field, value, message
):
    _, path = trained
    broken = {**read_record(path), field: value}
    with pytest.raises(ValueError, match=message):
        write_record(path.with_name("other.json"), broken, [])


def test_a_file_that_is_no_record_is_named(tmp_path):
    path = tmp_path / "seed-1.json"
    path.write_text("{")
    with pytest.raises(ValueError, match="is not JSON"):
        read_record(path)
    path.write_text(json.dumps({"row": "original"}))
    with pytest.raises(ValueError, match="must have 'experiment'"):
        read_record(path)
