"""Which shortcut paths are still open: the rule, for any engine."""

import math
from typing import Any, Literal

from preact.spec import RELU, Scale, UnitSpec

Closing = Literal["nothing", "zeros", "everything", "unseen"]


def closing(spec: UnitSpec) -> Closing:
    """What of a unit's output has lost its shortcut.

    With f = ReLU the "zeros" of x_{l+1}; a factor of 0 closes "everything".
    Where BN follows that ReLU the zeros cannot be told: "unseen".
    """
    if spec.on_shortcut == Scale(0.0):
        return "everything"
    if RELU not in spec.after:
        return "nothing"
    return "zeros" if spec.after[-1] is RELU else "unseen"


class OpenPaths:
    """The coordinates whose shortcut path from x_0 to x_l is open.

    Streams come one by one, from x_0's `shape` on, as NumPy arrays or
    PyTorch tensors. Where the shape changes the count starts anew: the
    derivation holds inside a stage.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._alive: Any = True  # all, none, or a mask of `shape`

    def after_unit(self, x: Any, closes: Closing) -> Any:
        """Take x_{l+1}; return the share in [0, 1], NaN where unseen."""
        if tuple(x.shape) != self._shape:
            self._shape, self._alive = tuple(x.shape), True
        if closes == "everything":
            self._alive = False
        elif self._alive is None or self._alive is False:
            return self._share()
        elif closes == "unseen":
            self._alive = None
        elif closes == "zeros":
            still = x > 0
            self._alive = still if self._alive is True else self._alive & still
        return self._share()

    def _share(self) -> Any:
        """Return the share of what is alive; on the device of the stream."""
        if self._alive is None:
            return math.nan
        if isinstance(self._alive, bool):
            return float(self._alive)
        return self._alive.sum() / math.prod(self._shape)
