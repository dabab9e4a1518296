"""From an image file to what a trained network reads.

Chapter `09-training`.
"""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from preact.data.augment import normalize
from preact.data.decode import decode


@dataclass(frozen=True, eq=False, kw_only=True)
class Preprocessing:
    """How the images of a training set were normalized, and their classes.

    `preact.load` gives it to a network as `network.preprocess`.

    Parameters
    ----------
    mean, deviation : float32, broadcasting against (C, H, W)
        Of the training pixels, in bytes.
    names, white : tuple of str, and int
        As `class_names` and `white` of `ImageSet`.
    middle : float
        Share of an image file's shorter side that is cut out of its middle.

    Examples
    --------
    >>> from preact.data import load
    >>> digits = load("digits")
    >>> preprocess = digits.preprocessing("channel")
    >>> preprocess(digits.test_images[:5]).shape, preprocess.names[:3]
    (torch.Size([5, 1, 8, 8]), ('0', '1', '2'))
    """

    mean: Tensor
    deviation: Tensor
    names: tuple[str, ...] = ()
    middle: float = 1.0
    white: int = 255

    def __call__(self, images: Tensor) -> Tensor:
        """Normalize uint8 images (C, H, W) or (N, C, H, W).

        Raises
        ------
        TypeError
            If they are no tensor of uint8.
        ValueError
            If their shape is another than that of the mean.
        """
        if not isinstance(images, Tensor) or images.dtype != torch.uint8:
            got = getattr(images, "dtype", type(images).__name__)
            raise TypeError(f"images must be a tensor of uint8; got {got}")
        mean = self.mean.to(images.device)
        if images.ndim not in (3, 4) or any(
            there not in (1, here)
            for there, here in zip(mean.shape, images.shape[-3:], strict=True)
        ):
            raise ValueError(
                f"images must be (N, C, H, W) for a mean of shape "
                f"{tuple(mean.shape)}; got {tuple(images.shape)}"
            )
        return normalize(images, mean, self.deviation.to(images.device))

    def open(self, path: Path | str, image: tuple[int, int, int]) -> Tensor:
        """Decode a JPEG or PNG file to uint8 of the shape `image`, (C, H, W).

        The middle square is cut out and scaled; a network of one channel
        gets shades of gray.
        """
        pixels = decode(Path(path), image, share=self.middle)
        return (pixels * (self.white / 255)).round().to(torch.uint8)
