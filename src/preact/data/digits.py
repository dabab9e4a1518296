"""scikit-learn's handwritten digits: 8x8, real, there without a download."""

import torch

from preact.data.images import ImageSet

TRAIN = 1437  # the first four fifths, in the order of the file


def read_digits() -> ImageSet:
    """Return 1437 training and 360 test images of 1 x 8 x 8, ten classes.

    Examples
    --------
    >>> from preact.data import read_digits
    >>> digits = read_digits()
    >>> digits.counts, digits.shape
    ((1437, 360), (1, 8, 8))
    >>> int(digits.train_images.max())  # gray levels from 0
    16
    """
    from sklearn.datasets import load_digits  # a second and more to load

    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.uint8)[:, None]
    labels = torch.tensor(digits.target, dtype=torch.int64)
    return ImageSet(
        name="digits",
        label="scikit-learn digits",
        classes=10,
        class_names=tuple("0123456789"),
        train_images=images[:TRAIN],
        train_labels=labels[:TRAIN],
        test_images=images[TRAIN:],
        test_labels=labels[TRAIN:],
    )
