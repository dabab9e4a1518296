"""A small ResNet-20 in parts, before anybody has written it down.

A mistake changes one part; `writings` says how different people would have
written what the parts then are.
"""

from collections.abc import Callable

from torch import Tensor, nn

from preact.book.bugs.zoo.right import WIDTHS, conv1x1, conv3x3

UNITS = (3, 3, 3)
IMAGE = (3, 8, 8)
CLASSES = 10
PRE, ORIGINAL = "full-preactivation", "original"

Layers = list[nn.Module]


class Unit(nn.Module):
    """What stands where in one unit.

    Attributes
    ----------
    on_shortcut, start, inside, end, on_stream : nn.Module
        Five places at which nothing stands in a right unit: on the shortcut;
        before, between and behind the branch's layers; behind the addition.
    add : callable, optional
        Joins shortcut and branch, where that is no addition.
    raw : bool
        Whether the projection reads x, not its activation.
    """

    def __init__(self, row: str, c_in: int, c_out: int, stride: int) -> None:
        super().__init__()
        self.row, self.c_in, self.c_out, self.stride = row, c_in, c_out, stride
        self.changes = stride != 1 or c_in != c_out
        self.on_shortcut: nn.Module = nn.Identity()
        self.start: nn.Module = nn.Identity()
        self.inside: nn.Module = nn.Identity()
        self.end: nn.Module = nn.Identity()
        self.on_stream: nn.Module = nn.Identity()
        self.norm1: nn.Module = nn.BatchNorm2d(c_in if row == PRE else c_out)
        self.relu1: nn.Module = nn.ReLU()
        self.conv1: nn.Module = conv3x3(c_in, c_out, stride)
        self.norm2: nn.Module = nn.BatchNorm2d(c_out)
        self.relu2: nn.Module = nn.ReLU()
        self.conv2: nn.Module = conv3x3(c_out, c_out)
        projection: Layers = [conv1x1(c_in, c_out, stride)]
        if row == ORIGINAL:
            projection.append(nn.BatchNorm2d(c_out))
        self.projection = nn.ModuleList(projection if self.changes else [])
        self.add: Callable[[Tensor, Tensor], Tensor] | None = None
        self.raw = False

    @property
    def pre(self) -> Layers:
        """What the branch, and a projection, read x through."""
        if self.row == ORIGINAL:
            return []
        return [self.start, self.norm1, self.relu1]

    @property
    def branch(self) -> Layers:
        """F, behind `pre`."""
        if self.row == ORIGINAL:
            return [
                *(self.start, self.conv1, self.norm1, self.relu1),
                *(self.inside, self.conv2, self.norm2, self.end),
            ]
        return [
            *(self.conv1, self.inside, self.norm2),
            *(self.relu2, self.conv2, self.end),
        ]

    @property
    def after(self) -> Layers:
        """What the sum passes before the next unit."""
        if self.row == ORIGINAL:
            return [self.relu2, self.on_stream]
        return [self.on_stream]


class Parts:
    """What stands where in a network of nine units."""

    def __init__(
        self, row: str = PRE, counts: tuple[int, ...] = UNITS
    ) -> None:
        active: Layers = [nn.BatchNorm2d(WIDTHS[0]), nn.ReLU()]
        self.row = row
        self.stem: Layers = [conv3x3(3, WIDTHS[0])]
        self.stem += active if row == ORIGINAL else []
        self.units: list[Unit] = []
        c_in = WIDTHS[0]
        for stage, c_out in enumerate(WIDTHS):
            for i in range(counts[stage]):
                stride = 2 if stage > 0 and i == 0 else 1
                self.units.append(Unit(row, c_in, c_out, stride))
                c_in = c_out
        self.tail: Layers = []
        if row == PRE:
            self.tail = [nn.BatchNorm2d(c_in), nn.ReLU()]
        self.pool: nn.Module | None = None  # as the writing pleases
        self.classifier: nn.Module = nn.Linear(c_in, CLASSES)
