"""Exercise checkers: each says whether an answer is right, and why.

An answer is a number or the reader's own function, which is run on fresh
random input and compared with the package.

Chapters `01-why`, `02-signal`, `03-gradient` and `04-units`.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from preact import paper
from preact.book.page import words
from preact.plan import UnitPlan, cifar_plan, stack_plan
from preact.propagation import draw_batch, profile, rms, shortcut_products
from preact.reference import initialize, network_forward, unit_forward
from preact.reference.layers import bn_backward, bn_forward
from preact.reference.network import unit_params
from preact.spec import CONTROLS, TABLE_1, TABLE_2, Op

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
    return Verdict(bool(right))


def _number(answer: Any, expected: float, rtol: float = 0.0) -> Answer:
    """Compare a number."""
    value = float(answer)
    return abs(value - expected) <= rtol * abs(expected), f"{value:g}"


def _harmless_units(answer: Any) -> Answer:
    """Rows that return a non-negative input when their branch is silent."""
    rows = {**TABLE_2, **CONTROLS}
    return _number(
        answer, sum(Op.BN not in spec.after for spec in rows.values())
    )


def _gain_of_resnet_1001(answer: Any) -> Answer:
    """Points between both units on CIFAR-10 at the paper's own batch."""
    error = {
        r.row: r.error_pct
        for r in paper.results(3)
        if (r.data, r.depth) == ("CIFAR-10", 1001)
    }
    original, full = error["original"], error["full-preactivation"]
    assert original is not None
    assert full is not None
    return _number(answer, original - full, rtol=1e-6)


def _additions_of_one_layer_units(answer: Any) -> Answer:
    """Additions in ResNet-110 made of one-layer units."""
    plan = cifar_plan(TABLE_2["original"], depth=110, convs=1)
    return _number(answer, len(plan.units))


def _copying_unit(answer: Any) -> Answer:
    """An original unit without BN, silent and not."""
    rng = np.random.default_rng()
    x = np.maximum(rng.normal(size=(64, 16)), 0)
    worst = 0.0
    for scale in (0.0, 1.0):
        W1, W2 = rng.normal(size=(16, 16)), scale * rng.normal(size=(16, 16))
        wanted = np.maximum(x + np.maximum(x @ W1.T, 0) @ W2.T, 0)
        worst = max(worst, _error(answer(x, W1, W2), wanted))
    return worst < 1e-9, f"|Δ|/|x| = {worst:.2g}"


def _deep_stream(answer: Any) -> Answer:
    """Root mean square of the stream after 399 units."""
    plan = stack_plan(TABLE_2["full-preactivation"], units=399, width=64)
    measured = profile(plan, batch=64).signal_rms[-1]
    return _number(answer, measured, rtol=0.15)


def _telescope(answer: Any) -> Answer:
    """All stream values from the branches alone, Eq. (4)."""
    rng = np.random.default_rng()
    x0, branches = rng.normal(size=(3, 4)), rng.normal(size=(5, 3, 4))
    wanted = np.concatenate([x0[None], x0 + np.cumsum(branches, axis=0)])
    error = _error(np.array(answer(x0, list(branches))), wanted)
    return error < 1e-9, f"|Δ|/|x| = {error:.2g}"


def _mean_of_rectified(answer: Any) -> Answer:
    """Mean of a rectified normal variable of variance 1."""
    return _number(answer, 1 / math.sqrt(2 * math.pi), rtol=0.01)


def _short_paths(answer: Any) -> Answer:
    """Paths through exactly two of 54 branches."""
    return _number(answer, math.comb(54, 2))


def _half_life(answer: Any) -> Answer:
    """Units after which 0.9 to their number is one half."""
    return _number(answer, math.log(0.5) / math.log(0.9), rtol=0.01)


def _direct_terms(answer: Any) -> Answer:
    """Products of lambda from each unit to the end, Eq. (8)."""
    factors = np.random.default_rng().uniform(0.5, 1.5, 7)
    wanted = [np.prod(factors[i:]) for i in range(8)]
    error = _error(answer(list(factors)), np.array(wanted))
    return error < 1e-9, f"|Δ|/|direct| = {error:.2g}"


def _masked_backward(answer: Any) -> Answer:
    """Gradient of the original unit as a row vector."""
    rng = np.random.default_rng()
    dout, y, J = (
        rng.normal(size=6),
        rng.normal(size=6),
        rng.normal(size=(6, 6)),
    )
    y[:2] = -abs(y[0]), abs(y[1])  # else one in 32 draws masks all or nothing
    wanted = (dout * (y > 0)) @ (np.eye(6) + J)
    error = _error(answer(dout, y, J), wanted)
    return error < 1e-9, f"|Δ|/|dx| = {error:.2g}"


def _open_gates(answer: Any) -> Answer:
    """Product of 54 gates at bias -6."""
    spec = TABLE_1["shortcut-only-gating-b-6"]
    plan = cifar_plan(spec, depth=110, convs=2)
    return _number(answer, shortcut_products(plan)[0], rtol=0.005)


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
    "why-1": _harmless_units,
    "why-2": _gain_of_resnet_1001,
    "why-3": _additions_of_one_layer_units,
    "why-4": _copying_unit,
    "signal-1": _deep_stream,
    "signal-2": _telescope,
    "signal-3": _mean_of_rectified,
    "signal-4": _short_paths,
    "gradient-1": _half_life,
    "gradient-2": _direct_terms,
    "gradient-3": _masked_backward,
    "gradient-4": _open_gates,
    "units-1": _units_of_resnet_1202,
    "units-2": _bn_backward,
    "units-3": _unit_parameters,
    "units-4": _repaired_unit,
    "units-5": _missing_tail,
}
