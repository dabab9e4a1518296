"""Folders of images: decoded when asked for like ImageNet, or in memory."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from preact.cli import main
from preact.data import load
from preact.data.augment import Augmentation, Batch
from preact.data.decode import decode
from preact.data.folders import from_folders, read_imagenet
from preact.train import Run, find_recipe

CUT = Augmentation(normalization="channel", flip=True)
CPU = torch.device("cpu")


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


def batch(iteration, part=slice(None)):
    return Batch(seed=1, iteration=iteration, size=6, part=part)


def test_classes_are_folders_and_labels_their_order(tree):
    data = read_imagenet(tree, size=32)
    assert len(repr(data)) < 300
    assert (data.classes, data.counts) == (3, (18, 9))
    assert data.shape == (3, 32, 32)
    assert data.label == "3 classes of a folder"
    for path, label in (*data.train_files, *data.test_files):
        assert path.parent.name == f"n0{label + 1}"


def test_a_batch_shows_its_classes_color(tree):
    loader = read_imagenet(tree, 32).loader(CUT, CPU)
    x, y = loader.train(batch(0))
    assert x.shape == (6, 3, 32, 32)
    assert x.dtype == torch.float32
    assert torch.equal(x.mean((2, 3)).argmax(1), y)
    seen = torch.cat([y for _, y in loader.test(0, 1)])
    assert seen.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_crops_depend_on_seed_and_iteration_alone(tree):
    data, part = read_imagenet(tree, 32), slice(2, 4)
    loader = data.loader(CUT, CPU)
    a, b, c, d = (
        loader.train(one)[0]
        for one in (batch(4), batch(4), batch(5), batch(4, part))
    )
    assert torch.equal(a, b)
    assert not torch.equal(a, c)
    assert torch.equal(a[part], d)
    unflipped, _ = data.loader(replace(CUT, flip=False), CPU).train(batch(4))
    same = [torch.equal(a[i], unflipped[i]) for i in range(6)]
    assert 0 < sum(same) < 6  # of half of the images
    for i in range(6):
        assert same[i] or torch.equal(a[i].flip(2), unflipped[i])


def test_a_test_image_is_cut_from_its_middle(tmp_path):
    pixels = np.zeros((80, 160, 3), dtype=np.uint8)
    pixels[:, 80:] = 255
    Image.fromarray(pixels).save(tmp_path / "half.png")
    middle = decode(tmp_path / "half.png", (3, 16, 16), share=7 / 8)
    assert (middle[:, :, :7] == 0).all()
    assert (middle[:, :, 9:] == 255).all()


def unreadable(kind, path):
    """A file that is no image of ours, made in one of many ways."""
    if kind == "damaged":
        path.write_bytes(b"\xff\xd8 not much of a JPEG")
    elif kind == "cut":
        Image.effect_noise((99, 99), 50).save(path, "PNG")
        path.write_bytes(path.read_bytes()[:900])
    elif kind == "I;16":
        ramp = np.arange(256 * 256, dtype=np.uint16).reshape(256, 256)
        Image.fromarray(ramp).save(path, "PNG")
    else:
        Image.new("RGB", (9, 9)).save(path, kind)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("damaged", "must be a JPEG or PNG image"),
        ("cut", "must be a whole JPEG or PNG image"),
        ("GIF", "must be a JPEG or PNG image; it is neither"),
        ("EPS", "must be a JPEG or PNG image"),  # starts a program
        ("I;16", "must have at most 8 bits .*; got mode I;16"),
    ],
)
def test_what_cannot_be_read_as_it_was_meant_is_named(tmp_path, kind, said):
    path = tmp_path / "disguised.jpg"
    unreadable(kind, path)
    with pytest.raises(ValueError, match=rf"disguised\.jpg {said}"):
        decode(path, (3, 8, 8))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "RGBA", "CMYK"])
def test_eight_bits_of_gray_alpha_or_ink_are_read(tmp_path, mode):
    """Some of ImageNet's photographs are gray, and 22 are in inks."""
    path = tmp_path / "a.jpg"
    white = Image.new("RGB", (9, 9), "white").convert(mode)
    white.save(path, "JPEG" if mode == "CMYK" else "PNG")
    assert (decode(path, (3, 8, 8)) == 255).all()


