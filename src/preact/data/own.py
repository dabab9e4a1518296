"""Your own images, as a data set that trains like the paper's."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from preact.data.decoding import decode_middle
from preact.data.imagenet import read_imagenet
from preact.data.images import ImageSet, check_classes, check_dense

NAME = re.compile(r"[A-Za-z0-9][\w.-]*")  # a folder of records is called so

TAKEN = ("digits", "cifar10", "cifar100", "cifar10-16", "imagenet")


class Images(Protocol):
    """Pairs of an image and its label, such as `torch.utils.data.Dataset`."""

    def __len__(self) -> int:
        """Count the images."""

    def __getitem__(self, index: int, /) -> Any:
        """Return an image and its label."""


def from_dataset(
    train: Images,
    test: Images,
    *,
    classes: int,
    name: str,
    class_names: tuple[str, ...] = (),
) -> ImageSet:
    """Read two data sets of (image, label) into memory.

    Images are bytes, as a file has them: normalizing, padding and flipping
    are the recipe's part.

    Parameters
    ----------
    train, test : torch.utils.data.Dataset, or anything with its two methods
        Of (image, label): a uint8 tensor (C, H, W) or an image of Pillow in
        mode L or RGB, all of one shape; an int in 0..classes-1.
    classes : int
        Number of labels, two or more.
    name : str
        What records and tables call it; letters, digits, `.`, `_` and `-`.
    class_names : tuple of str
        What the labels 0, 1, ... mean; kept with the weights.

    Returns
    -------
    ImageSet
        Its identity in records is a checksum of all pixels and labels.

    Raises
    ------
    ValueError
        If an image or a label is something else; says which.

    Examples
    --------
    >>> import torch
    >>> from preact.data import from_dataset
    >>> images = torch.arange(4 * 3 * 8 * 8).reshape(4, 3, 8, 8).byte()
    >>> pairs = list(zip(images, [0, 1, 0, 1]))
    >>> data = from_dataset(pairs[:3], pairs[3:], classes=2, name="mine")
    >>> data.counts, data.shape, data.label
    ((3, 1), (3, 8, 8), 'mine')
    """
    _check_name("name", name)
    check_classes(classes)
    train_images, train_labels = _stacked(train, "train", classes)
    test_images, test_labels = _stacked(test, "test", classes)
    return ImageSet(
        name=name,
        label=name,
        classes=classes,
        class_names=class_names,
        train_images=train_images,
        train_labels=train_labels,
        test_images=test_images,
        test_labels=test_labels,
    )


def from_folders(
    folder: Path | str, *, size: int = 32, name: str | None = None
) -> ImageSet:
    """Read `train/<class>/*` and `val/<class>/*` into memory.

    For images as small as CIFAR's; `preact.data.read_imagenet` leaves large
    ones on disk, and cuts them at random. Hidden files and folders are passed
    over. Images are taken as they are stored: an orientation in their EXIF
    data is not applied.

    Parameters
    ----------
    folder : Path or str
        With JPEG or PNG images below; both parts have the same classes.
    size : int
        Height and width to which the middle square of each image is
        brought.
    name : str, optional
        What records and tables call it; the folder's own name if not given.

    Raises
    ------
    FileNotFoundError
        If a part is missing, or a class has no images.
    ValueError
        If the parts have different classes, or fewer than two, or an image
        cannot be decoded.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from PIL import Image
    >>> from preact.data import from_folders
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("train/cat", "train/dog", "val/cat", "val/dog"):
    ...         Path(folder, name).mkdir(parents=True)
    ...         Image.new("RGB", (48, 40)).save(f"{folder}/{name}/1.png")
    ...     pets = from_folders(folder, name="pets")
    >>> pets.counts, pets.shape, pets.train_labels.tolist()
    ((2, 2), (3, 32, 32), [0, 1])
    """
    folder = Path(folder)
    if name is None:
        name = folder.resolve().name
        _check_name("the folder's name", name)
    files = read_imagenet(folder, size)

    class Decoded:
        def __init__(self, part: tuple[tuple[Path, int], ...]) -> None:
            self.part = part

        def __len__(self) -> int:
            return len(self.part)

        def __getitem__(self, index: int) -> tuple[Tensor, int]:
            path, label = self.part[index]
            return decode_middle(path, (3, size, size)), label

    return from_dataset(
        Decoded(files.train_files),
        Decoded(files.test_files),
        classes=files.classes,
        name=name,
        class_names=files.class_names,
    )


def _check_name(field: str, name: object) -> None:
    """Refuse what cannot name a folder of records, or names other data."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ValueError(
            f"{field} must be of letters, digits, '.', '_' and '-', the "
            f"first of them a letter or a digit; got {name!r}"
        )
    if name.lower().replace("-", "") in TAKEN:
        raise ValueError(
            f"{field} must not be that of a known data set; got {name!r}"
        )


