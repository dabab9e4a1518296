"""The paper's networks in PyTorch: the same function as `preact.reference`.

Modules are built from a plan and know no table and no depth; their parameter
names are those of the reference.

Chapter `04-units` reads `unit` beside its NumPy twin; `09-imagenet` spreads a
network over two processes.

Parameters
----------
units : int
    How many modules are watched.
branches : int
    How many branches.
plan : NetworkPlan
    Of the network.
params : mapping of str to array
    By parameter name, as `preact.reference.initialize` draws them.
x : (N, C, H, W) float array
    Images; their dtype is that of the computation.
labels : (N,) int
    Classes, from 0; a tensor of int64, or an array of any int.
"""

from preact.nn.network import Network, start_from, with_classes
from preact.nn.own_units import MakeUnit, put_units
from preact.nn.unit import Unit
from preact.nn.watch import Watched, observe, propagate, watch

__all__ = [
    "MakeUnit",
    "Network",
    "Unit",
    "Watched",
    "observe",
    "propagate",
    "put_units",
    "start_from",
    "watch",
    "with_classes",
]
