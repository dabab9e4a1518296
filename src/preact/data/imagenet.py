"""ImageNet as a folder tree: `train/<class>/*`, `val/<class>/*`.

Images are decoded when they are asked for, by Pillow, on several threads;
each is cut by a generator of its own, so that no thread's speed changes what
is drawn.

Chapter `09-imagenet`.
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

from preact.data.augment import draws
from preact.data.decoding import decode
from preact.data.loader import Augmentation, BatchRequest
from preact.data.preprocessing import Preprocessing
from preact.plan.checks import MOST, check_positive

# Of fb.resnet.torch, datasets/imagenet.lua: RGB, of bytes divided by 255.
MEAN = torch.tensor([0.485, 0.456, 0.406])[:, None, None] * 255
DEVIATION = torch.tensor([0.229, 0.224, 0.225])[:, None, None] * 255
SUFFIXES = {".jpeg", ".jpg", ".png"}
TESTED = 50  # images at once, in a test


@dataclass(frozen=True, kw_only=True)
class ImageFolder:
    """Training and test images on disk.

    Parameters
    ----------
    name : str
        Of the data set.
    label : str
        What tables and records call it.
    root : Path
        Where the files lie, in `train` and `val`.
    size : int
        Height and width of what the network sees.
    classes : int
        How many classes.
    train_files, test_files : tuple of (Path, int)
        Files with their labels, in order of their names.
    class_names : tuple of str
        Names of the classes' folders, in the order of their labels.

    Examples
    --------
    Nothing is opened before a batch asks for it:

    >>> from pathlib import Path
    >>> from preact.data import ImageFolder
    >>> photos = ImageFolder(
    ...     name="imagenet", label="photos", root=Path("p"), size=224,
    ...     classes=2, train_files=((Path("p/train/cat/1.jpg"), 0),),
    ...     test_files=((Path("p/val/dog/1.jpg"), 1),),
    ... )
    >>> photos.counts, photos.shape
    ((1, 1), (3, 224, 224))
    """

    name: str
    label: str
    root: Path
    size: int
    classes: int
    train_files: tuple[tuple[Path, int], ...] = field(repr=False)
    test_files: tuple[tuple[Path, int], ...] = field(repr=False)
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
        """What a network that was trained on these images reads.

        Parameters
        ----------
        kind : str
            Without effect: mean and deviation are those of ImageNet.
        """
        return Preprocessing(
            mean=MEAN,
            deviation=DEVIATION,
            names=self.class_names,
            middle=7 / 8,
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
        self.data, self.augmentation, self.device = (
            data,
            augmentation,
            device,
        )
        self.mean, self.deviation = MEAN.to(device), DEVIATION.to(device)
        self.threads = ThreadPoolExecutor(os.cpu_count())

    def train(self, request: BatchRequest) -> tuple[Tensor, Tensor]:
        """Decode one batch to train on."""
        files = [self.data.train_files[int(i)] for i in request.chosen]
        rng = draws(request.seed, request.iteration, stream=2)
        # Four numbers an image: area, aspect, place, place; one for the flip.
        numbers = torch.rand(request.batch, 5, generator=rng)[request.part]

        def cut(job: tuple[tuple[Path, int], list[float]]) -> Tensor:
            (path, _), drawn = job
            flip = self.augmentation.flip and drawn[4] < 0.5
            return decode(path, self.data.size, drawn[:4], flip=flip)

        jobs = zip(files, numbers.tolist(), strict=True)
        return self._batch(list(self.threads.map(cut, jobs)), files)

    def test(self, start: int, every: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Decode every `every`-th batch of test images."""
        files = self.data.test_files
        for first in range(0, len(files), TESTED)[start::every]:
            part = list(files[first : first + TESTED])
            images = self.threads.map(
                lambda file: decode(file[0], self.data.size), part
            )
            yield self._batch(list(images), part)

    def _batch(
        self, images: list[Tensor], files: list[tuple[Path, int]]
    ) -> tuple[Tensor, Tensor]:
        """Stack, move and normalize."""
        x = torch.stack(images).to(self.device).float()
        labels = torch.tensor([label for _, label in files])
        return (x - self.mean) / self.deviation, labels.to(self.device)


def read_imagenet(folder: Path | str, size: int = 224) -> ImageFolder:
    """Find the images of a folder tree.

    Hidden files and folders are passed over. Images are taken as they are
    stored: an orientation in their EXIF data is not applied, as in
    torchvision.

    Parameters
    ----------
    folder : Path or str
        Where the files lie.
    size : int
        Height and width of what the network sees, in pixels.

    Raises
    ------
    FileNotFoundError
        If `train` or `val` is missing, or a class has no images.
    ValueError
        If the two have different classes, or fewer than two.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from preact.data import read_imagenet
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("train/cat", "train/dog", "val/cat", "val/dog"):
    ...         Path(folder, name).mkdir(parents=True)
    ...         Path(folder, name, "1.jpeg").touch()
    ...     data = read_imagenet(folder)
    >>> data.label, [label for _, label in data.train_files]
    ('2 classes of a folder', [0, 1])
    """
    check_positive("size", size, MOST["image"])
    folder = Path(folder)
    classes: dict[str, list[str]] = {}
    files: dict[str, list[tuple[Path, int]]] = {"train": [], "val": []}
    for split, pairs in files.items():
        root = folder / split
        if not root.is_dir():
            raise FileNotFoundError(
                f"{root} is missing: images must lie in train/<class>/ and "
                "val/<class>/, a folder for each class"
            )
        names = [path.name for path in _visible(root) if path.is_dir()]
        if len(names) < 2:
            raise ValueError(
                f"{root} must hold a folder for each class, two or more; "
                f"got {', '.join(names) or 'none'}"
            )
        classes[split] = names
        for label, name in enumerate(names):
            images = [
                path
                for path in _visible(root / name)
                if path.suffix.lower() in SUFFIXES
            ]
            if not images:
                raise FileNotFoundError(
                    f"{root / name} must hold JPEG or PNG images; got none"
                )
            pairs += [(path, label) for path in images]
    if classes["train"] != classes["val"]:
        odd = sorted(set(classes["train"]) ^ set(classes["val"]))
        raise ValueError(
            f"{folder}: train and val must have the same classes; only one "
            f"of them has {', '.join(odd[:3])}"
        )
    return ImageFolder(
        name="imagenet",
        label="ImageNet"
        if len(classes["train"]) == 1000
        else f"{len(classes['train'])} classes of a folder",
        root=folder,
        size=size,
        classes=len(classes["train"]),
        train_files=tuple(files["train"]),
        test_files=tuple(files["val"]),
        class_names=tuple(classes["train"]),
    )


def _visible(folder: Path) -> list[Path]:
    """List what is not hidden in a folder, such as `.cache`, by name."""
    return sorted(p for p in folder.iterdir() if not p.name.startswith("."))
