"""Images in folders, `train/<class>/*`, `val/<class>/*`: ImageNet, or yours.

Large images are decoded when they are asked for, by Pillow, on several
threads; each is cut by numbers drawn for it alone, so that no thread's speed
changes what is seen. Small ones are read into memory.
"""

import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from preact.data.augment import Augmentation, Batch, draws, normalize
from preact.data.decode import decode
from preact.data.images import ImageSet, check_own_data_name
from preact.data.preprocessing import Preprocessing
from preact.plan.checks import MOST, check_positive

# Of fb.resnet.torch, datasets/imagenet.lua: RGB, of bytes divided by 255.
MEAN = torch.tensor([0.485, 0.456, 0.406])[:, None, None] * 255
DEVIATION = torch.tensor([0.229, 0.224, 0.225])[:, None, None] * 255
MIDDLE = 7 / 8  # of the shorter side of a test image: 224 of 256
SUFFIXES = {".jpeg", ".jpg", ".png"}
TESTED = 50  # images at once, in a test

Files = tuple[tuple[Path, int], ...]


@dataclass(frozen=True, kw_only=True)
class ImageFolder:
    """Training and test images on disk, cut to `size` x `size` pixels.

    Otherwise as `ImageSet`; nothing is opened before a batch asks for it.
    """

    name: str
    label: str
    root: Path
    size: int
    classes: int
    train_files: Files = field(repr=False)
    test_files: Files = field(repr=False)
    class_names: tuple[str, ...] = field(default=(), repr=False)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height and width of one image."""
        return 3, self.size, self.size

    @property
    def counts(self) -> tuple[int, int]:
        """Training and test images."""
        return len(self.train_files), len(self.test_files)

    @cached_property
    def sha256(self) -> str:
        """Checksum of names and sizes of all files; not of their pixels."""
        digest = hashlib.sha256()
        for path, label in (*self.train_files, *self.test_files):
            name = path.relative_to(self.root).as_posix()
            line = f"{name} {path.stat().st_size} {label}\n"
            digest.update(line.encode(errors="surrogateescape"))
        return digest.hexdigest()

    def preprocessing(self, kind: str) -> Preprocessing:
        """What a network reads; mean and deviation are ImageNet's."""
        return Preprocessing(
            mean=MEAN,
            deviation=DEVIATION,
            names=self.class_names,
            middle=MIDDLE,
        )

    def loader(
        self, augmentation: Augmentation, device: torch.device
    ) -> "FolderLoader":
        """Batches on a device."""
        return FolderLoader(self, augmentation, device)


class FolderLoader:
    """Decodes, cuts and normalizes the batches of an `ImageFolder`.

    In training a crop of random area (8 to 100 %) and aspect (3/4 to 4/3),
    as in fb.resnet.torch; in a test the middle of an image whose shorter
    side is 8/7 of the crop's (256 for 224).
    """

    def __init__(
        self,
        data: ImageFolder,
        augmentation: Augmentation,
        device: torch.device,
    ) -> None:
        self.data, self.flip, self.device = data, augmentation.flip, device
        self.threads = ThreadPoolExecutor(os.cpu_count())

    def train(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Decode one batch to train on."""
        every = self.data.train_files
        files = [every[i] for i in batch.indices(len(every)).tolist()]
        rng = draws(batch.seed, batch.iteration, stream=2)
        # Four numbers an image: area, aspect, place, place; one for the flip.
        numbers = torch.rand(batch.size, 5, generator=rng)[batch.part]

        def cut(file: tuple[Path, int], drawn: list[float]) -> Tensor:
            pixels = decode(file[0], self.data.shape, drawn=drawn[:4])
            return pixels.flip(2) if self.flip and drawn[4] < 0.5 else pixels

        return self._tensors(
            list(self.threads.map(cut, files, numbers.tolist())), files
        )

    def test(self, start: int, every: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Decode every `every`-th batch, from number `start` on."""
        files = self.data.test_files
        for first in range(0, len(files), TESTED)[start::every]:
            part = list(files[first : first + TESTED])
            images = self.threads.map(
                lambda file: decode(file[0], self.data.shape, share=MIDDLE),
                part,
            )
            yield self._tensors(list(images), part)

    def _tensors(
        self, images: list[Tensor], files: list[tuple[Path, int]]
    ) -> tuple[Tensor, Tensor]:
        """Stack, move and normalize."""
        x = torch.stack(images).to(self.device)
        mean, deviation = MEAN.to(self.device), DEVIATION.to(self.device)
        labels = torch.tensor([label for _, label in files])
        return normalize(x, mean, deviation), labels.to(self.device)


def read_imagenet(folder: Path | str, size: int = 224) -> ImageFolder:
    """Find the images of a folder tree, for a network that sees `size` pixels.

    Hidden files and folders are passed over. Images are turned upright by
    their EXIF data, as a viewer shows them; torchvision does not. Refuse a
    tree without `train` and `val` of the same classes, two or more.
    """
    check_positive("size", size, MOST["image"])
    folder = Path(folder)
    names, train = _labeled(folder / "train")
    others, test = _labeled(folder / "val")
    if names != others:
        odd = sorted({*names} ^ {*others})
        raise ValueError(
            f"{folder}: train and val must have the same classes; only one "
            f"of them has {', '.join(odd[:3])}"
        )
    n = len(names)
    return ImageFolder(
        name="imagenet",
        label="ImageNet" if n == 1000 else f"{n} classes of a folder",
        root=folder,
        size=size,
        classes=n,
        train_files=train,
        test_files=test,
        class_names=names,
    )


def _labeled(folder: Path) -> tuple[tuple[str, ...], Files]:
    """Names of the classes below a folder, and its images with labels."""
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{folder} is missing: images must lie in train/<class>/ and "
            "val/<class>/, a folder for each class"
        )
    # hidden ones such as `.cache` are neither classes nor images
    classes = sorted(p for p in folder.glob("[!.]*") if p.is_dir())
    if len(classes) < 2:
        raise ValueError(
            f"{folder} must hold a folder for each class, two or more; got "
            f"{', '.join(path.name for path in classes) or 'none'}"
        )
    files: list[tuple[Path, int]] = []
    for label, path in enumerate(classes):
        images = [
            p
            for p in sorted(path.glob("[!.]*"))
            if p.suffix.lower() in SUFFIXES
        ]
        if not images:
            raise FileNotFoundError(
                f"{path} must hold JPEG or PNG images; got none"
            )
        files += [(image, label) for image in images]
    return tuple(path.name for path in classes), tuple(files)


def from_folders(folder: Path | str, *, size: int = 32) -> ImageSet:
    """Read `train/<class>/*` and `val/<class>/*` into memory.

    For images as small as CIFAR's: the middle square of each is brought to
    `size` pixels; `load("imagenet", folder)` finds the same files, leaves them
    on disk, and cuts them at random. Records and tables call the set as the
    folder is called. Errors are those of `read_imagenet`, and a ValueError if
    an image cannot be decoded.
    """
    name = Path(folder).resolve().name
    check_own_data_name("the folder's name", name)
    data = read_imagenet(folder, size)
    (train_images, train_labels), (test_images, test_labels) = (
        (
            torch.stack([decode(path, data.shape) for path, _ in files]),
            torch.tensor([label for _, label in files]),
        )
        for files in (data.train_files, data.test_files)
    )
    return ImageSet(
        name=name,
        label=name,
        classes=data.classes,
        class_names=data.class_names,
        train_images=train_images,
        train_labels=train_labels,
        test_images=test_images,
        test_labels=test_labels,
    )
