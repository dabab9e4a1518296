"""Recipes by name, and the learning rate of each iteration."""

import math
import tomllib
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import Field

from preact.typed import Positive, Share, parse, shortened, typed

Rate = Annotated[float, Field(ge=0.0)]
Count = Annotated[int, Field(ge=0, le=10**9)]
Batch = Annotated[int, Field(ge=1, le=2**20)]


@typed
class Recipe:
    """How to train; the values with their sources stand in recipes.toml.

    Parameters
    ----------
    name, conventions : str
        Of the recipe; key of `preact.plan.conventions.CONVENTIONS`.
    batch, ghost_batch : int
        Images in a step, and images over which BN takes its statistics.
    lr, warmup_lr, warmup_iterations : float and int
        Learning rate, and that of the first steps, or where the schedule
        has no steps, from which on it rises to `lr`.
    schedule : {"steps", "linear", "cosine"}
        Of the learning rate: constant with drops; or a line from
        `warmup_lr` up to `lr` and, down to 0, another line or the half of a
        cosine.
    drop_at : tuple of int
        Iterations after which the rate is a tenth of what it was.
    iterations : int
        Steps of the whole run.
    momentum, nesterov : float and bool
        Share of the step before, from 0 to below 1; whether Nesterov's.
    weight_decay, decayed : float and {"everything", "weights"}
        L2 penalty on every parameter, or only on the weights of convolutions
        and classifier: not on BN and biases.
    label_smoothing : float
        Share of the target that is spread over all classes.
    normalization : {"channel", "pixel mean"}
        Of the images: by mean and deviation of each channel, or by the mean of
        each pixel and one deviation; images on disk by ImageNet's in any case.
    pad, pad_before_normalization : int and bool
        Pixels added on each side, before a crop of the image's own size;
        whether these are black, or else the mean.
    flip : bool
        Whether each image is mirrored with probability 1/2.
    optimizer : {"sgd", "adamw"}
        With "adamw" `momentum` is its first beta, the second is 0.999, and
        weight decay is decoupled from the gradient.

    Raises
    ------
    ValueError
        If the batch is not made of whole ghost batches, or a field has a
        value of another kind or out of its range.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from preact.train import find_recipe
    >>> paper = find_recipe("paper")
    >>> paper.batch, paper.iterations, paper.drop_at
    (128, 64000, (32000, 48000))
    >>> paper.lr_at(0), paper.lr_at(400), round(paper.lr_at(32_000), 4)
    (0.01, 0.1, 0.01)
    >>> replace(paper, batch=100)
    Traceback (most recent call last):
    ValueError: batch must be a multiple of ghost_batch; got 100 and 64
    """

    name: str
    conventions: Literal["paper", "torch-release", "fair"]
    batch: Batch
    ghost_batch: Batch
    lr: Annotated[float, Field(gt=0.0)]
    warmup_lr: Rate
    warmup_iterations: Count
    schedule: Literal["steps", "linear", "cosine"]
    drop_at: tuple[Positive, ...]
    iterations: Annotated[int, Field(ge=1, le=10**9)]
    momentum: Annotated[float, Field(ge=0.0, lt=1.0)]
    nesterov: bool
    weight_decay: Rate
    decayed: Literal["everything", "weights"]
    label_smoothing: Share
    normalization: Literal["channel", "pixel mean"]
    pad: Annotated[int, Field(ge=0, le=1024)]
    pad_before_normalization: bool
    flip: bool
    optimizer: Literal["sgd", "adamw"] = "sgd"

    def __post_init__(self) -> None:
        if self.batch % self.ghost_batch:
            raise ValueError(
                "batch must be a multiple of ghost_batch; got "
                f"{self.batch} and {self.ghost_batch}"
            )
        if self.nesterov and self.optimizer != "sgd":
            raise ValueError(
                f"nesterov must be false for {self.optimizer}; got true"
            )
        if self.nesterov and self.momentum == 0.0:
            raise ValueError(
                "momentum must be greater than 0 for nesterov; got 0.0"
            )

    @property
    def config(self) -> dict[str, Any]:
        """What a run's configuration says of it, as JSON has it."""
        values = asdict(self) | {"drop_at": list(self.drop_at)}
        if self.optimizer == "sgd":  # the only one, when records began
            del values["optimizer"]
        return values

    def lr_at(self, iteration: int) -> float:
        """Learning rate of iteration 0, 1, ..."""
        if self.schedule != "steps":
            rise, fall = self.warmup_iterations, self.iterations
            up = self.warmup_lr + (self.lr - self.warmup_lr) * iteration / max(
                rise, 1
            )
            if iteration < rise and self.schedule == "cosine":
                return up
            left = (fall - iteration) / max(fall - rise, 1)
            if self.schedule == "cosine":
                return self.lr * (1 - math.cos(math.pi * left)) / 2
            return min(up, self.lr * left)
        if iteration < self.warmup_iterations:
            return self.warmup_lr
        drops = sum(iteration >= drop for drop in self.drop_at)
        return self.lr * float(0.1**drops)


@cache
def recipes() -> dict[str, Recipe]:
    """Return every recipe by name."""
    text = files("preact.train").joinpath("recipes.toml").read_text("utf-8")
    return {
        name: parse(Recipe, {"name": name} | values, "recipes.toml")
        for name, values in tomllib.loads(text).items()
    }


def find_recipe(name: str) -> Recipe:
    """Return a recipe by name. ValueError if there is none.

    Examples
    --------
    >>> from preact.train import find_recipe
    >>> find_recipe("paper").weight_decay
    0.0001
    """
    if name not in tuple(recipes()):
        names = ", ".join(recipes())
        raise ValueError(
            f"recipe must be one of {names}; got {shortened(name)}"
        )
    return recipes()[name]
