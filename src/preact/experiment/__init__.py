"""Experiments: a file that a human writes becomes runs, and runs records.

Examples
--------
>>> from preact.data import load
>>> from preact.experiment import planned_runs, read_experiment
>>> experiment = read_experiment("smoke")
>>> [str(planned.path) for planned in planned_runs(experiment, load("digits"))]
['smoke/digits/resnet-20-2/full-preactivation/seed-1.json']

Chapter `09-training`.
"""

from preact.experiment.config import Experiment, read_experiment
from preact.experiment.execute import execute
from preact.experiment.matrix import PlannedRun, load_data, planned_runs
from preact.records import Deviation
from preact.train.device import find_device

__all__ = [
    "Deviation",
    "Experiment",
    "PlannedRun",
    "execute",
    "find_device",
    "load_data",
    "planned_runs",
    "read_experiment",
]
