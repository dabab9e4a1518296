"""Before anything imports the package: threads, and checked shapes."""

import os
import shutil

if shutil.which("nvidia-smi") is None:
    # Without a GPU its kernels are interpreted; Triton asks at its import.
    os.environ.setdefault("TRITON_INTERPRET", "1")

if "PYTEST_XDIST_WORKER" in os.environ:
    # Workers that each use every core fight: 10 times slower, seen.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from jaxtyping import install_import_hook

install_import_hook("preact.reference", "beartype.beartype")
