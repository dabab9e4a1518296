"""The residual unit as data: one frozen description per figure of the paper.

Between its first and its last convolution every two-layer unit of the paper is
the same ``conv BN ReLU conv``; a bottleneck has one more ``BN ReLU conv``, a
one-layer unit the ``conv`` alone. What is left to choose is one BN and one
ReLU, and three places to put them: before the first convolution (`pre`), after
the last one (`post`), after the addition (`after`, the paper's f), as Tables 1
and 2 do.

Chapter `01-why` meets its tables, chapter `04-units` reads it; chapters
`05-shortcuts` and `06-activations` walk through its tables.

References
----------
He et al., ECCV 2016, Eqs. (1), (2), (6), Figs. 2 and 4, Tables 1 and 2.
"""

from preact.spec.tables import (
    CONTROLS,
    ROWS,
    TABLE_1,
    TABLE_2,
    find_row,
)
from preact.spec.unit import (
    BN,
    RELU,
    Conv1x1,
    Dropout,
    Gated,
    Op,
    Scale,
    UnitSpec,
)

__all__ = [
    "BN",
    "CONTROLS",
    "RELU",
    "ROWS",
    "TABLE_1",
    "TABLE_2",
    "Conv1x1",
    "Dropout",
    "Gated",
    "Op",
    "Scale",
    "UnitSpec",
    "find_row",
]
