"""With CC set to no compiler, `fast` is tested as it is without kernels."""

import os

import pytest

from preact.fast import kernels


@pytest.fixture
def compiled():
    """The C kernels, which may be missing only where CC says so."""
    if kernels() is None and os.environ.get("CC"):
        pytest.skip(f"CC={os.environ['CC']} makes no kernels")
    assert kernels() is not None, "these tests need a C compiler"
