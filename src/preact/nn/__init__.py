"""The paper's networks in PyTorch: the same function as `preact.reference`.

Modules are built from a plan and know no table and no depth; their parameter
names are those of the reference. `memory` says what a step keeps.

Chapter `04-units` reads `unit` beside its NumPy twin; `10-imagenet` spreads a
network over two processes.
"""

from preact.nn.network import Network, with_classes
from preact.nn.own_units import put_units
from preact.nn.unit import Unit
from preact.nn.watch import watch

__all__ = [
    "Network",
    "Unit",
    "put_units",
    "watch",
    "with_classes",
]
