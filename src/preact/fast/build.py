"""The C kernels, compiled once by the machine's own compiler.

They are kept in the user's cache under a hash of source, flags, compiler and
processor. A cache in which others may write is not trusted, nor used.
"""

import ctypes
import hashlib
import logging
import os
import shlex
import subprocess
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path

FLAGS = (
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fopenmp",
    "-fPIC",
)
TIMEOUT = 60  # seconds of one call of the compiler
POINTER, LONG, FLOAT = ctypes.c_void_p, ctypes.c_long, ctypes.c_float
SIGNATURES = {
    "bn_relu_eval": [POINTER] * 6 + [LONG] * 2 + [FLOAT],
    "bn_relu_again": [POINTER] * 6 + [LONG] * 3,
    "bn_relu_forward": [POINTER] * 8 + [LONG] * 3 + [FLOAT] * 2,
    "bn_relu_backward": [POINTER] * 10 + [LONG] * 3,
}
log = logging.getLogger("preact")


@cache
def kernels() -> ctypes.CDLL | None:
    """Return the compiled kernels; None where there are none.

    The reason is logged, once.

    Examples
    --------
    >>> from preact.fast import kernels
    >>> library = kernels()
    >>> library is None or hasattr(library, "bn_relu_forward")
    True
    """
    try:
        return _found_or_made()
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or "").strip().splitlines() or ["nothing"]
        said = f"{shlex.join(error.cmd[:2])} failed and said: {lines[0]}"
    except (OSError, RuntimeError, ValueError) as error:
        said = str(error)
    except subprocess.TimeoutExpired as error:
        said = f"{error.cmd[0]} gave no answer in {TIMEOUT} s"
    log.warning(
        "no C kernels, so `fast` runs PyTorch's own operations on the CPU: %s",
        said,
    )
    return None


def _found_or_made() -> ctypes.CDLL:
    """Load the kernels from the cache, or make them."""
    compiler = shlex.split(os.environ.get("CC") or "cc")
    if not compiler:
        raise ValueError("CC must name a C compiler; got nothing but spaces")
    source = files("preact.fast").joinpath("bn_relu.c").read_text("utf-8")
    path = trusted_cache() / f"bn_relu-{_key(source, compiler)}.so"
    if not path.exists():
        _make(compiler, source, path)
    return _opened(path)


def trusted_cache() -> Path:
    """Folder of the kernels. Refuse one that is not this user's alone."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    # A relative path is to be ignored, says the XDG specification.
    top = Path(root) if Path(root).is_absolute() else Path.home() / ".cache"
    folder = top / "preact"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.stat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(
            f"{folder} must belong to this user, who alone may write in it; "
            "XDG_CACHE_HOME names another place"
        )
    return folder


def _key(source: str, compiler: list[str]) -> str:
    """Hash of all that the compiled file depends on."""
    answers = [
        _run([*compiler, *question], Path.cwd())
        for question in (
            ["--version"],
            ["-march=native", "-Q", "--help=target"],
        )
    ]
    hashed = "\n".join([source, *FLAGS, *compiler, *answers])
    return hashlib.sha256(hashed.encode()).hexdigest()[:16]


def _run(command: list[str], folder: Path, *, check: bool = False) -> str:
    """Run the compiler, and say the same whatever the terminal is."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"COLUMNS": "80", "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=check,
        timeout=TIMEOUT,
    )
    return done.stdout


def _make(compiler: list[str], source: str, path: Path) -> None:
    """Compile to `path`, which is there whole or not at all."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        here = Path(folder)
        (here / "bn_relu.c").write_text(source)
        # Linked without -fopenmp: PyTorch has loaded the runtime before.
        for arguments in (
            [*FLAGS, "-c", "bn_relu.c", "-o", "bn_relu.o"],
            ["-shared", "bn_relu.o", "-o", "bn_relu.so", "-lm"],
        ):
            _run([*compiler, *arguments], here, check=True)
        made = here / "bn_relu.so"
        if not made.exists():
            raise ValueError(f"{shlex.join(compiler)} made nothing")
        made.replace(path)


def _opened(path: Path) -> ctypes.CDLL:
    """Load a file and declare its functions. Refuse one that lacks some."""
    library = ctypes.CDLL(str(path))
    for name, arguments in SIGNATURES.items():
        if not hasattr(library, name):
            raise ValueError(f"what the compiler made lacks {name}")
        getattr(library, name).argtypes = arguments
    return library
