"""What was measured: one JSON file a run, its curve beside it.

Files are written whole or not at all, and read only if they hold what a
record must hold.

Chapters `05-shortcuts`, `06-activations`, `07-depth`, `09-training`,
`10-imagenet` and `13-summary`.
"""

from preact.records.files import read_curve, read_record
from preact.records.record import Deviation, Record, StepProfile

__all__ = [
    "Deviation",
    "Record",
    "StepProfile",
    "read_curve",
    "read_record",
]
