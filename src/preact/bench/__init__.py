"""Ours beside the peers: the same network, the same step, by turns.

Chapter `08-training`.
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
