"""Ours beside the peers: the same network, the same step, by turns, on a CPU.

Chapter `08-training`.

Parameters
----------
name : str
    Of the contestant: package and settings.
peer : bool
    Whether it is another package.
plan : NetworkPlan
    The network.
batch : int
    Images in a step.
entries : sequence of Contestant
    Who runs.
progress : callable
    Called with the number of each turn when it is over; 0 does not count.
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
