"""Sentences of the chapters that hold to rounding, or by construction.

No tolerance here is statistical: what is drawn at random may be anything.
"""

import pytest

claim = pytest.mark.claim
