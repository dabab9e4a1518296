import pytest
import torch

from preact.data import halve, load
from preact.data.augment import batch_indices, crop_and_flip, normalize
from preact.data.cifar import CIFAR
from preact.records.compare import load_records

SIZES = {  # bytes of each official file
    name: {
        file: facts["record_bytes"]
        * (50_000 if file == "train.bin" else 10_000)
        for file in facts["files"]
    }
    for name, facts in CIFAR.items()
}


@pytest.fixture
def blank(tmp_path):
    """CIFAR's files at their official sizes, all zero (and sparse)."""

    def make(name):
        folder = tmp_path / CIFAR[name]["folder"]
        folder.mkdir()
        for file, size in SIZES[name].items():
            with (folder / file).open("wb") as out:
                out.truncate(size)
        return folder

    return make


def test_digits_are_there_without_a_download():
    digits = load("digits")
    assert digits.shape == (1, 8, 8)
    assert len(digits.train_labels) == 1437
    assert len(digits.test_labels) == 360
    assert set(digits.train_labels.tolist()) == set(range(10))
    assert digits.sha256 == load_records("digits_table_2")[0].data_sha256


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "classes"), [("cifar10", 10), ("cifar100", 100)]
)
def test_cifar_is_read_and_an_unofficial_copy_is_called_one(
    blank, name, classes
):
    folder = blank(name)
    found = load(name, folder.parent)
    assert found.train_images.shape == (50_000, 3, 32, 32)
    assert found.test_images.shape == (10_000, 3, 32, 32)
    assert found.classes == classes
    assert found.label.endswith("(unofficial files)")
    assert load(name, folder).sha256 == found.sha256


@pytest.mark.slow
def test_the_fine_label_and_the_pixels_of_cifar100_are_found(blank):
    folder = blank("cifar100")
    with (folder / "test.bin").open("r+b") as out:
        out.write(bytes([7, 93, 1, 2]))
    found = load("cifar100", folder)
    assert found.test_labels[0] == 93
    assert found.test_images[0, 0, 0, :2].tolist() == [1, 2]


def test_an_unknown_data_set_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match="one of digits, cifar10, cifar100"):
        load("mnist")


@pytest.mark.parametrize(("n", "batch"), [(10, 4), (7, 7), (5, 12)])
def test_batches_are_an_endless_row_of_permutations(n, batch):
    rows = [batch_indices(n, batch, seed=3, iteration=i) for i in range(n)]
    assert all(len(row) == batch for row in rows)
    stream = torch.cat(rows)
    for start in range(0, len(stream) - n + 1, n):
        assert sorted(stream[start : start + n].tolist()) == list(range(n))
    again = batch_indices(n, batch, seed=3, iteration=n - 1)
    assert torch.equal(again, rows[-1])
    assert not torch.equal(
        torch.cat(rows),
        torch.cat(
            [batch_indices(n, batch, seed=4, iteration=i) for i in range(n)]
        ),
    )


def test_a_crop_is_a_window_of_the_padded_image_and_may_be_flipped():
    images = torch.arange(1, 2 * 3 * 4 * 5 + 1).reshape(2, 3, 4, 5).byte()
    padded = torch.nn.functional.pad(images, (2, 2, 2, 2))
    windows = padded.unfold(2, 4, 1).unfold(3, 5, 1)
    flips = 0
    for iteration in range(20):
        cut = crop_and_flip(
            images, pad=2, flip=True, seed=1, iteration=iteration
        )
        for i in range(2):
            options = windows[i].permute(1, 2, 0, 3, 4).reshape(-1, 3, 4, 5)
            plain = any(torch.equal(cut[i], o) for o in options)
            flipped = any(torch.equal(cut[i].flip(2), o) for o in options)
            assert plain or flipped
            flips += flipped and not plain
    assert 8 < flips < 32


def test_augmentation_is_the_same_for_bytes_and_floats():
    images = load("digits").train_images[:16]
    how = {"pad": 1, "flip": False, "seed": 2, "iteration": 5}
    first = crop_and_flip(images, **how).float()
    assert torch.equal(first, crop_and_flip(images.float(), **how))
    assert torch.equal(images, crop_and_flip(images, **how | {"pad": 0}))


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
    with pytest.raises(ValueError, match="even to be halved; got 1x1"):
        halve(halve(halve(halve(digits))))
