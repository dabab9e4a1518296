"""A checkpoint that is spoiled in any way gives way to the one before."""

import hashlib

import pytest
import torch

from preact.train.checkpoint import (
    HEAD,
    NAME,
    PREVIOUS,
    Checkpoints,
    read,
    to_bytes,
)

CONFIG = {"row": "mine", "unit": {"code_sha256": "a" * 64}, "seed": 1}
# os.system("touch bomb-went-off"), by hand
BOMB = b"cposix\nsystem\n(S'touch bomb-went-off'\ntR."


def state(at):
    return {
        "iteration": at,
        "session": {"weights": torch.arange(100.0)},
        "history": {},
    }


@pytest.fixture
def folder(tmp_path):
    """Two good checkpoints, of iterations 1 and 2."""
    checkpoints = Checkpoints(tmp_path / "work", CONFIG)
    for iteration in (1, 2):
        checkpoints.save(state(iteration))
    return tmp_path / "work"


def flipped(content):
    """One bit is another."""
    middle = len(content) // 2
    return content[:middle] + b"\x01" + content[middle + 1 :]


def signed(body):
    return HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


SPOILED = {
    "empty": lambda _: b"",
    "half": lambda content: content[: len(content) // 2],
    "a flipped bit": flipped,
    "of another version": lambda content: content.replace(HEAD, b"pre 0\n"),
    "a bomb": lambda _: BOMB,
    "a signed bomb": lambda _: signed(BOMB),
}


@pytest.mark.parametrize("kind", SPOILED)
def test_a_spoiled_checkpoint_gives_way_and_says_so(
    folder, caplog, kind, monkeypatch
):
    monkeypatch.chdir(folder)
    newest = folder / NAME
    newest.write_bytes(SPOILED[kind](newest.read_bytes()))
    checkpoints = Checkpoints(folder, CONFIG)
    assert checkpoints.load()["iteration"] == 1
    (warning,) = caplog.messages
    assert NAME in warning
    assert f"going on from iteration 1 of {PREVIOUS}" in warning
    assert "\n" not in warning
    assert not (folder / "bomb-went-off").exists()
    # what could not be read does not push out what could
    checkpoints.save(state(3))
    assert read(folder / PREVIOUS)["iteration"] == 1
    checkpoints.save(state(4))
    assert read(folder / PREVIOUS)["iteration"] == 3


@pytest.mark.parametrize("name", [NAME, PREVIOUS])
def test_one_checkpoint_alone_is_enough(folder, name):
    other = folder / (PREVIOUS if name == NAME else NAME)
    other.unlink()
    found = Checkpoints(folder, CONFIG).load()
    assert found["iteration"] == (2 if name == NAME else 1)
    assert torch.equal(found["session"]["weights"], torch.arange(100.0))


def test_two_spoiled_checkpoints_are_refused_with_the_reasons(folder):
    for name in (NAME, PREVIOUS):
        (folder / name).write_bytes(b"not a checkpoint")
    with pytest.raises(ValueError, match="no checkpoint can be read") as told:
        Checkpoints(folder, CONFIG).load()
    assert f"{folder / NAME}: is not a checkpoint" in str(told.value)
    assert f"{folder / PREVIOUS}: is not" in str(told.value)
    assert "delete the folder" in str(told.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"unit": {"code_sha256": "b" * 64}}, "code of its unit has changed"),
        ({"seed": 2}, "seed is 1 there, 2 here"),
    ],
)
def test_a_checkpoint_of_another_run_says_what_differs_and_what_to_do(
    folder, change, says
):
    with pytest.raises(ValueError, match=says) as told:
        Checkpoints(folder, CONFIG | change).load()
    assert f"delete {folder} to start anew" in str(told.value)


def test_a_checkpoint_that_has_no_configuration_is_still_read(folder):
    for name in (NAME, PREVIOUS):  # as those of 0.1.0
        kept = read(folder / name)
        del kept["config"]
        (folder / name).write_bytes(to_bytes(kept))
    assert Checkpoints(folder, CONFIG).load()["iteration"] == 2
    with pytest.raises(ValueError, match=r"another configuration \(by hash\)"):
        Checkpoints(folder, CONFIG | {"seed": 2}).load()
