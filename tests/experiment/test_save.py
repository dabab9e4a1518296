"""`--save` never costs a file, and is refused before the first step."""

import shutil

import pytest

from preact import load
from preact.cli import main

PLACE = "train/digits/resnet-8-2-width-4/full-preactivation"
TRAIN = ["train", "--depth", "8", "--width", "4", "--batch", "8"]
TRAIN += ["--iterations", "3", "--device", "cpu", "--out"]
RECORD = f"{PLACE}/seed-1.json"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Folder with the record of the run, and its weights."""
    out = tmp_path_factory.mktemp("recorded")
    assert main([*TRAIN, str(out)]) == 0
    return out


@pytest.fixture
def copied(recorded, tmp_path):
    return shutil.copytree(recorded, tmp_path / "runs")


def everything(folder):
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def refused(capsys, out, save):
    """The one sentence; nothing is trained, nothing has changed."""
    before = everything(out.parent)
    capsys.readouterr()
    assert main([*TRAIN, str(out), "--save", str(save)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("preact: --save must name a ")
    assert told.err.count("\n") == 1
    assert everything(out.parent) == before
    return told.err


@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize(
    "name",
    [
        "seed-1.json",
        "seed-1.csv",
        "seed-1.checkpoints",
        "seed-1.checkpoints/checkpoint.pt",
        ".",
        "..",
    ],
)
def test_weights_do_not_go_where_the_run_itself_writes(
    capsys, recorded, tmp_path, name, is_recorded
):
    out = tmp_path / "runs"
    if is_recorded:
        shutil.copytree(recorded, out)
    said = refused(capsys, out, out / PLACE / name)
    assert "apart from the run's own" in said


@pytest.mark.parametrize(
    "content", [b"", b"A thesis.", b"[scientific]\nrows = ['original']\n"]
)
@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_file_that_is_no_weights_is_not_replaced(
    capsys, copied, tmp_path, content, is_recorded
):
    precious = tmp_path / "thesis.toml"
    precious.write_bytes(content)
    out = copied if is_recorded else tmp_path / "new"
    assert "is something else" in refused(capsys, out, precious)


def test_weights_of_another_run_are_not_replaced(capsys, copied, tmp_path):
    """Of another seed, be it beside its record."""
    assert main([*TRAIN, str(copied), "--seed", "2"]) == 0
    theirs = copied / PLACE / "seed-2.safetensors"
    for out in (copied, tmp_path / "new"):
        assert "is something else" in refused(capsys, out, theirs)


@pytest.mark.parametrize(
    "name", ["a file/y", "/proc/nowhere/y", "x" * 300, "folder", ""]
)
def test_a_place_where_no_file_can_be_is_refused(
    capsys, tmp_path, monkeypatch, name
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a file").write_text("mine")
    (tmp_path / "folder").mkdir()
    refused(capsys, tmp_path / "runs", name)


def test_weights_of_the_very_configuration_are_replaced(recorded, tmp_path):
    kept = (recorded / RECORD).with_suffix(".safetensors")
    save = shutil.copy(kept, tmp_path / "w")
    before = save.stat().st_ino
    assert main([*TRAIN, str(tmp_path / "new"), "--save", str(save)]) == 0
    assert save.read_bytes() == kept.read_bytes()
    assert save.stat().st_ino != before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new", "w"]


def spoil(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 16
    path.write_bytes(content)


def test_damaged_weights_are_not_copied(capsys, copied, tmp_path):
    spoil((copied / RECORD).with_suffix(".safetensors"))
    save = tmp_path / "w"
    assert main([*TRAIN, str(copied), "--save", str(save)]) == 2
    said = capsys.readouterr().err
    assert "seed-1.safetensors: the file is damaged" in said
    assert f"delete {copied / RECORD} to train again" in said
    assert not save.exists()


def test_a_damaged_copy_is_made_anew(copied, tmp_path):
    kept = (copied / RECORD).with_suffix(".safetensors")
    save = shutil.copy(kept, tmp_path / "w")
    spoil(save)
    assert main([*TRAIN, str(copied), "--save", str(save)]) == 0
    assert load(save).plan.depth == 8


def test_weights_of_a_later_run_are_not_those_of_the_record(
    capsys, copied, tmp_path
):
    assert main([*TRAIN, str(copied), "--seed", "2"]) == 0
    folder = copied / PLACE
    shutil.copy(folder / "seed-2.safetensors", folder / "seed-1.safetensors")
    save = tmp_path / "w"
    assert main([*TRAIN, str(copied), "--save", str(save)]) == 2
    assert "weights of another configuration" in capsys.readouterr().err
    assert not save.exists()


def test_another_configuration_is_told_by_the_fields_that_differ(
    capsys, recorded
):
    assert main([*TRAIN, str(recorded), "--lr", "0.05"]) == 2
    said = capsys.readouterr().err
    assert "another configuration (recipe.lr is 0.1 there, 0.05 here)" in said
    more = ["--lr", "0.05", "--channels-last", "--fast"]
    assert main([*TRAIN, str(recorded), *more]) == 2
    said = capsys.readouterr().err
    assert "execution.channels_last is False there, True here" in said
    assert "execution.fast is False there, True here" in said
