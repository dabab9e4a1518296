"""The package's wheel, as readers of the notebooks install it."""

import subprocess
import sys
from pathlib import Path

from book.tools import ROOT
from book.tools.places import wheel_name


def build_wheel(folder: Path) -> Path:
    """Build the wheel with what is installed; return its path."""
    hatch = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    folder = folder.resolve()
    run = subprocess.run(
        [*hatch, "--directory", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise RuntimeError(f"the wheel cannot be built: {run.stderr}")
    return folder / wheel_name()


def install_wheel(wheel: Path, folder: Path) -> None:
    """Install a wheel into a folder of its own, without its dependencies."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    offline = ["install", "--no-deps", "--no-index", "--quiet"]
    subprocess.run(
        [*pip, *offline, "--target", str(folder), str(wheel)], check=True
    )
