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

Chapters `08-training` and `09-imagenet`.

Parameters
----------
name : str
    Of the recipe.
warmup_iterations : int
    Steps at `warmup_lr`, or where the schedule has no steps from it to `lr`.
iterations : int
    Steps of the whole run; of an outcome, steps that were taken.
momentum : float
    Share of the step before, from 0 to below 1.
nesterov : bool
    Whether the momentum is Nesterov's.
decayed : {"everything", "weights"}
    What the decay is of; "weights" leaves out BN and every bias.
normalization : {"channel", "pixel mean"}
    Of the images: by mean and deviation of each channel, or by the mean of
    each pixel and one deviation; images on disk by ImageNet's in any case.
pad : int
    Pixels added on each side, before a crop of the image's own size.
pad_before_normalization : bool
    Whether these are black; if not, the mean.
flip : bool
    Whether each image is mirrored with probability 1/2.
depth : int
    Layers: convolutions of the units, the stem's, and the classifier.
recipe : Recipe
    How it is trained.
data : Data
    The images.
seed : int
    Of weights, order of images, crops, flips and dropout.
execution : Execution
    How the function is computed.
device : str
    "cpu", "cuda" or, for one of several GPUs, "cuda:1" and so on.
outcome : {"finished", "diverged"}
    "diverged" if the loss at the last point of the curve is not finite.
test_error_pct : float
    Error of the last iteration on the test images, in percent.
train_loss : float
    Mean cross-entropy in nats between the last two points of the curve.
curve : list of dict
    By point: iteration, lr, loss (mean since the point before, in nats),
    train_error_pct and, in some, test_error_pct.
profiles : list of dict
    By step that was watched: iteration, signal_rms, gradient_norm and
    open_share, each of these three a list of L + 1 numbers or None.
kernels : list of str
    What computed the units, part by part.
wall_s : float
    Seconds of steps, tests and checkpoints, over all parts of the run.
images_per_s : float or None
    Training images in a second of steps, tests and checkpoints apart; None
    before there was any.
weights : mapping of str to Tensor
    Parameters and running statistics after the last iteration, by name.
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
