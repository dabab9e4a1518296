"""Checks shared by the makers: what was wrong, the value, the legal form."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # `preact report` answers without NumPy
    import numpy as np


def check_choice(field: str, value: object, legal: tuple[object, ...]) -> None:
    """Raise ValueError unless the value is one of the legal ones."""
    if isinstance(value, bool | float) or value not in legal:
        names = ", ".join(map(repr, legal))
        raise ValueError(f"{field} must be one of {names}; got {value!r}")


# Larger plans take minutes and all memory; the deepest network published
# has 1,202 layers, ResNet-1001's widest stream 256 channels.
MOST = {
    "depth": 100_002,
    "units": 50_000,
    "width": 8_192,
    "classes": 1_000_000,
    "image": 8_192,
}


def check_positive(field: str, value: object, most: int | None = None) -> None:
    """Raise ValueError unless it is a whole number from 1 to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(
            f"{field} must be a positive whole number; got {value!r:.60}"
        )
    if most is not None and value > most:
        raise ValueError(f"{field} must be at most {most:,}; got {value:,}")


def check_image(image: object) -> None:
    """Raise ValueError unless it is (channels, height, width)."""
    legal = isinstance(image, tuple) and len(image) == 3
    if not legal or not all(
        isinstance(n, int) and not isinstance(n, bool) and n > 0
        for n in image  # type: ignore[attr-defined]
    ):
        raise ValueError(
            "image must be (channels, height, width), three positive whole "
            f"numbers; got {image!r}"
        )
    if max(image) > MOST["image"]:  # type: ignore[call-overload]
        raise ValueError(
            f"image must have at most {MOST['image']:,} channels, rows and "
            f"columns; got {image!r}"
        )


def check_batch(shape: tuple[int, ...], channels: int) -> None:
    """Raise ValueError unless it is of images with the planned channels.

    Height and width may differ from the plan's: the paper itself tests at
    320x320 what it trained at 224x224 (Table 5).
    """
    if len(shape) != 4 or shape[1] != channels:
        raise ValueError(
            f"images must have shape (N, {channels}, H, W); got {shape}"
        )


def check_spread(shape: tuple[int, ...]) -> None:
    """Raise ValueError if training has a single value per channel."""
    n, _, height, width = shape
    if n * height * width < 2:
        raise ValueError(
            "batch normalization in training mode needs at least 2 values "
            f"per channel (N * H * W >= 2); got shape {shape}"
        )


def check_finite(bad: int, size: int) -> None:
    """Raise ValueError if `bad` of `size` numbers are NaN or infinite."""
    if bad:
        raise ValueError(
            f"images must be finite numbers; got {bad} NaN or infinite "
            f"values among {size}"
        )


def check_labels(
    labels: "np.ndarray[Any, Any]", images: int, classes: int
) -> None:
    """Raise ValueError unless the labels are a class for each image."""
    if labels.shape != (images,):
        raise ValueError(
            f"labels must have shape ({images},), one for each image; "
            f"got {labels.shape}"
        )
    if wrong := [label for label in labels if not 0 <= label < classes]:
        raise ValueError(
            f"labels must be classes from 0 to {classes - 1}; got {wrong[0]}"
        )
