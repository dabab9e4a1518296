"""Experiments: a file that a human writes becomes runs, and runs records.

Chapter `09-training`.
"""

from preact.experiment.config import Experiment, read_experiment
from preact.experiment.execute import execute

__all__ = ["Experiment", "execute", "read_experiment"]
