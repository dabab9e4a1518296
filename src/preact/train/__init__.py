"""Training: recipes by name, a loop that resumes bit for bit, checkpoints.

Chapters `09-training` and `10-imagenet`.
"""

from preact.train.evaluation import evaluate
from preact.train.loop import (
    train,
)
from preact.train.recipe import Recipe, find_recipe
from preact.train.run import Execution, Run

__all__ = ["Execution", "Recipe", "Run", "evaluate", "find_recipe", "train"]
