"""Training: recipes by name, a loop that resumes bit for bit, checkpoints.

Chapter `08-training`.
"""

from preact.train.evaluation import evaluate
from preact.train.loop import Outcome, train
from preact.train.recipe import Recipe, find_recipe, recipes
from preact.train.run import Execution, Run

__all__ = [
    "Execution",
    "Outcome",
    "Recipe",
    "Run",
    "evaluate",
    "find_recipe",
    "recipes",
    "train",
]
