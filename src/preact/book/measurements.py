"""Measurements that the three editions of a chapter share.

The editions run equal code, and only their words differ: what one edition
has measured, the others read. Outside of the book's build nothing is kept.
"""

import hashlib
import os
import pickle
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import ParamSpec, TypeVar

from preact import propagation

FOLDER = "PREACT_MEASURED"
"""Environment variable: where the running chapter's measurements are kept."""


P = ParamSpec("P")
R = TypeVar("R")


def measured(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a measurement, whose result depends on its arguments alone.

    Where the environment variable `PREACT_MEASURED` names a folder, a second
    call with equal arguments, in whatever process, reads the result of the
    first. Both must be picklable, and hold no words of a language. The book's
    build gives every version of a chapter's code a folder of its own.
    """

    @wraps(function)
    def read_or_measure(*args: P.args, **kwargs: P.kwargs) -> R:
        if not (folder := os.environ.get(FOLDER)):
            return function(*args, **kwargs)
        digest = hashlib.sha256(pickle.dumps((args, kwargs))).hexdigest()
        name = f"{function.__module__}.{function.__qualname__}"
        path = Path(folder) / f"{name}-{digest[:16]}"
        if path.exists():
            kept: R = pickle.loads(path.read_bytes())
            return kept
        result = function(*args, **kwargs)
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, delete=False) as draft:
            draft.write(pickle.dumps(result))
        Path(draft.name).replace(path)
        return result

    return read_or_measure


def share_propagation() -> None:
    """Let a chapter's cells, too, read what another edition has measured."""
    if os.environ.get(FOLDER):
        for name in ("direct_coefficient", "profile"):
            function = getattr(propagation, name)
            if not hasattr(function, "__wrapped__"):  # `setup` is called again
                setattr(propagation, name, measured(function))
