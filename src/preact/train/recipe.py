"""Protocols by name, and the learning rate of each iteration."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from preact.plan.checks import check_choice


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How to train; the values with their sources stand in recipes.toml.

    Parameters
    ----------
    conventions : str
        Key of `preact.plan.CONVENTIONS`.
    batch, ghost_batch : int
        Images in a step, and images over which BN takes its statistics.
    lr, warmup_lr : float
        Learning rate, and the one of the first `warmup_iterations`.
    schedule : {"steps", "linear"}
        Of the learning rate: constant with drops, or a line from
        `warmup_lr` up to `lr` and another one down to 0.
    drop_at : tuple of int
        Iterations after which the rate is a tenth of what it was.
    weight_decay : float
        L2 penalty on every parameter, or only on `decayed` "weights" of
        convolutions and classifier.
    label_smoothing : float
        Share of the target that is spread over all classes.

    Raises
    ------
    ValueError
        If the batch is not made of whole ghost batches, or a field has a
        value that is not listed.
    """

    name: str
    conventions: str
    batch: int
    ghost_batch: int
    lr: float
    warmup_lr: float
    warmup_iterations: int
    schedule: Literal["steps", "linear"]
    drop_at: tuple[int, ...]
    iterations: int
    momentum: float
    nesterov: bool
    weight_decay: float
    decayed: Literal["everything", "weights"]
    label_smoothing: float
    normalization: str
    pad: int
    pad_before_normalization: bool
    flip: bool

    def __post_init__(self) -> None:
        check_choice("schedule", self.schedule, ("steps", "linear"))
        check_choice("decayed", self.decayed, ("everything", "weights"))
        if self.batch % self.ghost_batch:
            raise ValueError(
                "batch must be a multiple of ghost_batch; got "
                f"{self.batch} and {self.ghost_batch}"
            )
        if self.iterations < 1:
            raise ValueError(
                f"iterations must be at least 1; got {self.iterations}"
            )

    def lr_at(self, iteration: int) -> float:
        """Learning rate of iteration 0, 1, ..."""
        if self.schedule == "linear":
            rise, fall = self.warmup_iterations, self.iterations
            up = self.warmup_lr + (self.lr - self.warmup_lr) * iteration / max(
                rise, 1
            )
            down = self.lr * (fall - iteration) / max(fall - rise, 1)
            return min(up, down)
        if iteration < self.warmup_iterations:
            return self.warmup_lr
        drops = sum(iteration >= drop for drop in self.drop_at)
        return self.lr * float(0.1**drops)


@cache
def recipes() -> dict[str, Recipe]:
    """Return every recipe by name."""
    text = files("preact.train").joinpath("recipes.toml").read_text("utf-8")
    return {
        name: Recipe(
            name=name, **values | {"drop_at": tuple(values["drop_at"])}
        )
        for name, values in tomllib.loads(text).items()
    }


def find_recipe(name: str) -> Recipe:
    """Return a recipe by name.

    Raises
    ------
    ValueError
        If there is none; the message lists them.
    """
    if name not in recipes():
        known = ", ".join(recipes())
        raise ValueError(f"recipe must be one of {known}; got {name!r}")
    return recipes()[name]
