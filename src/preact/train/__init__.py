"""Training: protocols by name, a loop that resumes bit for bit, checkpoints.

Chapter `08-training`.
"""

from preact.train.loop import Outcome, train
from preact.train.protocol import Protocol, find_protocol, protocols
from preact.train.run import Execution, Run

__all__ = [
    "Execution",
    "Outcome",
    "Protocol",
    "Run",
    "find_protocol",
    "protocols",
    "train",
]
