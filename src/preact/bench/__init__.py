"""Ours beside the peers: the same network, the same step, by turns, on a CPU.

Chapter `09-training`.
"""

from preact.bench.check import check, checked_plan
from preact.bench.contestants import Contestant, contestants
from preact.bench.times import compare_times

__all__ = [
    "Contestant",
    "check",
    "checked_plan",
    "compare_times",
    "contestants",
]
