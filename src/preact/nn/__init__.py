"""The paper's networks in PyTorch: the same function as `preact.reference`.

Modules are built from a plan and know no table and no depth; their parameter
names are those of the reference.

Chapter `04-units` reads `unit` beside its NumPy twin; `07-depth` weighs the
gradients of weights, `09-imagenet` spreads a network over two processes.
"""

from preact.nn.network import Network
from preact.nn.unit import Unit
from preact.nn.watch import Watched, observe, propagate, watch

__all__ = ["Network", "Unit", "Watched", "observe", "propagate", "watch"]
