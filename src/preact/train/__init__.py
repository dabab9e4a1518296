"""Training: recipes by name, a loop that resumes bit for bit, checkpoints.

Examples
--------
>>> from dataclasses import replace
>>> from tempfile import TemporaryDirectory
>>> from preact.data import load
>>> recipe = find_recipe("digits")
>>> recipe = replace(recipe, iterations=2, batch=16, ghost_batch=16)
>>> run = Run(
...     row="original", depth=8, convs=2, recipe=recipe, data=load("digits")
... )
>>> with TemporaryDirectory() as folder:
...     outcome = train(run, folder)
>>> outcome.outcome, outcome.iterations, len(outcome.weights)
('finished', 2, 37)

Chapters `08-training` and `09-imagenet`.

Parameters
----------
name : str
    Of the recipe.
warmup_iterations, iterations : int
    Steps with the smaller rate, and of the whole run.
momentum : float
    Share of the step before, from 0 to 1.
nesterov : bool
    Whether the momentum is Nesterov's.
decayed : {"everything", "weights"}
    What the decay is of.
normalization : {"channel", "pixel mean"}
    Of the images: mean and deviation by channel, or the mean image.
pad : int
    Pixels added on each side, before a crop of the image's own size.
pad_before_normalization : bool
    Whether these are black; if not, the mean.
flip : bool
    Whether each image is mirrored with probability 1/2.
depth, convs, width : int
    Layers, convolutions per unit, channels of the first stage.
recipe : Recipe
    How.
data : Data
    The images.
seed : int
    Of weights, order of images, crops and dropout.
execution : Execution
    How the function is computed.
device : str
    "cpu" or "cuda".
outcome : {"finished", "diverged"}
    How it ended.
test_error_pct : float
    Error of the last iteration on the test images, in percent.
train_loss : float
    Mean cross-entropy in nats between the last two points of the curve.
curve : list of points
    Loss and errors by iteration.
profiles : list of Profile
    Signal and gradient by unit.
kernels : list of str
    What computed the units, part by part.
wall_s : float
    Seconds of training.
images_per_s : float or None
    Training images a second.
weights : mapping of str to Tensor
    Of the last iteration.
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
