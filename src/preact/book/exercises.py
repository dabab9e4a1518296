"""Exercise checkers: each says whether an answer is right, and why.

An answer is a number or the reader's own function, which is run on fresh
random input and compared with the package.

Chapter `04-units`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from preact.book.page import words
from preact.plan import UnitPlan, cifar_plan, stack_plan
from preact.propagation import draw_batch, rms
from preact.reference import initialize, network_forward, unit_forward
from preact.reference.layers import bn_backward, bn_forward
from preact.reference.network import unit_params
from preact.spec import TABLE_2

Answer = tuple[bool, str]  # right or not, what was got


class Verdict:
    """Truth of a check; a cell that ends in one shows nothing more."""

    def __init__(self, right: bool) -> None:
        self.right = right

    def __bool__(self) -> bool:
        return self.right

    def _ipython_display_(self) -> None:
        pass


def check(exercise: str, answer: object) -> Verdict:
    """Judge an answer, print the verdict in the page's language, return it.

    Parameters
    ----------
    exercise : str
        Its label, for example "units-1".
    answer : object
        A number or a function, as the exercise asks; `...` prints what to do.

    Raises
    ------
    ValueError
        If there is no such exercise.
    """
    say = words()
    if exercise not in CHECKERS:
        known = ", ".join(CHECKERS)
        raise ValueError(say("check.unknown", known=known, got=repr(exercise)))
    if answer is ...:
        print(say("check.prompt"))  # noqa: T201
        return Verdict(False)
    hint = say(f"exercise.{exercise}.hint")
    try:
        right, got = CHECKERS[exercise](answer)
    except Exception as error:  # the reader's own code may fail in any way
        text = f"{type(error).__name__}: {error}"
        print(say("check.error", error=text, hint=hint))  # noqa: T201
        return Verdict(False)
    if right:
        why = say(f"exercise.{exercise}.why")
        print(say("check.right", why=why))  # noqa: T201
    else:
        print(say("check.wrong", got=got, hint=hint))  # noqa: T201
    return Verdict(right)


def _number(answer: Any, expected: float, rtol: float = 0.0) -> Answer:
    """Compare a number."""
    value = float(answer)
    return abs(value - expected) <= rtol * abs(expected), f"{value:g}"


def _units_of_resnet_1202(answer: Any) -> Answer:
    """Basic units in a ResNet of 1202 layers."""
    plan = cifar_plan(TABLE_2["original"], depth=1202, convs=2)
    return _number(answer, len(plan.units))


def _bn_backward(answer: Any) -> Answer:
    """A function that computes dx of batch normalization."""
    rng = np.random.default_rng()
    x = rng.normal(1.0, 2.0, (5, 3, 4, 4))
    dout, gamma = rng.normal(size=x.shape), rng.normal(1.0, 0.1, 3)
    _, cache = bn_forward(x, gamma, np.zeros(3))
    x_hat, _, sigma, *_ = cache
    error = _error(
        answer(dout, x_hat, gamma, sigma), bn_backward(dout, cache)[0]
    )
    return error < 1e-9, f"|Δ|/|dx| = {error:.2g}"


def _unit_parameters(answer: Any) -> Answer:
    """Parameters of an interior bottleneck unit of stage 3."""
    unit = UnitPlan(
        spec=TABLE_2["full-preactivation"],
        c_in=256,
        c_inner=64,
        c_out=256,
        convs=3,
    )
    return _number(answer, unit.parameters)


def _repaired_unit(answer: Any) -> Answer:
    """A unit that must agree with the package, silent and not."""
    plan = stack_plan(TABLE_2["full-preactivation"], units=1, width=6)
    worst = 0.0
    for scale in (0.0, 1.0):
        params = initialize(plan, int(np.random.default_rng().integers(2**31)))
        own = unit_params(plan, params)[0]
        own |= {"weights.3.weight": own["weights.3.weight"] * scale}
        x, _ = draw_batch(plan, 8, 0)
        expected, _ = unit_forward(plan.units[0], own, x)
        W1, W2 = (own[f"weights.{i}.weight"][:, :, 0, 0] for i in (0, 3))
        got = answer(x[:, :, 0, 0], W1, W2)
        worst = max(worst, _error(got, expected[:, :, 0, 0]))
    return worst < 1e-9, f"|Δ|/|x| = {worst:.2g}"


def _missing_tail(answer: Any) -> Answer:
    """Root mean square of the stream after 100 units."""
    plan = stack_plan(TABLE_2["full-preactivation"], units=100, width=64)
    x, _ = draw_batch(plan, 256, 0)
    _, cache = network_forward(plan, initialize(plan, 0), x)
    return _number(answer, rms(cache.streams[-1]), rtol=0.1)


def _error(got: Any, expected: Any) -> float:
    """Norm of the difference, relative to what is expected."""
    difference = np.linalg.norm(np.asarray(got) - expected)
    return float(difference / np.linalg.norm(expected))


CHECKERS: dict[str, Callable[[Any], Answer]] = {
    "units-1": _units_of_resnet_1202,
    "units-2": _bn_backward,
    "units-3": _unit_parameters,
    "units-4": _repaired_unit,
    "units-5": _missing_tail,
}
