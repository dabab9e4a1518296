"""Your own images train, resume and are recorded as the paper's are."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import TensorDataset

from preact.cli import main
from preact.data import from_dataset, from_folders, load
from preact.experiment import PlannedRun, execute
from preact.train import Run, find_recipe
from preact.train.session import Session


def pairs(n=12, *, shape=(3, 8, 8), classes=3, seed=0):
    rng = torch.Generator().manual_seed(seed)
    images = torch.randint(0, 256, (n, *shape), generator=rng)
    labels = torch.arange(n) % classes
    return TensorDataset(images.byte(), labels)


def own_images():
    return pairs().tensors[0]


def own(**changed):
    facts = {"train": pairs(), "test": pairs(6, seed=1), "classes": 3}
    return from_dataset(**facts | {"name": "mine"} | changed)


@pytest.fixture
def tree(tmp_path):
    rng = np.random.default_rng(0)
    for split, n in (("train", 8), ("val", 4)):
        for c, name in enumerate(["cat", "dog"]):
            folder = tmp_path / "pets" / split / name
            folder.mkdir(parents=True)
            for i in range(n):
                pixels = rng.integers(0, 60, (40, 32 + i, 3), dtype=np.uint8)
                pixels[..., c] += 180
                Image.fromarray(pixels).save(folder / f"{i}.png")
    return tmp_path / "pets"


def test_a_dataset_of_pairs_becomes_bytes_in_memory():
    data = own()
    assert (data.counts, data.shape, data.classes) == ((12, 6), (3, 8, 8), 3)
    assert torch.equal(data.train_images, pairs().tensors[0])
    assert torch.equal(data.train_labels, pairs().tensors[1])
    assert data.name == data.label == "mine"


def test_images_of_pillow_are_what_their_pixels_are():
    tensors = pairs().tensors[0]
    images = [Image.fromarray(t.permute(1, 2, 0).numpy()) for t in tensors]
    data = own(train=list(zip(images, [0, 1, 2] * 4, strict=True)))
    assert torch.equal(data.train_images, tensors)
    gray = [(Image.new("L", (8, 8), 7), 0)]
    assert own(train=gray, test=gray).shape == (1, 8, 8)


def test_its_checksum_is_of_pixels_and_labels():
    assert own().sha256 == own(name="other").sha256
    assert own().sha256 != own(train=pairs(seed=2)).sha256
    images, labels = pairs().tensors
    turned = TensorDataset(images, labels.flip(0))
    assert own().sha256 != own(train=turned).sha256


ZERO = torch.zeros(3, 8, 8, dtype=torch.uint8)


class Short:
    def __len__(self):
        return 9

    def __getitem__(self, index):
        return [(ZERO, 0)][index]


@pytest.mark.parametrize(
    ("train", "said"),
    [
        (
            [(ZERO.float(), 0)],
            "train image 0 must be uint8, 0..255; got torch.f",
        ),
        (
            [(ZERO.numpy(), 0)],
            "must be a tensor or an image of Pillow; got nd",
        ),
        ([(ZERO[0], 0)], r"must have shape \(C, H, W\); got \(8, 8\)"),
        (
            [(ZERO, 0), (ZERO[:, :4], 1)],
            "train image 1 must have the shape of",
        ),
        (
            [(ZERO, 0.5)],
            "label of train image 0 must be a whole number; got 0",
        ),
        ([(ZERO, "cat")], "must be a whole number; got 'cat'"),
        ([(ZERO, 3)], r"label of train image 0 must lie in 0..2; got 3"),
        ([(ZERO, -1)], r"label of train image 0 must lie in 0..2; got -1"),
        ([(ZERO, 2**70)], "label of train image 0 must lie in 0..2; got 118"),
        ([(ZERO, torch.tensor(0).to("meta"))], "label of .* on the CPU; got"),
        ([(ZERO.to("meta"), 0)], "train image 0 .* dense .* on meta"),
        ([(ZERO.to_sparse(), 0)], "must be a dense tensor .* torch.sparse"),
        (iter([(ZERO, 0)]), "train must have a length.*; got list_iterator"),
        (5, "train must have a length and numbered items.*; got int"),
        (Short(), "its length says, 9; number 1 is missing"),
        ([ZERO], r"must give pairs \(image, label\); number 0 is Tensor"),
        ([], "train must hold images; got none"),
        (pairs(shape=(3, 4, 4)), "test images must have the shape of the tr"),
    ],
)
def test_what_cannot_be_an_image_is_refused_in_a_sentence(train, said):
    with pytest.raises(ValueError, match=said):
        own(train=train)


@pytest.mark.parametrize(
    ("mode", "advice"),
    [
        ("P", True),
        ("RGBA", True),
        ("LA", True),
        ("CMYK", True),
        ("I;16", False),
    ],
)
def test_an_image_of_pillow_in_another_mode_is_refused(mode, advice):
    """Of a palette the indices became pixels, of RGBA the alpha a channel."""
    image = Image.new(mode, (8, 8))
    with pytest.raises(ValueError, match=f"mode L or RGB.*; got {mode}") as e:
        own(train=[(image, 0)])
    assert (".convert('RGB')" in str(e.value)) == advice


@pytest.mark.parametrize("classes", [2.0, True, "2", None, 0, 1, -3, 2**40])
def test_classes_are_a_whole_number_of_two_or_more(classes):
    with pytest.raises(ValueError, match=r"^classes must be"):
        own(classes=classes)


def test_a_data_set_prints_in_a_line():
    assert repr(own()) == (
        "ImageSet(name='mine', label='mine', classes=3, counts=(12, 6), "
        "shape=(3, 8, 8))"
    )


@pytest.mark.parametrize("name", ["my pets", "\u732b", "imagenet"])
def test_a_folder_s_own_name_is_called_so(tmp_path, name):
    with pytest.raises(ValueError, match=f"the folder's name must.*{name}"):
        load("folders", tmp_path / name)


@pytest.mark.parametrize("name", ["", "../up", "a b", "CIFAR-10", "imagenet"])
def test_a_name_must_be_able_to_name_a_folder_and_no_other_data(name):
    with pytest.raises(ValueError, match="name must"):
        own(name=name)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"train_images": torch.rand(2, 3, 8, 8)},
            "of torch.uint8; got torch",
        ),
        (
            {"train_images": own_images().to("meta")},
            "train_images must be a dense tensor on the CPU; got .* on meta",
        ),
        (
            {"train_images": np.zeros((2, 3, 8, 8))},
            "of torch.uint8; got ndarr",
        ),
        ({"train_images": ZERO}, r"tensor \(N, C, H, W\) of torch.uint8; got"),
        ({"test_labels": torch.zeros(1)}, r"tensor \(N\) of torch.int64; got"),
        ({"train_labels": torch.zeros(9, dtype=int)}, "must have a label for"),
    ],
)
def test_an_image_set_is_bytes_or_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        replace(own(), **changed)


def short(data):
    recipe = replace(
        find_recipe("digits"),
        iterations=6,
        batch=4,
        ghost_batch=4,
        drop_at=(),
    )
    return Run(
        row="full-preactivation",
        depth=8,
        convs=2,
        width=4,
        recipe=recipe,
        data=data,
    )


def test_own_data_trains_resumes_and_is_recorded(tmp_path, monkeypatch):
    planned = PlannedRun("mine", short(own()))
    batch = Session.batch

    def stop(session, iteration):
        if iteration == 3:
            raise KeyboardInterrupt
        return batch(session, iteration)

    monkeypatch.setattr(Session, "batch", stop)
    with pytest.raises(KeyboardInterrupt):
        execute(planned, tmp_path / "a", device="cpu", save_every=2)
    monkeypatch.undo()
    assert list(tmp_path.rglob("checkpoint.pt"))
    records = [
        execute(planned, tmp_path / where, device="cpu", save_every=2)[0]
        for where in ("a", "b")
    ]
    assert records[0].train_loss == records[1].train_loss
    assert records[0].data_label == "mine"
    assert records[0].data_sha256 == own().sha256
    assert (tmp_path / "a" / planned.path).is_file()
    assert planned.path.parts[1] == "mine"


def test_class_folders_become_squares_in_memory(tree):
    data = from_folders(tree, size=16)
    assert (data.name, data.classes, data.counts) == ("pets", 2, (16, 8))
    assert data.shape == (3, 16, 16)
    brightest = data.train_images.float().mean((2, 3)).argmax(1)
    assert torch.equal(brightest, data.train_labels)
    with Image.open(tree / "train/cat/0.png") as image:
        pixels = np.asarray(image)[4:36]
    first = from_folders(tree, size=32).train_images[0].permute(1, 2, 0)
    assert np.array_equal(first, pixels)  # 40 x 32: cut, not scaled


def test_the_command_line_trains_on_class_folders(tree, tmp_path, capsys):
    out = tmp_path / "runs"
    command = ["train", "--data", "folders", "--folder", str(tree)]
    command += ["--depth", "8", "--iterations", "1", "--recipe", "digits"]
    assert main([*command, "--out", str(out)]) == 0, capsys.readouterr().err
    record = json.loads(next(out.rglob("seed-1.json")).read_text())
    assert record["data_label"] == "pets"


def test_folders_without_images_are_refused_with_their_name(tmp_path):
    with pytest.raises(FileNotFoundError, match="train is missing: images m"):
        load("folders", tmp_path)
