"""Training: recipes by name, a loop that resumes bit for bit, checkpoints.

Examples
--------
>>> from dataclasses import replace
>>> from tempfile import TemporaryDirectory
>>> from preact.data import load
>>> from preact.train import Run, find_recipe, train
>>> recipe = find_recipe("digits")
>>> recipe = replace(recipe, iterations=2, batch=16, ghost_batch=16)
>>> run = Run(
...     row="original", depth=8, convs=2, recipe=recipe, data=load("digits")
... )
>>> with TemporaryDirectory() as folder:
...     outcome = train(run, folder)
>>> outcome.outcome, outcome.iterations, len(outcome.weights)
('finished', 2, 37)

Chapters `09-training` and `10-imagenet`.
"""

from preact.train.evaluation import evaluate
from preact.train.loop import Outcome, train
from preact.train.own_code import OwnCode
from preact.train.recipe import Recipe, find_recipe, recipes
from preact.train.run import Execution, Run

__all__ = [
    "Execution",
    "Outcome",
    "OwnCode",
    "Recipe",
    "Run",
    "evaluate",
    "find_recipe",
    "recipes",
    "train",
]
