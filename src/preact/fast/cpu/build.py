"""The C kernels, compiled once by the machine's own compiler.

Chapter `08-training`.
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path

FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-fPIC"]
POINTER, LONG, FLOAT = ctypes.c_void_p, ctypes.c_long, ctypes.c_float
SIGNATURES = {
    "scale_relu": [POINTER] * 4 + [LONG] * 2,
    "bn_relu_again": [POINTER] * 6 + [LONG] * 3,
    "bn_relu_forward": [POINTER] * 8 + [LONG] * 3 + [FLOAT] * 2,
    "bn_relu_backward": [POINTER] * 10 + [LONG] * 3,
}


@cache
def kernels() -> ctypes.CDLL | None:
    """Return the compiled kernels; None where they cannot be compiled.

    They are kept in the user's cache under a hash of source, flags,
    compiler and processor.
    """
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return None
    source = files("preact.fast.cpu").joinpath("bn_relu.c").read_text("utf-8")
    path = _cache() / f"bn_relu-{_key(source, compiler)}.so"
    try:
        if not path.exists():
            _compile(compiler, source, path)
        library = ctypes.CDLL(str(path))
    except (OSError, subprocess.CalledProcessError):
        return None
    for name, arguments in SIGNATURES.items():
        getattr(library, name).argtypes = arguments
    return library


def _cache() -> Path:
    """Folder of the user's caches."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "preact"


def _key(source: str, compiler: str) -> str:
    """Hash of all that the compiled file depends on."""
    told = subprocess.run(
        [compiler, "-march=native", "-Q", "--help=target"],
        capture_output=True,
        text=True,
        check=False,
    )
    told_all = [source, *FLAGS, compiler, told.stdout]
    return hashlib.sha256("\n".join(told_all).encode()).hexdigest()[:16]


def _compile(compiler: str, source: str, path: Path) -> None:
    """Compile to `path`, which is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        here = Path(folder)
        (here / "bn_relu.c").write_text(source)
        # Linked without -fopenmp: PyTorch has loaded the runtime before.
        for command in (
            [*FLAGS, "-c", "bn_relu.c", "-o", "bn_relu.o"],
            ["-shared", "bn_relu.o", "-o", "bn_relu.so", "-lm"],
        ):
            subprocess.run(
                [compiler, *command], cwd=here, check=True, capture_output=True
            )
        (here / "bn_relu.so").replace(path)
