"""A checkpoint that is spoiled in any way, or another run's, is refused."""

import hashlib

import pytest
import torch

from preact.train.checkpoint import (
    HEAD,
    NAME,
    Checkpoint,
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
    """A good checkpoint, of iteration 2."""
    checkpoint = Checkpoint(tmp_path / "work", CONFIG)
    for iteration in (1, 2):
        checkpoint.save(state(iteration))
    return tmp_path / "work"


def test_a_checkpoint_takes_the_place_of_the_one_before(folder):
    assert [path.name for path in folder.iterdir()] == [NAME]
    found = Checkpoint(folder, CONFIG).load()
    assert found["iteration"] == 2
    assert torch.equal(found["session"]["weights"], torch.arange(100.0))


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
def test_a_spoiled_checkpoint_is_refused_and_runs_nothing(
    folder, kind, monkeypatch
):
    monkeypatch.chdir(folder)
    newest = folder / NAME
    newest.write_bytes(SPOILED[kind](newest.read_bytes()))
    with pytest.raises(ValueError, match="to start anew") as told:
        Checkpoint(folder, CONFIG).load()
    assert str(newest) in str(told.value)
    assert "\n" not in str(told.value)
    assert not (folder / "bomb-went-off").exists()


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
        Checkpoint(folder, CONFIG | change).load()
    assert f"delete {folder} to start anew" in str(told.value)
