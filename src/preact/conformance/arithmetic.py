"""Sums and products, and what they are of: signals, numbers, chance."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from preact.conformance.graph import Kind

SUMS = {"add", "sub", "rsub", "lerp"}
FACTORS = {"mul", "div"}


@dataclass(frozen=True, slots=True)
class Constant:
    """A tensor that does not depend on the images."""

    params: tuple[str, ...] = ()
    random: bool = False


Meaning = int | Constant


def arithmetic(
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    signals: list[tuple[Tensor, int]],
    meanings: list[Meaning],
) -> tuple[Kind, dict[str, Any]]:
    """Classify +, -, times and divided by."""
    constants = [m for m in meanings if isinstance(m, Constant)]
    if name in SUMS:
        if len(signals) > 1:
            return _sum(name, args, kwargs, signals)
        if name == "lerp":
            return Kind.OTHER, {"name": name}
        minus = name == "rsub" or (
            name == "sub" and args[0] is not signals[0][0]
        )
        facts: dict[str, Any] = {
            "random": any(c.random for c in constants),
            "learned": any(c.params for c in constants),
        }
        return Kind.SHIFT, facts | ({"minus": True} if minus else {})
    if len(signals) > 1:
        return Kind.PRODUCT, {"name": name}
    if any(c.random for c in constants):
        masks = [x for x in args if isinstance(x, Tensor)]
        masks = [x for x in masks if x is not signals[0][0]]
        whole = all(side == 1 for mask in masks for side in mask.shape[1:])
        return Kind.DROP, {"whole": whole}
    other = args[1] if args[0] is signals[0][0] else args[0]
    factor: float | None = None
    if isinstance(other, Tensor):
        other = other.item() if other.numel() == 1 else None
    if isinstance(other, int | float):
        factor = float(other)
    if name == "div" and factor:
        factor = 1.0 / factor
    learned = any(c.params for c in constants)
    return Kind.SCALE, {"factor": factor, "learned": learned}


def _sum(
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    signals: list[tuple[Tensor, int]],
) -> tuple[Kind, dict[str, Any]]:
    """The factors of two terms, and which of them hear the loss."""
    taken = torch.is_grad_enabled()  # not inside of a checkpoint
    heard = {"grad": tuple(x.requires_grad or not taken for x, _ in signals)}
    if name == "lerp":
        share = args[2]
        if isinstance(share, Tensor) or len(signals) != 2:
            return Kind.OTHER, {"name": name}
        return Kind.ADD, heard | {"factors": (1.0 - share, float(share))}
    alpha = float(kwargs.get("alpha", 1.0))
    factors = {
        "add": (1.0, alpha),
        "sub": (1.0, -alpha),
        "rsub": (-alpha, 1.0),
    }[name]
    return Kind.ADD, heard | {"factors": factors}