@pytest.mark.parametrize("mode", ["RGBA", "P", "L"])
def test_what_is_transparent_is_white_as_a_viewer_shows_it(tmp_path, mode):
    image = Image.new("RGBA", (9, 9), (0, 0, 0, 0)).convert(mode)
    more = {} if mode == "RGBA" else {"transparency": 0}
    image.save(tmp_path / "a.png", **more)
    assert (decode(tmp_path / "a.png", (1, 8, 8)) == 255).all()


def test_a_palette_is_read_as_its_colors(tmp_path):
    image = Image.effect_noise((8, 8), 50).quantize(16)
    image.putpalette([5 * n for n in range(48)])
    image.save(tmp_path / "a.png")
    pixels = decode(tmp_path / "a.png", (3, 8, 8)).permute(1, 2, 0)
    assert np.array_equal(pixels, np.asarray(image.convert("RGB")))


@pytest.mark.parametrize("suffix", ["jpg", "png"])
def test_a_photo_stands_upright_as_a_viewer_shows_it(tmp_path, suffix):
    upright = Image.new("L", (8, 8))
    upright.paste(255, (0, 0, 8, 4))  # light above
    turned, exif = upright.transpose(Image.Transpose.ROTATE_90), Image.Exif()
    exif[0x0112] = 6  # orientation
    turned.save(tmp_path / f"a.{suffix}", exif=exif)
    pixels = decode(tmp_path / f"a.{suffix}", (1, 8, 8))[0]
    assert pixels[:4].min() > 250
    assert pixels[4:].max() < 5


def test_damaged_exif_data_turn_nothing(tmp_path):
    image = Image.effect_noise((8, 8), 50)
    image.save(tmp_path / "a.png", exif=b"Exif\0\0no exif data")
    pixels = decode(tmp_path / "a.png", (1, 8, 8))[0]
    assert np.array_equal(pixels, np.asarray(image))


def test_hidden_files_and_folders_are_no_classes_and_no_images(tree, tmp_path):
    folder = tmp_path / "own"
    shutil.copytree(tree, folder)
    for split in ("train", "val"):
        (folder / split / ".ipynb_checkpoints").mkdir()
        (folder / split / "n01" / "._0.png").write_bytes(b"of a Mac")
    data = read_imagenet(folder, 32)
    assert (data.classes, data.counts) == (3, (18, 9))


def test_class_folders_become_squares_in_memory(tree):
    data = from_folders(tree, size=16)
    assert (data.name, data.classes, data.counts) == (tree.name, 3, (18, 9))
    assert data.shape == (3, 16, 16)
    brightest = data.train_images.float().mean((2, 3)).argmax(1)
    assert torch.equal(brightest, data.train_labels)


@pytest.mark.parametrize("name", ["my pets", "\u732b", "imagenet"])
def test_a_folder_s_own_name_is_called_so(tmp_path, name):
    with pytest.raises(ValueError, match=f"the folder's name must.*{name}"):
        load("folders", tmp_path / name)


def test_a_folder_is_enough_to_train_on_its_images_not_on_digits(
    tree, tmp_path
):
    words = "train --depth 8 --width 4 --iterations 1 --batch 2"
    places = ["--folder", str(tree), "--out", str(tmp_path)]
    assert main([*words.split(), *places]) == 0
    record = json.loads(next(tmp_path.rglob("seed-1.json")).read_text())
    assert record["config"]["data_label"] == tree.name != "digits"


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


def test_a_run_says_what_its_network_is(tree):
    facts = {"row": "original", "depth": 50, "convs": 3}
    facts |= {"recipe": find_recipe("imagenet"), "data": read_imagenet(tree)}
    with pytest.raises(ValueError, match="convs must be 3 for ResNet-50; got"):
        Run(**facts | {"convs": 2})
    for width in (16, 32):
        wrong = rf"width must be left out .* 64 channels; got {width}"
        with pytest.raises(ValueError, match=wrong):
            Run(**facts, width=width)
    assert Run(**facts).config == Run(**facts, width=64).config
