"""Sums and products, and what they are of: signals, numbers, chance."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from preact.conformance.graph import Kind

SUMS = {"add", "sub", "rsub", "addcmul", "lerp"}
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
            return Kind.ADD, _terms(name, args, kwargs, signals)
        minus = name == "rsub" or (
            name == "sub" and args[0] is not signals[0][0]
        )
        facts: dict[str, Any] = {"random": any(c.random for c in constants)}
        return Kind.SHIFT, facts | ({"minus": True} if minus else {})
    if len(signals) > 1:
        return Kind.PRODUCT, {"name": name}
    if any(c.random for c in constants):
        (mask,) = (
            x for x in args if isinstance(x, Tensor) and x is not signals[0][0]
        )
        whole = all(side == 1 for side in mask.shape[1:])
        return Kind.DROP, {"whole": whole}
    other = args[1] if args[0] is signals[0][0] else args[0]
    factor: float | None = None
    is_tensor = isinstance(other, Tensor)
    if not is_tensor or other.numel() == 1:
        factor = float(other)
    if name == "div" and factor:
        factor = 1.0 / factor
    learned = any(c.params for c in constants)
    return Kind.SCALE, {"factor": factor, "learned": learned}


def _terms(
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    signals: list[tuple[Tensor, int]],
) -> dict[str, Any]:
    """The factors of the terms, and which of them hear the loss."""
    alpha = float(kwargs.get("alpha", args[2] if len(args) > 2 else 1.0))
    factors = {
        "add": (1.0, alpha),
        "sub": (1.0, -alpha),
        "rsub": (-alpha, 1.0),
    }.get(name)
    return {
        "factors": factors,
        "grad": tuple(x.requires_grad for x, _ in signals),
    }
