"""The paper's networks in PyTorch: the same function as `preact.reference`.

Modules are built from a plan and know no table and no depth; their parameter
names are those of the reference.

Chapter `04-units` reads `unit` beside its NumPy twin.
"""

from preact.nn.network import Network, propagate
from preact.nn.unit import Unit

__all__ = ["Network", "Unit", "propagate"]
