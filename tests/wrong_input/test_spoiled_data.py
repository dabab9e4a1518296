"""Archives and folders that are none: one sentence each."""

import os

import pytest
from PIL import Image

from preact.data.cifar import CIFAR
from wrong_input.judging import refusal

CIFAR_FILES = {
    "a file is missing": lambda path: path.unlink(),
    "a file is short": lambda path: os.truncate(path, 3073),
    "a label of 255": lambda path: path.write_bytes(
        b"\xff" * 3073 + path.read_bytes()[3073:]
    ),
}


@pytest.mark.parametrize("kind", CIFAR_FILES)
def test_cifar_that_is_damaged_is_named(command, tmp_path, kind):
    root = tmp_path / "data"
    root.mkdir()
    for name in CIFAR["cifar10"]["files"]:  # black, and sparse
        (root / name).touch()
        os.truncate(root / name, 3073 * 10_000)
    name = "data_batch_3.bin"
    CIFAR_FILES[kind](root / name)
    words = ("--folder", root, "--out", tmp_path / "runs")
    answer = command("train", "--depth", "8", "--data", "cifar10", *words)
    where = root if "label" in kind else root / name
    assert refusal(answer, where, "cifar-10-binary.tar.gz") == "good"


@pytest.fixture
def tree(tmp_path):
    """Two classes of four black images, and one of three to test."""
    root = tmp_path / "own"
    for split, count in (("train", 4), ("val", 3)):
        for name in ("a", "b"):
            (root / split / name).mkdir(parents=True)
            for i in range(count):
                image = Image.new("RGB", (40, 40))
                image.save(root / split / name / f"{i}.png")
    return root


def test_images_of_one_color_are_one_sentence(command, tree, tmp_path):
    words = ("--depth", "8", "--data", "folders", "--folder", tree)
    words = (*words, "--recipe", "digits", "--out", tmp_path / "runs")
    answer = command("train", *words, "--batch", "8")
    assert refusal(answer, "own: training images must vary") == "good"


TREES = {
    "no val": (lambda root: (root / "val").rename(root / "v"), "val"),
    "another class": (
        lambda root: (root / "val" / "a").rename(root / "val" / "c"),
        "same classes",
    ),
    "an empty class": (
        lambda root: [p.unlink() for p in (root / "train/a").iterdir()],
        "train/a",
    ),
    "no classes": (
        lambda root: [
            p.rename(root / f"{p.parent.name}-{p.name}")
            for p in [*(root / "train").iterdir(), *(root / "val").iterdir()]
        ],
        "train",
    ),
}


@pytest.mark.parametrize("kind", TREES)
def test_a_tree_that_is_none_is_named(command, tree, tmp_path, kind):
    spoil, says = TREES[kind]
    spoil(tree)
    words = ("--depth", "50", "--data", "imagenet", "--folder", tree)
    answer = command("train", *words, "--out", tmp_path / "runs")
    assert refusal(answer, tree, says) == "good"
