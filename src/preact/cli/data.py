"""`preact data`: download and verify CIFAR-10 or CIFAR-100."""

import argparse

from rich.progress import BarColumn, DownloadColumn, Progress

from preact.data import load
from preact.data.cifar import download_cifar


def run(options: argparse.Namespace) -> int:
    """Download if needed, read, and say what is there."""
    columns = (BarColumn(), DownloadColumn())
    with Progress(*columns, transient=True) as progress:
        task = progress.add_task(options.name)
        download_cifar(
            options.name,
            options.folder,
            url=options.url,
            progress=lambda done, total: progress.update(
                task, completed=done, total=total
            ),
        )
    images = load(options.name, options.folder)
    print(
        f"{images.label}: {images.counts[0]:,} training and "
        f"{images.counts[1]:,} test images, {images.classes} classes"
    )
    return 0
