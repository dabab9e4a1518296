"""Experiments: a file that a human writes becomes runs, and runs records.

Chapter `09-training`.
"""

from preact.experiment.config import Experiment, read_experiment
from preact.experiment.execute import execute
from preact.experiment.matrix import PlannedRun, planned_runs

__all__ = [
    "Experiment",
    "PlannedRun",
    "execute",
    "planned_runs",
    "read_experiment",
]
