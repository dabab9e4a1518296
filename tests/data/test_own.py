"""Your own images train, resume and are recorded as the paper's are."""

from dataclasses import replace

import pytest
import torch
from PIL import Image
from torch.utils.data import TensorDataset

from preact.data import from_dataset
from preact.experiment import execute
from preact.experiment.matrix import PlannedRun
from preact.train import Run, find_recipe


def pairs(n=12, *, shape=(3, 8, 8), classes=3, seed=0):
    rng = torch.Generator().manual_seed(seed)
    images = torch.randint(0, 256, (n, *shape), generator=rng)
    labels = torch.arange(n) % classes
    return TensorDataset(images.byte(), labels)


def own(**changed):
    facts = {"train": pairs(), "test": pairs(6, seed=1), "classes": 3}
    return from_dataset(**facts | {"name": "mine"} | changed)


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


@pytest.mark.parametrize(
    ("train", "said"),
    [
        ([(ZERO.float(), 0)], "train image 0 must be uint8, 0..255; got torc"),
        ([(ZERO.numpy(), 0)], "must be a tensor or an image of Pillow; got n"),
        ([(ZERO[0], 0)], r"must have shape \(C, H, W\); got \(8, 8\)"),
        ([(ZERO, 0), (ZERO[:, :4], 1)], "train image 1 must have the shape o"),
        ([(ZERO, 0.5)], "label of train image 0 must be a whole number; got"),
        ([(ZERO, 3)], r"train_labels must lie in 0..2; got 3"),
        ([(ZERO, -1)], r"train_labels must lie in 0..2; got -1"),
        ([ZERO], r"must give pairs \(image, label\); number 0 is Tensor"),
        ([], "train must hold images; got none"),
        (pairs(shape=(3, 4, 4)), "test images must have the shape of the tr"),
        # of a palette indices would be pixels, of RGBA alpha a channel
        ([(Image.new("P", (8, 8)), 0)], "mode L or RGB.*; got P: .convert"),
    ],
)
def test_what_cannot_be_an_image_is_refused_in_a_sentence(train, said):
    with pytest.raises(ValueError, match=said):
        own(train=train)


@pytest.mark.parametrize("classes", [2.0, 1])
def test_classes_are_a_whole_number_of_two_or_more(classes):
    with pytest.raises(ValueError, match=r"^classes must be"):
        own(classes=classes)


def test_a_data_set_prints_in_a_line():
    assert repr(own()) == (
        "ImageSet(name='mine', label='mine', classes=3, counts=(12, 6), "
        "shape=(3, 8, 8))"
    )


@pytest.mark.parametrize("name", ["", "../up", "a b", "CIFAR-10", "imagenet"])
def test_a_name_must_be_able_to_name_a_folder_and_no_other_data(name):
    with pytest.raises(ValueError, match="name must"):
        own(name=name)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"train_images": ZERO}, r"tensor \(N, C, H, W\) of torch.uint8 on"),
        (
            {"test_labels": torch.zeros(1)},
            r"tensor \(N\) of torch.int64 on the C",
        ),
        ({"train_labels": torch.zeros(9, dtype=int)}, "must have a label for"),
        # or its record could not be written
        ({"name": "../x"}, "name must be letters"),
        ({"label": "two\nlines"}, "label must be one line"),
    ],
)
def test_an_image_set_is_bytes_or_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        replace(own(), **changed)


def test_own_data_are_trained_on_and_recorded(tmp_path):
    recipe = replace(
        find_recipe("digits"), iterations=2, batch=4, ghost_batch=4
    )
    run = Run(row="original", depth=8, convs=2, recipe=recipe, data=own())
    planned = PlannedRun("any", run)
    record, _ = execute(planned, tmp_path, device="cpu", save=False)
    assert (record.data, record.data_label) == ("mine", "mine")
    assert record.data_sha256 == own().sha256
    assert planned.path.parts[1] == "mine"
