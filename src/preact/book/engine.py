"""What the page's engine computes, computed by `preact.reference`.

`book/scripts/engine` draws, measures and trains fully connected stacks in the
page. Here are the same networks from the same random numbers: chapter 01
shows them where no script runs, tests compare the two, and in a notebook
`answer` stands in for the page's worker, for units that no page knows.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from preact import reference
from preact.plan import Conv, Conventions, NetworkPlan, stack_plan
from preact.propagation import open_share, rms
from preact.reference.caches import Array
from preact.reference.layers import Params, backward, cross_entropy
from preact.reference.network import (
    Labels,
    running_statistics,
    stream_gradients,
)
from preact.spec import Op, Scale, UnitSpec
from preact.spec.tables import find_unit

PIXELS = 64


class Digits(NamedTuple):
    """Normalized images (N, 64, 1, 1), labels (N,); `train` to learn from."""

    images: Array
    labels: Labels
    train: int


# ------------------------------------------------------------------- plans
def engine_plan(plan: NetworkPlan) -> dict[str, Any]:
    """Say a plan of equal fully connected units as the page's engine reads it.

    As JSON has it; see `Network` in `book/scripts/engine/network.js`.
    """
    unit, shortcut = plan.units[0], plan.spec.on_shortcut
    assert isinstance(shortcut, Scale)
    rows = {
        "stem": plan.stem,
        "pre": unit.pre,
        "weights": unit.weights,
        "post": unit.post,
        "after": unit.after,
        "tail": plan.tail,
    }
    return {
        "inputs": plan.image[0],
        "width": unit.c_in,
        "units": len(plan.units),
        "classes": plan.classes,
        "shortcut": shortcut.value,
    } | {place: [str(layer) for layer in row] for place, row in rows.items()}


def said_plan(unit: UnitSpec | str, said: Mapping[str, Any]) -> NetworkPlan:
    """Plan what a question of the page says, with a unit of any kind.

    `said` is what `planOf` in `book/scripts/stack.js` makes; a factor other
    than 1 takes the place of the unit's shortcut.
    """
    spec = find_unit(unit)
    if said["shortcut"] != 1:
        spec = replace(spec, on_shortcut=Scale(said["shortcut"]))
    stack = stack_plan(
        spec,
        units=said["units"],
        width=said["width"],
        conventions=Conventions(tail=tuple(map(Op, said["tail"]))),
    )
    return stack if said["inputs"] == said["width"] else behind_map(stack)


def behind_map(stack: NetworkPlan) -> NetworkPlan:
    """Put a stack behind a first linear map of the pixels."""
    width = stack.image[0]
    first = Conv(name="stem.0", c_in=PIXELS, c_out=width, kernel=1)
    rest = [
        replace(layer, name=f"stem.{i}")
        for i, layer in enumerate(stack.stem, start=1)
    ]
    return replace(
        stack, depth=stack.depth + 1, image=(PIXELS, 1, 1), stem=(first, *rest)
    )


# ------------------------------------------------- the page's random numbers
class Draws:
    """mulberry32, Box-Muller and Fisher-Yates, as in `training.js`."""

    def __init__(self, seed: int) -> None:
        self.state = seed * 2654435761

    def uniform(self, size: int) -> Array:
        """Return `size` numbers in [0, 1)."""
        steps = np.arange(1, size + 1, dtype=np.uint64) * 0x6D2B79F5
        s = (steps + self.state % 2**32).astype(np.uint32)
        self.state += size * 0x6D2B79F5
        t = (s ^ (s >> 15)) * (s | np.uint32(1))
        t ^= t + (t ^ (t >> 7)) * (t | np.uint32(61))
        numbers: Array = (t ^ (t >> 14)).astype(np.float64) / 2**32
        return numbers

    def normal(self, size: int) -> Array:
        """Return `size` normal numbers."""
        u = self.uniform(2 * size)
        radius = np.sqrt(-2 * np.log(1 - u[0::2]))
        normal: Array = radius * np.cos(2 * math.pi * u[1::2])
        return normal

    def shuffle(self, order: list[int]) -> None:
        """Shuffle in place."""
        places = range(len(order) - 1, 0, -1)
        for i, u in zip(places, self.uniform(len(places)), strict=True):
            j = int(u * (i + 1))
            order[i], order[j] = order[j], order[i]


def initial_weights(plan: NetworkPlan, seed: int) -> Params:
    """Draw what the page draws: equal weights for equal seeds and shapes."""
    params, draws = reference.initialize(plan, seed), Draws(2 * seed)
    for name, value in params.items():
        if value.ndim == 1:
            continue
        gain = 1 / 3 if name == "classifier.weight" else 2
        drawn = draws.normal(value.size).reshape(value.shape)
        params[name] = math.sqrt(gain / math.prod(value.shape[1:])) * drawn
    return params


def mini_batches(train: int, size: int, steps: int, seed: int) -> Labels:
    """Return (steps, size) indices from an endless row of permutations."""
    draws, order = Draws(2 * seed + 1), list(range(train))
    row: list[int] = []
    while len(row) < steps * size:
        draws.shuffle(order)
        row += order
    return np.array(row[: steps * size]).reshape(steps, size)


def page_digits() -> Digits:
    """Read the digits; mean 0 and deviation 1 over the training pixels."""
    from preact.data import read_digits  # loads torch

    data = read_digits()
    parts = [data.train_images, data.test_images]
    images = np.concatenate([part.numpy() for part in parts]).astype(float)
    labels = np.concatenate(
        [data.train_labels.numpy(), data.test_labels.numpy()]
    )
    train = len(data.train_labels)
    images = (images - images[:train].mean()) / images[:train].std()
    return Digits(images.reshape(len(images), PIXELS, 1, 1), labels, train)


# --------------------------------------------------------------- answering
def signal(plan: NetworkPlan, *, batch: int, seed: int) -> list[float]:
    """Return the rms of x_0, ..., x_L that the page draws for a plan."""
    draws = Draws(2 * seed + 1)
    x = draws.normal(batch * plan.image[0]).reshape(batch, *plan.image)
    params, rng = initial_weights(plan, seed), np.random.default_rng(seed)
    _, cache = reference.network_forward(plan, params, x, rng=rng)
    return [rms(x) for x in cache.streams]


def train(
    plan: NetworkPlan,
    digits: Digits,
    *,
    batch: int,
    seed: int,
    steps: int,
    **recipe: float,
) -> Iterator[dict[str, Any]]:
    """Train as the page does; tell each step, and the test at last.

    Of a step `loss` in nats, the share of `wrong` answers, and by depth
    `gradient`, the norm of dE/dx_l, and the `open` share; in the end `test`,
    the share of wrong answers on the test images.
    """
    params, rng = initial_weights(plan, seed), np.random.default_rng(seed)
    velocity: Params = {}
    for picks in mini_batches(digits.train, batch, steps, seed):
        labels = digits.labels[picks]
        logits, cache = reference.network_forward(
            plan, params, digits.images[picks], rng=rng
        )
        loss, dlogits = cross_entropy(logits, labels)
        gradients, grads = stream_gradients(plan, dlogits, cache)
        yield {
            "loss": loss,
            "wrong": float((logits.argmax(1) != labels).mean()),
            "gradient": [float(np.linalg.norm(g)) for g in gradients],
            "open": open_share(plan, cache.streams).tolist(),
        }
        grads |= backward(gradients[0], cache.stem)[1]
        kept = running_statistics(plan, params, cache)
        params, velocity = reference.sgd_step(
            params, grads, velocity, **recipe
        )
        params |= kept
    test = digits.images[digits.train :]
    logits, _ = reference.network_forward(plan, params, test, mode="eval")
    wrong = logits.argmax(1) != digits.labels[digits.train :]
    yield {"test": float(wrong.mean())}


def answer(
    units: Mapping[str, UnitSpec | str], asked: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Answer what the page's worker is asked, as `engine/worker.js` does.

    Of the units that the reader may choose it is asked questions about fresh
    networks, or for one network to train.
    """
    if "questions" not in asked:
        plan = said_plan(units[asked["row"]], asked["plan"])
        rates = dict(asked["recipe"])
        rates["weight_decay"] = rates.pop("weightDecay")
        how = {key: asked[key] for key in ("batch", "seed", "steps")}
        yield from train(plan, page_digits(), **how, **rates)
        return
    answers = []
    for question in asked["questions"]:
        plan = said_plan(units[question["row"]], question["plan"])
        how = {key: question[key] for key in ("batch", "seed")}
        answers.append({"signal": signal(plan, **how)})
    yield {"number": asked["number"], "answers": answers}
