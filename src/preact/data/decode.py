"""Image files to bytes, by Pillow."""

import math
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from preact.typed import plain

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("JPEG", "PNG")  # Pillow starts a program for some of the others
# Converting to RGB clips deeper channels, to white in most images; which of
# 16 bits are in use, no file says.
MODES = ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK")
BILINEAR = 2  # Pillow's number
AREA, ASPECT = (0.08, 1.0), (3 / 4, 4 / 3)  # of a random crop

Box = tuple[float, float, float, float]


def decode(
    path: Path,
    image: tuple[int, int, int],
    *,
    share: float = 1.0,
    drawn: list[float] | None = None,
) -> Tensor:
    """Decode the middle square or a random crop to (C, H, W) uint8.

    The square has a share of the shorter side; four numbers drawn in [0, 1)
    choose area, aspect and place of a crop. With C = 1 the image becomes gray.
    """
    channels, height, width = image
    whole = _open(path)
    box = _crop(whole.size, drawn) if drawn else _middle(whole.size, share)
    cut = whole.resize((width, height), BILINEAR, box=box)
    pixels = np.asarray(cut.convert("L" if channels == 1 else "RGB"))
    return torch.tensor(pixels.reshape(height, width, -1)).permute(2, 0, 1)


def shades(path: Path) -> Tensor:
    """Decode the whole of an image to (H, W) uint8, in gray."""
    return torch.tensor(np.asarray(_open(path).convert("L")))


def _open(path: Path) -> "Image":
    """Decode a file to an upright RGB image, whatever its name."""
    try:
        from PIL import Image as pillow  # of the extra `images`
        from PIL import UnidentifiedImageError
        from PIL.ImageOps import exif_transpose
    except ImportError as error:
        raise ValueError(
            "images on disk need the package pillow; install it with "
            "`pip install pillow`"
        ) from error
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    if not path.is_file():
        raise ValueError(f"{path} must be a regular file, a JPEG or PNG image")
    try:
        with pillow.open(path, formats=FORMATS) as opened:
            image: Image = opened
            image.load()
    except UnidentifiedImageError as error:
        raise ValueError(
            f"{path} must be a JPEG or PNG image; it is neither"
        ) from error
    except Exception as error:  # a damaged file may raise anything
        raise ValueError(
            f"{path} must be a whole JPEG or PNG image; got: {plain(error)}"
        ) from error
    if image.mode not in MODES:
        raise ValueError(
            f"{path} must have at most 8 bits a channel (one of the modes "
            f"{', '.join(MODES)}); got mode {image.mode}"
        )
    with suppress(Exception):  # EXIF data that are damaged turn nothing
        image = exif_transpose(image)
    if image.mode in ("LA", "RGBA") or "transparency" in image.info:
        image = image.convert("RGBA")  # what is transparent shows white
        white = pillow.new("RGBA", image.size, "white")
        image = pillow.alpha_composite(white, image)
    return image.convert("RGB")


def _crop(whole: tuple[int, int], drawn: list[float]) -> Box:
    """Choose a box of random area and aspect, as much of it as there is."""
    width, height = whole
    area = width * height * (AREA[0] + (AREA[1] - AREA[0]) * drawn[0])
    low, high = (math.log(value) for value in ASPECT)
    aspect = math.exp(low + (high - low) * drawn[1])
    w = min(math.sqrt(area * aspect), width)
    h = min(math.sqrt(area / aspect), height)
    left, top = (width - w) * drawn[2], (height - h) * drawn[3]
    return left, top, left + w, top + h


def _middle(whole: tuple[int, int], share: float) -> Box:
    """Choose the middle square, of a share of the shorter side."""
    side = min(whole) * share
    left, top = ((length - side) / 2 for length in whole)
    return left, top, left + side, top + side
