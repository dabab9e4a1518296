"""Your own images train, resume and are recorded as the paper's are."""

from dataclasses import replace

import pytest
import torch

from preact.data import ImageSet
from preact.data.images import check_own_data_name
from preact.experiment import execute
from preact.experiment.matrix import PlannedRun
from preact.train import Run, find_recipe


def draw(n, seed):
    rng = torch.Generator().manual_seed(seed)
    return torch.randint(0, 256, (n, 3, 8, 8), generator=rng).byte()


def own(**changed):
    facts = {
        "name": "mine",
        "label": "mine",
        "classes": 3,
        "train_images": draw(12, seed=0),
        "train_labels": torch.arange(12) % 3,
        "test_images": draw(6, seed=1),
        "test_labels": torch.arange(6) % 3,
    }
    return ImageSet(**facts | changed)


def test_its_checksum_is_of_pixels_and_labels():
    assert own().sha256 == own(name="other").sha256
    assert own().sha256 != own(train_images=draw(12, seed=2)).sha256
    turned = own().train_labels.flip(0)
    assert own().sha256 != own(train_labels=turned).sha256


ZERO = torch.zeros(3, 8, 8, dtype=torch.uint8)


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
        check_own_data_name("name", name)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"train_images": ZERO}, r"tensor \(N, C, H, W\) of torch.uint8 on"),
        (
            {"test_labels": torch.zeros(1)},
            r"tensor \(N\) of torch.int64 on the C",
        ),
        ({"train_labels": torch.zeros(9, dtype=int)}, "must have a label for"),
        ({"train_labels": torch.arange(12) % 4}, "must lie in 0..2; got 0..3"),
        ({"test_images": ZERO[None]}, "must have a label for each"),
        ({"test_images": draw(6, seed=1)[:, :, :4]}, "the shape of the train"),
        # or its record could not be written
        ({"name": "../x"}, "name must be letters"),
        ({"label": "two\nlines"}, "label must be one line"),
    ],
)
def test_an_image_set_is_bytes_or_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        own(**changed)


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
