"""What determines a result: network, data, recipe, seed, arithmetic.

Chapter `08-training`.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

from preact.data import Data
from preact.fast.memory import Memory
from preact.plan import CONVENTIONS, NetworkPlan, cifar_plan, imagenet_plan
from preact.plan.checks import check_choice
from preact.spec import Op, find_row
from preact.train.precision import Precision
from preact.train.recipe import Recipe


@dataclass(frozen=True, kw_only=True)
class Execution:
    """How the same function is computed; the last bits depend on it.

    Parameters
    ----------
    precision : {"fp32", "tf32", "bf16", "fp16"}
        Of convolutions; "tf32" and the halves are faster on a GPU, "fp16"
        scales the loss.
    channels_last : bool
        Keep the channels of a pixel side by side in memory.
    memory : {"keep", "recompute", "unit", "segment"}
        What is kept for the backward pass; see `preact.fast.memory`.
    processes : int
        Processes that share a batch; each has its own BN statistics.
    fast : bool
        Use `preact.fast`, with channels last; on a GPU the whole step is
        one CUDA graph, unless there are several processes or checkpoints.

    Raises
    ------
    ValueError
        If a field has a value that is not listed, or `fast` stands alone.
    """

    precision: Precision = "fp32"
    channels_last: bool = False
    memory: Memory = "keep"
    processes: int = 1
    fast: bool = False

    def __post_init__(self) -> None:
        check_choice("precision", self.precision, get_args(Precision))
        check_choice("memory", self.memory, get_args(Memory))
        if self.fast and not self.channels_last:
            raise ValueError("fast needs channels_last; got it without")


@dataclass(frozen=True, kw_only=True)
class Run:
    """What is trained, on what, how, and from which seed.

    Parameters
    ----------
    row : str
        Key of `preact.spec.ROWS`.
    tail : tuple of Op, optional
        What stands before the classifier; None is what the row asks for.
    """

    row: str
    depth: int
    convs: int
    recipe: Recipe
    data: Data
    seed: int = 1
    width: int = 16
    tail: tuple[Op, ...] | None = None
    execution: Execution = Execution()

    @property
    def plan(self) -> NetworkPlan:
        """The network: recipe's conventions, shape of the data."""
        conventions = CONVENTIONS[self.recipe.conventions]
        if self.data.name == "imagenet":
            return imagenet_plan(
                find_row(self.row),
                depth=self.depth,
                classes=self.data.classes,
                image=self.data.shape,
                conventions=replace(conventions, tail=self.tail),
            )
        return cifar_plan(
            find_row(self.row),
            depth=self.depth,
            convs=self.convs,
            classes=self.data.classes,
            image=self.data.shape,
            width=self.width,
            conventions=replace(conventions, tail=self.tail),
        )

    @property
    def drawn_tail(self) -> tuple[Op, ...]:
        """The tail that the row's own figure asks for."""
        return find_row(self.row).pre

    @property
    def config(self) -> dict[str, Any]:
        """Everything that determines the result, resolved."""
        tail = self.drawn_tail if self.tail is None else self.tail
        execution = asdict(self.execution)
        if not self.execution.fast:
            del execution["fast"]  # as in records older than the field
        return {
            "row": self.row,
            "spec": str(self.plan.spec),
            "tail": " ".join(tail),
            "depth": self.depth,
            "convs": self.convs,
            "width": self.width,
            "protocol": asdict(self.recipe)  # the word of older records
            | {"drop_at": list(self.recipe.drop_at)},
            "data": self.data.name,
            "data_label": self.data.label,
            "data_sha256": self.data.sha256,
            "seed": self.seed,
            "execution": execution,
        }

    @property
    def config_sha256(self) -> str:
        """Hash of the configuration: the run's identity."""
        text = json.dumps(self.config, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()
