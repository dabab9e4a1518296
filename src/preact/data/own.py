"""Your own images, as a data set that trains like the paper's."""

from operator import index
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from preact.data.images import ImageSet, check_data_name


class Images(Protocol):
    """Pairs of an image and its label, such as `torch.utils.data.Dataset`."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Any: ...


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
    classes, class_names : int and tuple of str
        As of `ImageSet`; names are kept with the weights.
    name : str
        What records and tables call it: letters, digits, and - _ + . after
        the first.

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
    check_data_name("name", name)
    train_images, train_labels = _stacked(train, "train")
    test_images, test_labels = _stacked(test, "test")
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


def _stacked(data: Images, split: str) -> tuple[Tensor, Tensor]:
    """All images and labels of a data set, checked one by one."""
    images: list[Tensor] = []
    labels: list[int] = []
    for number in range(len(data)):
        pair, where = data[number], f"{split} image {number}"
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(
                f"{split} must give pairs (image, label); number {number} is "
                f"{type(pair).__name__}"
            )
        images.append(_as_bytes(pair[0], where))
        if images[-1].shape != images[0].shape:
            raise ValueError(
                f"{where} must have the shape of the first, "
                f"{tuple(images[0].shape)}; got {tuple(images[-1].shape)}"
            )
        try:
            labels.append(index(pair[1]))
        except TypeError as error:
            raise ValueError(
                f"label of {where} must be a whole number; got {pair[1]!r}"
            ) from error
    if not images:
        raise ValueError(f"{split} must hold images; got none")
    return torch.stack(images), torch.tensor(labels)


def _as_bytes(image: Any, where: str) -> Tensor:
    """One image as (C, H, W) uint8."""
    if hasattr(image, "getbands"):  # Pillow's
        if image.mode not in ("L", "RGB"):  # of others channels mean other
            raise ValueError(
                f"{where} must have mode L or RGB, 8 bits a channel; got "
                f"{image.mode}: .convert('RGB') makes one of 8 bits a channel"
            )
        pixels = torch.from_numpy(np.array(image))
        image = pixels.permute(2, 0, 1) if pixels.ndim == 3 else pixels[None]
    if not isinstance(image, Tensor):
        raise ValueError(
            f"{where} must be a tensor or an image of Pillow; got "
            f"{type(image).__name__}: torch.from_numpy makes a tensor of an "
            "array"
        )
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
