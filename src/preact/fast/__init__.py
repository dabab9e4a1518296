"""The same function, faster or in less memory: views of one network.

A view runs the very modules of the network it is made from: whatever is
trained, loaded, swapped, hooked, frozen or converted there is so here. Where
a unit is not exactly what a fused operation computes, its own forward runs.
Fused units are for CPUs; on a GPU the plain network runs, channels last.

Chapter `09-training`.
"""

from preact.fast.build import kernels
from preact.fast.memory import Memory
from preact.fast.network import (
    fast,
    with_memory,
)

__all__ = ["Memory", "fast", "kernels", "with_memory"]
