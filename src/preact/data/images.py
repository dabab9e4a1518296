"""What every data set is: bytes in memory, and a name that can be trusted."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

from preact.data.augment import (
    Augmentation,
    Batch,
    crop_and_flip,
    normalize,
    to_device,
)
from preact.data.preprocessing import Preprocessing
from preact.plan.checks import MOST, check_positive
from preact.plan.data_sets import DATA_SETS
from preact.typed import check_name, shortened

TESTED = 500  # images at once, in a test
PARTS = ("train_images", "train_labels", "test_images", "test_labels")


@dataclass(frozen=True, kw_only=True)
class ImageSet:
    """Training and test images.

    Parameters
    ----------
    name, label : str
        As in `preact.data.load`; as figures and tables must call it, which
        says if the files are not the official ones.
    classes, class_names : int and tuple of str
        Number of labels, two or more; what they mean, () if nobody said.
    white : int
        The value of white: 255, of scikit-learn's digits 16.
    train_images, test_images : (N, C, H, W) uint8
    train_labels, test_labels : (N,) int64

    Raises
    ------
    ValueError
        If a part is something else, or a label is none of the classes.

    Examples
    --------
    >>> from preact.data import ImageSet, read_digits
    >>> digits = read_digits()
    >>> isinstance(digits, ImageSet)
    True
    >>> mean, deviation = digits.statistics("pixel mean")
    >>> mean.shape
    torch.Size([1, 8, 8])
    """

    name: str
    label: str
    classes: int
    train_images: Tensor
    train_labels: Tensor
    test_images: Tensor
    test_labels: Tensor
    class_names: tuple[str, ...] = ()
    white: int = 255

    def __post_init__(self) -> None:
        check_name("name", self.name)
        if not self.label.isprintable():  # or its record could not be written
            raise ValueError(
                "label must be one line without control characters; "
                f"got {shortened(self.label)}"
            )
        check_positive("classes", self.classes, MOST["classes"])
        if self.classes == 1:
            raise ValueError("classes must be 2 or more; got 1")
        if self.class_names and len(self.class_names) != self.classes:
            raise ValueError(
                f"class_names must be {self.classes}, one for each class; got "
                f"{len(self.class_names)}"
            )
        for split in ("train", "test"):
            images = getattr(self, f"{split}_images")
            labels = getattr(self, f"{split}_labels")
            _check_kind(f"{split}_images", images, torch.uint8, "NCHW")
            _check_kind(f"{split}_labels", labels, torch.int64, "N")
            if not len(images) or len(images) != len(labels):
                raise ValueError(
                    f"{split} must have a label for each of its images, one "
                    f"or more; got {len(images)} and {len(labels)}"
                )
            low, high = int(labels.min()), int(labels.max())
            if low < 0 or high >= self.classes:
                raise ValueError(
                    f"{split}_labels must lie in 0..{self.classes - 1}; got "
                    f"{low}..{high}"
                )
        shapes = self.train_images.shape[1:], self.test_images.shape[1:]
        if shapes[0] != shapes[1]:
            raise ValueError(
                f"test images must have the shape of the training images, "
                f"{tuple(shapes[0])}; got {tuple(shapes[1])}"
            )

    def __repr__(self) -> str:  # not pages of pixels
        return (
            f"ImageSet(name={self.name!r}, label={self.label!r}, "
            f"classes={self.classes}, counts={self.counts}, "
            f"shape={self.shape})"
        )

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height and width of one image."""
        channels, height, width = self.train_images.shape[1:]
        return channels, height, width

    @cached_property
    def sha256(self) -> str:
        """Checksum of all pixels and labels, in order."""
        digest = hashlib.sha256()
        for name in PARTS:
            digest.update(getattr(self, name).numpy().tobytes())
        return digest.hexdigest()

    @property
    def counts(self) -> tuple[int, int]:
        """Training and test images."""
        return len(self.train_labels), len(self.test_labels)

    def loader(
        self, augmentation: Augmentation, device: torch.device
    ) -> "MemoryLoader":
        """Give batches on a device; the training images stay there."""
        return MemoryLoader(self, augmentation, device)

    def preprocessing(self, kind: str) -> Preprocessing:
        """What a network that was trained on these images reads."""
        mean, deviation = self.statistics(kind)
        return Preprocessing(
            mean=mean,
            deviation=deviation,
            names=self.class_names,
            white=self.white,
        )

    def statistics(self, kind: str) -> tuple[Tensor, Tensor]:
        """Mean and deviation of the training pixels, to normalize by.

        Float32, broadcasting against (C, H, W).

        Parameters
        ----------
        kind : {"channel", "pixel mean"}
            One mean and one deviation for each channel (the authors'
            release), or one mean for each pixel (the first residual paper)
            and one deviation for all of them.

        Raises
        ------
        ValueError
            If the kind is another, or a channel is the same everywhere.
        """
        pixels = self.train_images.double()
        if kind == "channel":
            mean = pixels.mean((0, 2, 3))[:, None, None]
            deviation = pixels.std((0, 2, 3))[:, None, None]
        elif kind == "pixel mean":
            mean = pixels.mean(0)
            deviation = torch.full_like(mean, pixels.std().item())
        else:
            raise ValueError(
                "normalization must be 'channel' or 'pixel mean'; "
                f"got {kind!r}"
            )
        if not (deviation > 0).all():
            raise ValueError(
                f"{self.label}: training images must vary in each channel; "
                "one is the same everywhere"
            )
        return mean.float(), deviation.float()


