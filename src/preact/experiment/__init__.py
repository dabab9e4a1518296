"""Experiments: a file that a human writes becomes runs, and runs records.

Chapter `08-training`.
"""

from preact.experiment.config import Deviation, Experiment, read_experiment
from preact.experiment.execute import (
    Busy,
    execute,
    find_checkpoint,
    find_device,
)
from preact.experiment.matrix import Cell, cells, cost

__all__ = [
    "Busy",
    "Cell",
    "Deviation",
    "Experiment",
    "cells",
    "cost",
    "execute",
    "find_checkpoint",
    "find_device",
    "read_experiment",
]
