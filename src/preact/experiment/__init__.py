"""Experiments: a file that a human writes becomes runs, and runs records.

Chapter `08-training`.
"""

from preact.experiment.config import (
    Experiment,
    experiment_schema,
    read_experiment,
    shipped,
)
from preact.experiment.execute import (
    Busy,
    execute,
    find_checkpoint,
)
from preact.experiment.matrix import PlannedRun, cost, planned_runs
from preact.records import Deviation
from preact.train.device import find_device

__all__ = [
    "Busy",
    "Deviation",
    "Experiment",
    "PlannedRun",
    "cost",
    "execute",
    "experiment_schema",
    "find_checkpoint",
    "find_device",
    "planned_runs",
    "read_experiment",
    "shipped",
]
