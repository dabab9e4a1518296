"""No checkpoint, however spoiled, loses work that could go on."""

import shutil
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
import torch
from judging import PLACE, refusal, success

from preact.train.checkpoint import HEAD, NAME, PREVIOUS, read, to_bytes
from sampled import sampled

WORK = f"{PLACE}/seed-1.checkpoints"


@pytest.fixture
def work(broken_off, tmp_path):
    """A copy of the run that broke off after 3 of 4 iterations."""
    shutil.copytree(broken_off, tmp_path / "runs")
    return tmp_path / "runs" / WORK


def outcome(out: Path) -> tuple[str, object]:
    """The curve, and the error: what must not depend on any of this."""
    from preact.records import read_record

    record = read_record(out / PLACE / "seed-1.json")
    curve = (out / PLACE / "seed-1.csv").read_text()
    return curve, (record.test_error_pct, record.train_loss, record.profiles)


def flipped(share: float) -> Callable[[Path], bytes]:
    def bit(path: Path) -> bytes:
        content = bytearray(path.read_bytes())
        content[int(share * (len(content) - 1))] ^= 16
        return bytes(content)

    return bit


def zipped_pickle(_: Path) -> bytes:
    """A bomb where torch keeps its pickle."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a/data.pkl", BOMB)
        archive.writestr("a/version", "3\n")
    return out.getvalue()


def signed(body: bytes) -> bytes:
    """A body with the head that is due to it."""
    import hashlib

    return HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


# os.system("touch bomb-went-off"), by hand
BOMB = b"cposix\nsystem\n(S'touch bomb-went-off'\ntR."
BYTES = {
    "empty": lambda _: b"",
    "half": lambda path: path.read_bytes()[: path.stat().st_size // 2],
    "of another version": lambda path: path.read_bytes().replace(
        HEAD, b"preact checkpoint 0\n"
    ),
    "a tensor": lambda _: to_bytes(torch.zeros(3)),
    "a bomb": lambda _: BOMB,
    "a signed bomb": lambda _: signed(BOMB),
    "a signed, zipped bomb": lambda path: signed(zipped_pickle(path)),
    **{f"one bit at {share:.0%}": flipped(share) for share in (0.0, 0.5, 1.0)},
}
GONE = object()


def at(*keys: object, value: object) -> Callable[[dict], None]:
    """A change of what stands at some keys; `GONE` deletes it."""

    def change(state: dict) -> None:
        *outer, last = keys
        for key in outer:
            state = state[key]
        if value is GONE:
            del state[last]
        else:
            state[last] = value

    return change


def first_tensor(change: Callable) -> Callable[[dict], None]:
    """A change of the first tensor of the session, wherever it lies."""

    def walk(node: object) -> bool:
        pairs = list(
            node.items() if isinstance(node, dict) else enumerate(node)
        )
        for key, value in pairs:
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                node[key] = change(value)
                return True
            if isinstance(value, dict | list) and walk(value):
                return True
        return False

    return lambda state: walk(state["session"])


STATES = {
    "no session": at("session", value=GONE),
    "no iteration": at("iteration", value=GONE),
    "iteration is text": at("iteration", value="abc"),
    "iteration 10^9": at("iteration", value=10**9),
    "a point of the future": at(
        "history", "curve", value=[{"iteration": 400, "loss": 1.0}]
    ),
    "time is NaN": at("history", "busy_s", value=float("nan")),
    "another shape": first_tensor(lambda t: t.new_zeros(3, 5, 7)),
    "text for a tensor": first_tensor(lambda _: "x"),
}


def spoil(kind: str, path: Path) -> None:
    if kind in BYTES:
        path.write_bytes(BYTES[kind](path))
    else:
        state = read(path)
        STATES[kind](state)
        path.write_bytes(to_bytes(state))


def test_a_run_that_broke_off_ends_like_a_calm_one(command, work, small, calm):
    out = work.parents[4]
    assert success(command("train", small, "--out", out)) == "good"
    assert outcome(out) == outcome(calm)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", [*sampled([*BYTES, *STATES], 5)])
def test_a_spoiled_newest_checkpoint_gives_way_to_the_one_before(
    command, work, small, calm, kind, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    out = work.parents[4]
    spoil(kind, work / NAME)
    answer = command("train", small, "--out", out, "--device", "cpu")
    says = f"going on from iteration 2 of {PREVIOUS}"
    assert success(answer, says=says) == "good"
    assert outcome(out) == outcome(calm)
    assert not (tmp_path / "bomb-went-off").exists()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["empty", "a signed bomb", "no session"])
def test_two_spoiled_checkpoints_are_one_sentence(
    command, work, small, kind, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name in (NAME, PREVIOUS):
        spoil(kind, work / name)
    answer = command("train", small, "--out", work.parents[4])
    assert refusal(answer, work / NAME, work / PREVIOUS, "delete") == "good"
    assert not list(work.parents[4].rglob("*.json"))
    assert not (tmp_path / "bomb-went-off").exists()


@pytest.mark.parametrize("which", [NAME, PREVIOUS])
def test_one_checkpoint_alone_is_enough(command, work, small, calm, which):
    (work / ({NAME, PREVIOUS} - {which}).pop()).unlink()
    answer = command("train", small, "--out", work.parents[4])
    assert success(answer) == "good"
    assert outcome(work.parents[4]) == outcome(calm)


def test_a_checkpoint_of_another_run_is_one_sentence(command, work, small):
    for name in (NAME, PREVIOUS):
        state = read(work / name)
        state["config_sha256"] = "0" * 64
        (work / name).write_bytes(to_bytes(state))
    answer = command("train", small, "--out", work.parents[4])
    assert refusal(answer, work / NAME, "another configuration") == "good"


def test_a_spoiled_checkpoint_does_not_keep_the_other_runs(
    command, work, small, tmp_path
):
    file = tmp_path / "small.toml"
    file.write_text(small.read_text().replace("seeds = [1]", "seeds = [1, 2]"))
    for name in (NAME, PREVIOUS):
        spoil("half", work / name)
    answer = command("ablate", file, "--out", work.parents[4])
    assert refusal(answer, work / NAME) == "good"
    assert "1 finished" in answer.out
    assert (work.parent / "seed-2.json").exists()
