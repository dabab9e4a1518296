"""A folder tree of images, like ImageNet, in miniature."""

import json
import os
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import EpsImagePlugin, Image, PngImagePlugin

from preact.cli import main
from preact.data import load, read_imagenet
from preact.data.augment import batch_indices
from preact.data.imagenet import decode
from preact.data.loader import Augmentation, BatchRequest
from preact.train import Run, find_recipe, train

CUT = Augmentation(
    normalization="channel", pad=0, pad_before_normalization=False, flip=True
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Three classes, each of one color with noise; sizes differ."""
    root = tmp_path_factory.mktemp("imagenet")
    rng = np.random.default_rng(0)
    for split, n in (("train", 6), ("val", 3)):
        for c, name in enumerate(["n01", "n02", "n03"]):
            folder = root / split / name
            folder.mkdir(parents=True)
            for i in range(n):
                size = rng.integers(40, 90, 2)
                pixels = rng.integers(0, 60, (*size, 3), dtype=np.uint8)
                pixels[..., c] += 180
                suffix = "png" if i == 0 else "JPEG"
                Image.fromarray(pixels).save(folder / f"{i}.{suffix}")
    return root


def drawn(data, iteration, batch=6, part=slice(None)):
    chosen = batch_indices(data.counts[0], batch, 1, iteration)[part]
    return BatchRequest(
        chosen=chosen, seed=1, iteration=iteration, part=part, batch=batch
    )


def test_classes_are_folders_and_labels_their_order(tree):
    data = read_imagenet(tree, size=32)
    assert (data.classes, data.counts) == (3, (18, 9))
    assert data.shape == (3, 32, 32)
    assert data.label == "3 classes of a folder"
    for path, label in (*data.train_files, *data.test_files):
        assert path.parent.name == f"n0{label + 1}"


def test_a_batch_shows_its_classes_color(tree):
    loader = read_imagenet(tree, 32).loader(CUT, torch.device("cpu"))
    x, y = loader.train(drawn(loader.data, 0))
    assert x.shape == (6, 3, 32, 32)
    assert x.dtype == torch.float32
    assert torch.equal(x.mean((2, 3)).argmax(1), y)
    seen = torch.cat([y for _, y in loader.test(0, 1)])
    assert seen.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_crops_depend_on_seed_and_iteration_alone(tree):
    loaders = [
        read_imagenet(tree, 32).loader(CUT, torch.device("cpu"))
        for _ in range(2)
    ]
    (a, _), (b, _) = (
        loader.train(drawn(loader.data, 4)) for loader in loaders
    )
    assert torch.equal(a, b)
    (c, _) = loaders[0].train(drawn(loaders[0].data, 5))
    assert not torch.equal(a, c)
    part = slice(2, 4)
    (d, _) = loaders[0].train(drawn(loaders[0].data, 4, part=part))
    assert torch.equal(a[part], d)


def test_a_test_image_is_cut_from_its_middle(tmp_path):
    pixels = np.zeros((80, 160, 3), dtype=np.uint8)
    pixels[:, 80:] = 255
    Image.fromarray(pixels).save(tmp_path / "half.png")
    middle = decode(tmp_path / "half.png", 16)
    assert (middle[:, :, :7] == 0).all()
    assert (middle[:, :, 9:] == 255).all()


def test_a_flip_mirrors_left_and_right(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 255, (20, 20, 3), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    box = [0.9, 0.5, 0.3, 0.2]
    plain = decode(tmp_path / "a.png", 8, box)
    mirrored = decode(tmp_path / "a.png", 8, box, flip=True)
    assert torch.equal(plain.flip(2), mirrored)


@pytest.mark.slow
def test_resnet_50_trains_on_a_folder_and_resumes(tree, tmp_path):
    recipe = replace(
        find_recipe("imagenet"),
        iterations=4,
        batch=4,
        ghost_batch=4,
        drop_at=(3,),
    )
    run = Run(
        row="full-preactivation",
        depth=50,
        convs=3,
        recipe=recipe,
        data=read_imagenet(tree, 32),
    )
    assert run.plan.depth == 50
    whole = train(run, tmp_path / "a", report_every=1, save_every=2)
    assert whole.outcome == "finished"
    (tmp_path / "a" / "checkpoint.pt").unlink()
    again = train(run, tmp_path / "a", report_every=1)
    assert again.curve == whole.curve


def test_a_missing_part_is_named(tree, tmp_path):
    with pytest.raises(FileNotFoundError, match="train is missing"):
        load("imagenet", tmp_path)
    for name in ("n01", "n02"):
        (tmp_path / "train" / name).mkdir(parents=True)
    with pytest.raises(FileNotFoundError, match="must hold JPEG or PNG"):
        load("imagenet", tmp_path)


def test_train_and_val_must_have_the_same_classes(tree, tmp_path):
    for split, second in (("train", "n01"), ("val", "n02")):
        for name in ("n00", second):
            (tmp_path / split / name).mkdir(parents=True)
            (tmp_path / split / name / "a.png").touch()
    with pytest.raises(ValueError, match="only one of them has n01, n02"):
        load("imagenet", tmp_path)


def test_a_damaged_image_is_named(tmp_path):
    path = tmp_path / "broken.JPEG"
    path.write_bytes(b"\xff\xd8 not much of a JPEG")
    with pytest.raises(ValueError, match=r"broken\.JPEG must be a whole JPEG"):
        decode(path, 8)


@pytest.mark.parametrize("kind", ["EPS", "GIF", "BMP", "TIFF", "PPM"])
def test_an_image_is_known_by_its_format_not_its_name(tmp_path, kind):
    """Pillow starts Ghostscript for PostScript, if it is asked to."""
    path = tmp_path / "disguised.jpg"
    Image.new("RGB", (9, 9)).save(path, kind)
    with pytest.raises(ValueError, match=r"disguised\.jpg must be a whole J"):
        decode(path, 8)


def test_a_postscript_file_named_jpg_starts_no_program(tmp_path, monkeypatch):
    called = tmp_path / "called"
    stand_in = tmp_path / "gs"
    stand_in.write_text(f"#!/bin/sh\ntouch {called}\n")
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(EpsImagePlugin, "gs_binary", None)  # it is kept
    path = tmp_path / "z.jpg"
    Image.new("RGB", (9, 9)).save(path, "EPS")
    with pytest.raises(ValueError, match=r"z\.jpg must be a whole JPEG or"):
        decode(path, 8)
    assert not called.exists()


def test_whatever_pillow_raises_is_a_sentence_with_the_path(tmp_path):
    """A text chunk of megabytes is a ValueError, of IHDR as well."""
    path = tmp_path / "text.png"
    about = PngImagePlugin.PngInfo()
    about.add_text("a", "b" * 2**21, zip=True)
    Image.new("L", (9, 9)).save(path, pnginfo=about)
    with pytest.raises(ValueError, match=r"text\.png must be a whole JPEG"):
        decode(path, 8)


@pytest.mark.parametrize("mode", ["I;16", "P"])
def test_deep_channels_and_palettes_are_refused_not_spoiled(tmp_path, mode):
    """A ramp of 16 bits became 99.6 % white."""
    ramp = np.arange(256 * 256, dtype=np.uint16).reshape(256, 256)
    image = Image.fromarray(ramp)
    if mode == "P":
        image = Image.new("RGB", (9, 9)).quantize()
    image.save(tmp_path / "scan.png")
    with pytest.raises(
        ValueError, match=rf"scan\.png must .*; got mode {mode}"
    ):
        decode(tmp_path / "scan.png", 8)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "RGBA", "CMYK"])
def test_eight_bits_of_gray_alpha_or_ink_are_read(tmp_path, mode):
    """Some of ImageNet's photographs are gray, and 22 are in inks."""
    path = tmp_path / "a.jpg"
    white = Image.new("RGB", (9, 9), "white").convert(mode)
    white.save(path, "JPEG" if mode == "CMYK" else "PNG")
    assert (decode(path, 8) == 255).all()


def test_hidden_files_and_folders_are_no_classes_and_no_images(tree, tmp_path):
    folder = tmp_path / "own"
    shutil.copytree(tree, folder)
    for split in ("train", "val"):
        (folder / split / ".ipynb_checkpoints").mkdir()
        (folder / split / "n01" / "._0.png").write_bytes(b"of a Mac")
    data = read_imagenet(folder, 32)
    assert (data.classes, data.counts) == (3, (18, 9))


@pytest.mark.parametrize("name", ["imagenet", "folders"])
def test_one_class_is_refused(tmp_path, name):
    for split in ("train", "val"):
        (tmp_path / "own" / split / "cat").mkdir(parents=True)
    with pytest.raises(ValueError, match="class, two or more; got cat"):
        load(name, tmp_path / "own")


@pytest.mark.parametrize("size", [0, "32", True])
def test_a_size_that_is_none_is_refused(tree, size):
    with pytest.raises(ValueError, match="size must be a positive whole num"):
        read_imagenet(tree, size)


def test_a_data_set_prints_in_a_line(tree):
    assert len(repr(read_imagenet(tree))) < 300


def test_an_image_of_absurd_size_is_named(tmp_path, monkeypatch):
    path = tmp_path / "bomb.png"
    Image.new("L", (40, 40)).save(path)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(ValueError, match=r"bomb\.png must be a whole"):
        decode(path, 8)


def test_names_that_are_not_utf_8_are_names_too(tree, tmp_path):
    folder = tmp_path / "own"
    shutil.copytree(tree, folder)
    before = read_imagenet(folder, 32).sha256
    odd = os.fsdecode(b"\xff\xfe.png")
    (folder / "train/n01/0.png").rename(folder / "train/n01" / odd)
    assert read_imagenet(folder, 32).sha256 != before


@pytest.mark.slow
def test_the_command_line_takes_imagenets_own_recipe(tree, tmp_path, capsys):
    command = ["train", "--data", "imagenet", "--folder", str(tree)]
    command += ["--depth", "50", "--iterations", "1", "--batch", "2"]
    out = tmp_path / "runs"
    assert main([*command, "--out", str(out)]) == 0, capsys.readouterr().err
    record = json.loads(next(out.rglob("seed-1.json")).read_text())
    config = record["config"]
    assert config["recipe"]["name"] == "imagenet"
    assert (config["depth"], config["convs"], config["width"]) == (50, 3, 64)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"convs": 2}, "convs must be 3 for ResNet-50; got 2"),
        ({"width": 32}, "width must be left out on ImageNet.*; got 32"),
    ],
)
def test_a_run_says_what_its_network_is(tree, given, message):
    facts = {"row": "original", "depth": 50, "convs": 3} | given
    with pytest.raises(ValueError, match=message):
        Run(
            **facts,
            recipe=find_recipe("imagenet"),
            data=load("imagenet", tree),
        )
