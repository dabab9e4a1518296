"""Training: protocols by name, a loop that resumes bit for bit, checkpoints.

Chapter `08-training`.
"""

from preact.train.loop import Outcome, Run, train
from preact.train.protocol import Protocol, find_protocol, protocols

__all__ = [
    "Outcome",
    "Protocol",
    "Run",
    "find_protocol",
    "protocols",
    "train",
]
