"""`preact data`: download and verify CIFAR-10 or CIFAR-100."""

import argparse
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, DownloadColumn, Progress

from preact.cli import COMMANDS
from preact.data import download_cifar, load
from preact.data.cifar import CIFAR


def add_command(commands: Any) -> None:
    """Describe `preact data`."""
    parser = commands.add_parser(
        "data",
        help=COMMANDS["data"],
        description="Download CIFAR from its official address, resume what "
        "broke off, verify every file. An existing folder is only verified.",
    )
    parser.add_argument("name", choices=sorted(CIFAR))
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("data"),
        help="where to put it (default: %(default)s)",
    )
    parser.add_argument("--url", help="another address of the same archive")
    parser.set_defaults(run=_data)


def _data(options: argparse.Namespace) -> int:
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
