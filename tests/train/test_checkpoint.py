"""A checkpoint that is odd in any way gives way to the one before."""

import errno
import hashlib
import io
import os
import zipfile
from dataclasses import replace

import pytest
import torch

from preact.data import load
from preact.train import Run, find_recipe, train
from preact.train.checkpoint import (
    HEAD,
    NAME,
    PREVIOUS,
    WRITING,
    Checkpoints,
    clear,
    read,
    to_bytes,
)

HASH = "a" * 64


def state(at, **changes):
    plain = {
        "iteration": at,
        "session": {"weights": torch.arange(100.0)},
        "history": {},
        "config_sha256": HASH,
    }
    return {k: v for k, v in (plain | changes).items() if v is not None}


@pytest.fixture
def folder(tmp_path):
    """Two good checkpoints, of iterations 1 and 2."""
    checkpoints = Checkpoints(tmp_path / "work", HASH)
    for iteration in (1, 2):
        checkpoints.save(state(iteration))
    return tmp_path / "work"


def restored(folder):
    states = []
    Checkpoints(folder, HASH).load(states.append)
    return [each["iteration"] for each in states]


def test_a_bad_newest_checkpoint_gives_way_and_says_so(folder, caplog):
    """Every way to spoil one stands in `wrong_input`."""
    (folder / NAME).write_bytes((folder / NAME).read_bytes()[:-1])
    assert restored(folder) == [1]
    (warning,) = caplog.messages
    assert NAME in warning
    assert f"going on from iteration 1 of {PREVIOUS}" in warning
    assert "\n" not in warning


@pytest.mark.parametrize("kind", ["FIFO", "link to a file", "folder"])
def test_what_is_no_ordinary_file_is_neither_followed_nor_awaited(
    folder, tmp_path, kind
):
    (folder / NAME).unlink()
    if kind == "FIFO":
        os.mkfifo(folder / NAME)
    elif kind == "folder":
        (folder / NAME).mkdir()
    else:
        (tmp_path / "secret").write_text("root:x:0:0")
        (folder / NAME).symlink_to(tmp_path / "secret")
    assert restored(folder) == [1]


def test_a_state_that_cannot_be_restored_gives_way(folder, caplog):
    iterations = []

    def restore(kept):
        if kept["iteration"] == 2:
            raise KeyError("units.7.weight")
        iterations.append(kept["iteration"])

    Checkpoints(folder, HASH).load(restore)
    assert iterations == [1]
    assert "units.7.weight" in caplog.text


# os.system("touch bomb-went-off"), by hand
BOMB = b"cposix\nsystem\n(S'touch bomb-went-off'\ntR."


def zipped(pickle):
    """As torch packs it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a/data.pkl", pickle)
        archive.writestr("a/version", "3\n")
    return out.getvalue()


@pytest.mark.parametrize("body", [BOMB, zipped(BOMB), b"PK\5\6" + bytes(18)])
def test_what_is_signed_and_no_state_is_told_in_our_words(
    folder, tmp_path, monkeypatch, body
):
    monkeypatch.chdir(tmp_path)
    digest = hashlib.sha256(body).hexdigest().encode()
    (folder / NAME).write_bytes(HEAD + digest + b"\n" + body)
    with pytest.raises(ValueError, match="holds something else than tens"):
        read(folder / NAME)
    assert not (tmp_path / "bomb-went-off").exists()


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A run, and its folder with the checkpoint of its last iteration."""
    recipe = replace(
        find_recipe("digits"), iterations=1, batch=8, ghost_batch=8
    )
    run = Run(
        row="original",
        depth=8,
        convs=2,
        width=4,
        recipe=recipe,
        data=load("digits"),
    )
    folder = tmp_path_factory.mktemp("begun")
    train(run, folder)
    return run, folder


@pytest.mark.parametrize(
    ("part", "change", "says"),
    [
        (None, lambda session: session.pop("scaler"), "lacks 'scaler'"),
        (
            "network",
            lambda network: network.pop("classifier.bias"),
            "holds tensors of other names or shapes",
        ),
        (
            "network",
            lambda network: network.update(
                {"classifier.bias": torch.zeros(3)}
            ),
            "holds tensors of other names or shapes",
        ),
        (
            None,
            lambda session: session.update(sums=torch.zeros(2)),
            "holds tensors of other names or shapes",
        ),
        (
            None,
            lambda session: session.update(network=5),
            "holds values of another kind",
        ),
    ],
)
def test_a_state_of_another_network_is_told_in_our_words(
    begun, tmp_path, part, change, says
):
    run, folder = begun
    kept = read(folder / NAME)
    change(kept["session"][part] if part else kept["session"])
    (tmp_path / NAME).write_bytes(to_bytes(kept))
    with pytest.raises(ValueError, match="no checkpoint can be read") as told:
        train(run, tmp_path)
    assert f"{NAME}: {says}; delete the folder" in str(told.value)


def test_what_could_not_be_read_does_not_push_out_what_could(folder):
    (folder / NAME).write_bytes(b"")
    checkpoints = Checkpoints(folder, HASH)
    checkpoints.load(lambda _: None)
    checkpoints.save(state(3))
    assert [read(folder / n)["iteration"] for n in (NAME, PREVIOUS)] == [3, 1]


def test_a_draft_that_is_a_link_is_not_written_through(folder, tmp_path):
    (tmp_path / "precious").write_text("mine")
    (folder / WRITING).symlink_to(tmp_path / "precious")
    Checkpoints(folder, HASH).save(state(3))
    assert (tmp_path / "precious").read_text() == "mine"
    assert restored(folder) == [3]


def test_a_checkpoint_of_another_run_is_refused(folder):
    with pytest.raises(ValueError, match="another configuration"):
        Checkpoints(folder, "b" * 64).load(lambda _: None)


def test_clearing_spares_foreign_files_and_minds_no_race(folder, tmp_path):
    (folder / "notes.txt").write_text("mine")
    clear(folder)
    assert [p.name for p in folder.iterdir()] == ["notes.txt"]
    clear(tmp_path / "gone")


def test_another_error_than_a_full_disk_keeps_its_name(folder, monkeypatch):
    def fails(_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="Input/output"):
        Checkpoints(folder, HASH).save(state(3))
    assert restored(folder) == [2]
