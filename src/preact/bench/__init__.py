"""Ours beside the peers: the same network, the same step, one process.

Chapter `08-training`.

Parameters
----------
name, peer : str, bool
    Of the contestant, and whether it is another package.
facts : Facts
    Parameters, bytes, launches and the first step.
train_s, forward_s : list of float
    Seconds of each round.
plan : NetworkPlan
    The network.
batch : int
    Images in a step.
device : torch.device
    Where all of them run.
entries : sequence of Contestant
    Who runs.
progress : callable
    Called with the number of each turn.
"""

from preact.bench.contestants import Contestant, contestants
from preact.bench.measure import Measured, check, compare_times, limit_ms

__all__ = [
    "Contestant",
    "Measured",
    "check",
    "compare_times",
    "contestants",
    "limit_ms",
]