def _stacked(data: Images, split: str, classes: int) -> tuple[Tensor, Tensor]:
    """All images and labels of a data set, checked one by one."""
    images: list[Tensor] = []
    labels: list[int] = []
    for index, (image, label) in enumerate(_pairs(data, split)):
        where = f"{split} image {index}"
        images.append(_as_bytes(image, where))
        if images[-1].shape != images[0].shape:
            raise ValueError(
                f"{where} must have the shape of the first, "
                f"{tuple(images[0].shape)}; got {tuple(images[-1].shape)}"
            )
        if isinstance(label, Tensor | np.generic) and label.ndim == 0:
            if isinstance(label, Tensor):
                check_dense(f"label of {where}", label)
            label = label.item()
        if not isinstance(label, int) or isinstance(label, bool):
            raise ValueError(
                f"label of {where} must be a whole number; got {label!r}"
            )
        if not 0 <= label < classes:
            raise ValueError(
                f"label of {where} must lie in 0..{classes - 1}; got {label}"
            )
        labels.append(label)
    if not images:
        raise ValueError(f"{split} must hold images; got none")
    return torch.stack(images), torch.tensor(labels)


def _pairs(data: Images, split: str) -> Iterator[tuple[Any, Any]]:
    """Pairs of image and label."""
    if not hasattr(data, "__len__") or not hasattr(data, "__getitem__"):
        raise ValueError(
            f"{split} must have a length and numbered items, such as a list "
            f"of pairs; got {type(data).__name__}"
        )
    for index in range(len(data)):
        try:
            pair = data[index]
        except IndexError as error:
            raise ValueError(
                f"{split} must give as many pairs as its length says, "
                f"{len(data)}; number {index} is missing"
            ) from error
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(
                f"{split} must give pairs (image, label); number {index} is "
                f"{type(pair).__name__}"
            )
        yield pair[0], pair[1]


def _as_bytes(image: Any, where: str) -> Tensor:
    """One image as (C, H, W) uint8."""
    if hasattr(image, "getbands"):  # Pillow's
        if image.mode not in ("L", "RGB"):
            # of deeper channels, converting would keep the lowest numbers
            deep = image.mode[0] in "IF"
            advice = "" if deep else ": .convert('RGB') makes one"
            raise ValueError(
                f"{where} must have mode L or RGB, 8 bits a channel; got "
                f"{image.mode}{advice}"
            )
        pixels = torch.from_numpy(np.array(image))
        image = pixels.permute(2, 0, 1) if pixels.ndim == 3 else pixels[None]
    if not isinstance(image, Tensor):
        raise ValueError(
            f"{where} must be a tensor or an image of Pillow; got "
            f"{type(image).__name__}: torch.from_numpy makes a tensor of an "
            "array"
        )
    check_dense(where, image)
    if image.dtype != torch.uint8:
        raise ValueError(
            f"{where} must be uint8, 0..255; got {image.dtype}: leave "
            "conversion and normalization to the recipe"
        )
    if image.ndim != 3:
        raise ValueError(
            f"{where} must have shape (C, H, W); got {tuple(image.shape)}"
        )
    return image.contiguous()
