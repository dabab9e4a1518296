import os

import pytest
import torch

from preact.data import load
from preact.data.augment import Batch, crop_and_flip, normalize
from preact.data.cifar import CIFAR
from preact.data.images import halve
from preact.records.compare import load_records


@pytest.fixture
def blank(tmp_path):
    """CIFAR's files at their official sizes, all zero (and sparse)."""

    def make(name):
        folder = tmp_path / CIFAR[name]["folder"]
        folder.mkdir()
        for file in CIFAR[name]["files"]:
            images = 50_000 if file == "train.bin" else 10_000
            (folder / file).touch()
            os.truncate(folder / file, images * CIFAR[name]["record_bytes"])
        return folder

    return make


def test_digits_are_there_without_a_download():
    digits = load("digits")
    assert digits.shape == (1, 8, 8)
    assert len(digits.train_labels) == 1437
    assert len(digits.test_labels) == 360
    assert set(digits.train_labels.tolist()) == set(range(10))
    assert digits.sha256 == load_records("digits_table_2")[0].data_sha256


DIGITS = load("digits")


@pytest.mark.parametrize(
    ("images", "kind", "said"),
    [
        (DIGITS.test_images * 15, ValueError, r"lie in 0\.\.16.*; got 240"),
        (torch.zeros(3, 8, 8).byte(), ValueError, r"got \(3, 8, 8\)"),
        (torch.zeros(1, 8, 8), TypeError, r"got torch\.float32"),
        (DIGITS.test_images.numpy(), TypeError, "from_numpy; got ndarray"),
        ("two.png", TypeError, "of a file by `open`.*; got str"),
    ],
)
@pytest.mark.parametrize("normalization", ["channel", "pixel mean"])
def test_only_the_data_s_own_bytes_are_normalized(
    images, kind, said, normalization
):
    with pytest.raises(kind, match=said):
        DIGITS.preprocessing(normalization)(images)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "last", "labels"),
    [("cifar10", "test_batch.bin", [9]), ("cifar100", "test.bin", [7, 93])],
)
def test_cifar_is_read_and_an_unofficial_copy_is_called_one(
    blank, name, last, labels
):
    """CIFAR-100 has a coarse label before the fine one."""
    folder = blank(name)
    with (folder / last).open("r+b") as out:
        out.write(bytes([*labels, 1, 2]))
    for place in (folder, folder.parent):
        found = load(name, place)
        assert found.train_images.shape == (50_000, 3, 32, 32)
        assert found.test_images.shape == (10_000, 3, 32, 32)
        assert found.label.endswith("(unofficial files)")
        assert found.test_labels[0] == labels[-1]
        assert found.test_images[0, 0, 0, :2].tolist() == [1, 2]


def test_an_unknown_data_set_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match="one of digits, cifar10, cifar100"):
        load("mnist")


@pytest.mark.parametrize(("n", "batch"), [(10, 4), (7, 7), (5, 12)])
def test_batches_are_an_endless_row_of_permutations(n, batch):
    stream, other = (
        torch.cat(
            [
                Batch(seed=seed, iteration=i, size=batch).indices(n)
                for i in range(n)
            ]
        )
        for seed in (3, 4)
    )
    assert len(stream) == n * batch
    for start in range(0, len(stream) - n + 1, n):
        assert sorted(stream[start : start + n].tolist()) == list(range(n))
    assert not torch.equal(stream, other)


def test_a_crop_is_a_window_of_the_padded_image_and_may_be_flipped():
    images = torch.arange(1, 2 * 3 * 4 * 5 + 1).reshape(2, 3, 4, 5).byte()
    padded = torch.nn.functional.pad(images, (2, 2, 2, 2))
    windows = padded.unfold(2, 4, 1).unfold(3, 5, 1)
    flips = 0
    for iteration in range(20):
        batch = Batch(seed=1, iteration=iteration, size=2)
        cut = crop_and_flip(images, batch, pad=2, flip=True)
        for i in range(2):
            options = windows[i].permute(1, 2, 0, 3, 4).reshape(-1, 3, 4, 5)
            plain = any(torch.equal(cut[i], o) for o in options)
            flipped = any(torch.equal(cut[i].flip(2), o) for o in options)
            assert plain or flipped
            flips += flipped and not plain
    assert 8 < flips < 32


def test_augmentation_is_the_same_for_bytes_and_floats():
    images = load("digits").train_images[:16]
    batch = Batch(seed=2, iteration=5, size=16)
    first = crop_and_flip(images, batch, pad=1, flip=False).float()
    again = crop_and_flip(images.float(), batch, pad=1, flip=False)
    assert torch.equal(first, again)
    same = crop_and_flip(images, batch, pad=0, flip=False)
    assert torch.equal(images, same)


def test_both_normalizations_center_the_training_pixels():
    digits = load("digits")
    for kind in ("channel", "pixel mean"):
        x = normalize(digits.train_images, *digits.statistics(kind))
        assert x.mean().abs() < 1e-5
    assert x.mean(0).abs().max() < 1e-5
    with pytest.raises(ValueError, match="'channel' or 'pixel mean'; got 'z'"):
        digits.statistics("z")


def test_a_halved_image_has_the_means_of_two_by_two_pixels():
    digits = load("digits")
    small = halve(digits)
    blocks = (
        digits.test_images.double().unflatten(3, (4, 2)).unflatten(2, (4, 2))
    )
    assert torch.equal(small.test_images, blocks.mean((3, 5)).round().byte())
    assert small.test_labels is digits.test_labels
