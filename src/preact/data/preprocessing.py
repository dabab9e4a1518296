"""From an image file to what a trained network reads."""

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
        """Normalize images (C, H, W) or (N, C, H, W) of the data's own bytes.

        Those lie in 0..`white`, of scikit-learn's digits 16; `open` brings
        an image file to them.

        Raises
        ------
        TypeError
            If they are no tensor of uint8.
        ValueError
            If their shape is another than that of the mean, or a byte is
            above `white`.
        """
        if not isinstance(images, Tensor) or images.dtype != torch.uint8:
            is_tensor = isinstance(images, Tensor)
            raise TypeError(
                "images must be a tensor of uint8, of a file by `open`, of an "
                "array by torch.from_numpy; got "
                f"{images.dtype if is_tensor else type(images).__name__}"
            )
        mean = self.mean.to(images.device)
        channels, *sides = mean.shape
        if (
            images.ndim not in (3, 4)
            or images.shape[-3] != channels
            or sides not in ([1, 1], [*images.shape[-2:]])
        ):
            raise ValueError(
                f"images must be (N, C, H, W) for a mean of shape "
                f"{tuple(mean.shape)}; got {tuple(images.shape)}"
            )
        if (images > self.white).any():
            raise ValueError(
                f"images must lie in 0..{self.white}, the scale of the data; "
                f"got {images.max()} (`open` brings files to that scale)"
            )
        return normalize(images, mean, self.deviation.to(images.device))

    def open(self, path: Path | str, image: tuple[int, int, int]) -> Tensor:
        """Decode a JPEG or PNG file to uint8 of the shape `image`, (C, H, W).

        The middle square is cut out and scaled; a network of one channel
        gets shades of gray.
        """
        pixels = decode(Path(path), image, share=self.middle)
        return (pixels * (self.white / 255)).round().to(torch.uint8)
