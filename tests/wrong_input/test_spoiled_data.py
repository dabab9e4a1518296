"""Archives, images and folders that are none: one sentence each."""

import os
import struct
import zlib

import numpy as np
import pytest
from judging import refusal, success
from PIL import Image

from preact.data.cifar import CIFAR

CIFAR_FILES = {
    "a file is missing": lambda path: path.unlink(),
    "a file is short": lambda path: os.truncate(path, 3073),
    "a label of 255": lambda path: path.write_bytes(
        b"\xff" * 3073 + path.read_bytes()[3073:]
    ),
}


@pytest.fixture(scope="module")
def cifar(tmp_path_factory):
    """Files of the right size, black; sparse, so they cost nothing."""
    root = tmp_path_factory.mktemp("cifar")
    for name in CIFAR["cifar10"]["files"]:
        with (root / name).open("wb") as out:
            out.truncate(3073 * 10_000)
    return root


@pytest.mark.parametrize("kind", CIFAR_FILES)
def test_cifar_that_is_damaged_is_named(command, cifar, tmp_path, kind):
    root = tmp_path / "data"
    root.mkdir()
    for path in cifar.iterdir():
        (root / path.name).write_bytes(b"")
        os.truncate(root / path.name, 3073 * 10_000)
    name = "data_batch_3.bin"
    CIFAR_FILES[kind](root / name)
    words = ("--folder", root, "--out", tmp_path / "runs")
    answer = command("train", "--depth", "8", "--data", "cifar10", *words)
    where = root if "label" in kind else root / name
    assert refusal(answer, where, "preact data cifar10") == "good"


def bomb(path):
    """A PNG of 60,000 x 60,000 that is not there."""

    def chunk(kind, body):
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    head = struct.pack(">IIBBBBB", 60_000, 60_000, 1, 0, 0, 0, 0)
    body = zlib.compress(bytes(1000))
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", body)
        + chunk(b"IEND", b"")
    )


def png(path, size=(40, 40)):
    pixels = np.random.default_rng(0).integers(0, 255, (*size, 3), np.uint8)
    Image.fromarray(pixels).save(path, "PNG")


IMAGES = {
    "empty": lambda path: path.write_bytes(b""),
    "half": lambda path: (
        png(path, (400, 400)),
        os.truncate(path, path.stat().st_size // 2),
    ),
    "a bomb": bomb,
}


@pytest.fixture
def tree(tmp_path):
    """Two classes of four images, and one of three to test."""
    root = tmp_path / "own"
    for split, count in (("train", 4), ("val", 3)):
        for name in ("a", "b"):
            (root / split / name).mkdir(parents=True)
            for i in range(count):
                png(root / split / name / f"{i}.png")
    return root


@pytest.mark.parametrize("kind", IMAGES)
def test_an_image_that_is_none_is_named(command, tree, tmp_path, kind):
    path = tree / ("val" if kind == "empty" else "train") / "b" / "x.png"
    IMAGES[kind](path)
    words = ("--depth", "8", "--data", "folders", "--folder", tree)
    answer = command("train", *words, "--out", tmp_path / "runs")
    assert refusal(answer, path) == "good"


def test_images_of_one_color_are_one_sentence(command, tree, tmp_path):
    for path in tree.rglob("*.png"):
        Image.new("RGB", (40, 40)).save(path)
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


def test_names_of_images_may_be_any_bytes(command, tree, tmp_path):
    png(tree / "train" / "a" / os.fsdecode(b"\xff\xfe.png"))
    words = ("--depth", "8", "--width", "4", "--data", "folders")
    words = (*words, "--folder", tree, "--out", tmp_path / "runs")
    words = (*words, "--recipe", "digits", "--batch", "8")
    answer = command("train", *words, "--iterations", "1")
    assert success(answer) == "good"
