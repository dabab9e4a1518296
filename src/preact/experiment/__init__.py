"""Experiments: a file that a human writes becomes runs, and runs records.

Examples
--------
>>> from preact.data import load
>>> from preact.experiment import planned_runs, read_experiment
>>> experiment = read_experiment("smoke")
>>> [str(planned.path) for planned in planned_runs(experiment, load("digits"))]
['smoke/digits/resnet-20-2/full-preactivation/seed-1.json']

Chapter `08-training`.

Parameters
----------
name, title : str
    Name of the file without `.toml`, as its records' folder is called; title
    in the file, or else the name.
networks : tuple
    Depth, convolutions per unit, width, stages and seeds of each network.
data : str or Data
    Name of the images, or the images.
recipe : Recipe
    How it is trained, with the file's changes.
execution : Execution
    How the function is computed.
deviations : sequence of Deviation
    Departures from the paper, with reasons.
experiment : Experiment or str
    What the file asks for, or its name.
run : Run
    What is trained.
device : str
    "cpu", "cuda" or, for one of several GPUs, "cuda:1" and so on.
steps : int
    Steps that are timed; the fastest counts.
save_every : int
    Iterations between checkpoints; one is due every minute in any case.
path : Path or str
    Of the file; a bare name is that of one of the package's.
"""

from preact.experiment.config import (
    Experiment,
    experiment_schema,
    read_experiment,
    shipped,
)
from preact.experiment.execute import Busy, execute
from preact.experiment.matrix import (
    PlannedRun,
    cost,
    count_runs,
    load_data,
    planned_runs,
)
from preact.records import Deviation
from preact.train.device import find_device

__all__ = [
    "Busy",
    "Deviation",
    "Experiment",
    "PlannedRun",
    "cost",
    "count_runs",
    "execute",
    "experiment_schema",
    "find_device",
    "load_data",
    "planned_runs",
    "read_experiment",
    "shipped",
]
