"""Marks that would hide each other stand apart, and keep their numbers."""

from typing import Any

import numpy as np
from matplotlib.transforms import ScaledTranslation, Transform

HIDDEN = 0.03, 0.4  # nearer: a share of the axis across, percent upward


def moved(ax: Any, across: float, up: float) -> Transform:
    """Return where an axes' numbers stand, moved by points."""
    scale = ax.figure.dpi_scale_trans
    there: Transform = ax.transData
    return there + ScaledTranslation(across / 72, up / 72, scale)


def meet(
    one: tuple[float, float],
    other: tuple[float, float],
    limits: tuple[float, float],
) -> bool:
    """Say whether the marker of one place would hide that of another."""
    wide = np.log10(limits[1] / limits[0])
    across = abs(np.log10(one[0] / other[0])) / wide
    return bool(across < HIDDEN[0] and abs(one[1] - other[1]) < HIDDEN[1])
