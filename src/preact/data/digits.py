"""scikit-learn's handwritten digits: 8x8, real, there without a download.

`digits.npz` has the 1797 images and labels of scikit-learn's file, which is
the test set of "Optical Recognition of Handwritten Digits" (E. Alpaydin,
C. Kaynak, UCI Machine Learning Repository, CC BY 4.0).
"""

from importlib.resources import files

import numpy as np
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
    with files("preact.data").joinpath("digits.npz").open("rb") as file:
        digits = np.load(file)
        images = torch.from_numpy(digits["images"])[:, None]
        labels = torch.from_numpy(digits["labels"]).long()
    return ImageSet(
        name="digits",
        label="scikit-learn digits",
        classes=10,
        class_names=tuple("0123456789"),
        white=16,
        train_images=images[:TRAIN],
        train_labels=labels[:TRAIN],
        test_images=images[TRAIN:],
        test_labels=labels[TRAIN:],
    )
