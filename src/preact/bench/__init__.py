"""Ours beside the peers: the same network, the same step, by turns.

Chapter `08-training`.

Parameters
----------
name : str
    Of the contestant: package and settings.
peer : bool
    Whether it is another package as shipped.
facts : Facts
    Parameters, bytes per image, launches and seconds of the first step.
train_s, forward_s : list of float
    Seconds of one training step, and of one forward pass, in each round.
plan : NetworkPlan
    The network.
batch : int
    Images in a step.
device : torch.device
    Where all of them run.
entries : sequence of Contestant
    Who runs.
progress : callable
    Called with the number of each turn when it is over; 0 does not count.
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
