"""The package's wheel, as readers of the notebooks install it."""

import subprocess
import sys
from pathlib import Path

from book.tools import ROOT
from book.tools.places import wheel_name


def build_wheel(folder: Path) -> Path:
    """Build the wheel into a folder with what is installed; return its path.

    Raises
    ------
    CalledProcessError
        If the build fails.
    """
    hatch = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    folder = folder.resolve()
    subprocess.run(
        [*hatch, "--directory", str(folder)],
        cwd=ROOT,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return folder / wheel_name()


def install_wheel(wheel: Path, folder: Path) -> None:
    """Install a wheel into a folder of its own, without its dependencies.

    Raises
    ------
    CalledProcessError
        If pip refuses the wheel.
    """
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    offline = ["install", "--no-deps", "--no-index", "--quiet"]
    subprocess.run(
        [*pip, *offline, "--target", str(folder), str(wheel)], check=True
    )