def halve(data: ImageSet) -> ImageSet:
    """Halve the height and width of all data: a pixel is the mean of 2x2.

    Name and label end in the new size; a mean is rounded to the nearest
    whole number, halves to the even one.
    """
    _, height, width = data.shape

    def mean(images: Tensor) -> Tensor:
        parts = images.split(5_000)  # float copies of a few images at a time
        halved = [avg_pool2d(part.float(), 2).round() for part in parts]
        return torch.cat([part.to(torch.uint8) for part in halved])

    return replace(
        data,
        name=f"{data.name}-{width // 2}",
        label=f"{data.label} at {height // 2}x{width // 2}",
        train_images=mean(data.train_images),
        test_images=mean(data.test_images),
    )


def hold_out(data: ImageSet, images: int) -> ImageSet:
    """Test on some training images of data, not on its test images.

    Held out are the last of a fixed random order, the same for every seed of
    a run; name and label say so.

    Raises
    ------
    ValueError
        If no training image would remain, or none were held out.

    Examples
    --------
    >>> from preact.data import hold_out, read_digits
    >>> held_out = hold_out(read_digits(), 237)
    >>> held_out.counts, held_out.label
    ((1200, 237), 'scikit-learn digits, 237 training images held out')
    """
    n, _ = data.counts
    check_positive("hold_out", images, n - 1)
    order = np.random.RandomState(0).permutation(n)
    kept, held = (
        torch.from_numpy(np.sort(part))
        for part in (order[:-images], order[-images:])
    )
    return replace(
        data,
        name=f"{data.name}-held-out-{images}",
        label=f"{data.label}, {images:,} training images held out",
        train_images=data.train_images[kept],
        train_labels=data.train_labels[kept],
        test_images=data.train_images[held],
        test_labels=data.train_labels[held],
    )


def check_own_data_name(field: str, name: str) -> None:
    """Raise ValueError unless records of new data can be called so."""
    check_name(field, name)
    taken = {known.replace("-", "") for known in DATA_SETS}
    if name.lower().replace("-", "") in taken:
        raise ValueError(
            f"{field} must not be that of a known data set; got {name!r}"
        )


def _check_kind(
    field: str, value: object, dtype: torch.dtype, axes: str
) -> None:
    """Raise ValueError unless it is a tensor of this dtype and axes."""
    got = type(value).__name__
    if isinstance(value, Tensor):
        is_here = value.device.type == "cpu"
        if is_here and value.dtype == dtype and value.ndim == len(axes):
            return
        got = f"{value.dtype} of shape {tuple(value.shape)} on {value.device}"
    raise ValueError(
        f"{field} must be a tensor ({', '.join(axes)}) of {dtype} on the CPU; "
        f"got {got}"
    )


class MemoryLoader:
    """Cuts, flips and normalizes the batches of an `ImageSet`."""

    def __init__(
        self, data: ImageSet, augmentation: Augmentation, device: torch.device
    ) -> None:
        self.data, self.augmentation = data, augmentation
        self.device = device
        self.mean, self.deviation = (
            value.to(device)
            for value in data.statistics(augmentation.normalization)
        )
        self.images = data.train_images.to(device)
        self.labels = data.train_labels.to(device)

    def train(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """One batch to train on."""
        chosen = to_device(batch.indices(len(self.labels)), self.device)
        how, x = self.augmentation, self.images[chosen]
        if not how.pad_before_normalization:
            x = normalize(x, self.mean, self.deviation)
        x = crop_and_flip(x, batch, pad=how.pad, flip=how.flip)
        if how.pad_before_normalization:
            x = normalize(x, self.mean, self.deviation)
        return x, self.labels[chosen]

    def test(self, start: int, every: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Every `every`-th batch of test images, from number `start` on."""
        data = self.data
        for first in range(0, len(data.test_labels), TESTED)[start::every]:
            part = slice(first, first + TESTED)
            x = data.test_images[part].to(self.device)
            y = data.test_labels[part].to(self.device)
            yield normalize(x, self.mean, self.deviation), y
