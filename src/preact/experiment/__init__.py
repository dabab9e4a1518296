"""Experiments: a file that a human writes becomes runs, and runs records.

Examples
--------
>>> from preact.data import load
>>> experiment = read_experiment("smoke")
>>> [str(planned.path) for planned in planned_runs(experiment, load("digits"))]
['smoke/digits/resnet-20-2/full-preactivation/seed-1.json']

Chapter `08-training`.

Parameters
----------
name, title : str
    As the file has them; the name is the folder of its records.
networks : tuple
    Depth, convolutions, width and seeds of each network.
data : str or Data
    Name of the images, or the images.
recipe : Recipe
    How is trained.
execution : Execution
    How the function is computed.
deviations : sequence of Deviation
    Departures from the paper, with reasons.
experiment : Experiment or str
    What the file asks for, or its name.
run : Run
    What is trained.
device : str
    "cpu" or "cuda".
steps : int
    Steps whose fastest is taken.
save_every : int
    Iterations between checkpoints.
path : Path or str
    Of the file, or of a run's record.
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
