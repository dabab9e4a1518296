"""A race of five networks on the digits, by the rules of the page's engine.

The page trains in `book/scripts/engine`; `train_arm` runs the same race
here, with the same random numbers and `preact.reference`, so that a page
without script has a true one to show, and a test something to compare with.
`race_errors` runs many races of one arm at once, in PyTorch.

Chapter `01-why`.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from preact.book.measurements import measured
from preact.plan import (
    BN_EPS,
    PAPER,
    BatchNorm,
    Conv,
    Conventions,
    NetworkPlan,
    stack_plan,
)
from preact.reference import initialize, network_backward, network_forward
from preact.reference.caches import Array
from preact.reference.layers import Params, cross_entropy
from preact.reference.network import running_statistics
from preact.reference.sgd import sgd_step
from preact.spec import BN, CONTROLS, TABLE_1, TABLE_2, Scale

Labels = np.ndarray[Any, np.dtype[np.int64]]

FINAL_BN = Conventions(tail=(BN,))
ARMS = {
    "constant-scaling-0-1": (TABLE_1["constant-scaling-0-1"], PAPER),
    "original": (TABLE_2["original"], PAPER),
    "original+final-bn": (TABLE_2["original"], FINAL_BN),
    "no-relu-after-addition": (CONTROLS["no-relu-after-addition"], PAPER),
    "full-preactivation": (TABLE_2["full-preactivation"], PAPER),
}
NOT_RACING = {
    "no-relu-after-addition+final-bn": (
        CONTROLS["no-relu-after-addition"],
        FINAL_BN,
    )
}
WIDTH, BATCH, STEPS = 24, 64, 60
WINDOW = 10  # mini-batches whose mean is shown, and ranked by at the end
RECIPE = {"lr": 0.1, "momentum": 0.9, "weight_decay": 1e-4}
PIXELS = 64


class Digits(NamedTuple):
    """Normalized images (N, 64, 1, 1), labels (N,); `train` to learn from."""

    images: Array
    labels: Labels
    train: int


def race_plan(arm: str, units: int) -> NetworkPlan:
    """Plan an arm: a stack behind a first linear map of the pixels.

    Parameters
    ----------
    arm : str
        A key of `ARMS` or `NOT_RACING`.
    units : int
        Of the network.
    """
    spec, conventions = (ARMS | NOT_RACING)[arm]
    stack = stack_plan(spec, units=units, width=WIDTH, conventions=conventions)
    first = Conv(name="stem.0", c_in=PIXELS, c_out=WIDTH, kernel=1)
    rest = [
        replace(layer, name=f"stem.{i}")
        for i, layer in enumerate(stack.stem, start=1)
    ]
    return replace(
        stack,
        depth=stack.depth + 1,
        image=(PIXELS, 1, 1),
        stem=(first, *rest),
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
    params, draws = initialize(plan, seed), Draws(2 * seed)
    for name, value in params.items():
        if value.ndim == 1:
            continue
        gain = 1 / 3 if name == "classifier.weight" else 2
        drawn = draws.normal(value.size).reshape(value.shape)
        params[name] = math.sqrt(gain / value.shape[1]) * drawn
    return params


def mini_batches(train: int, size: int, steps: int, seed: int) -> Labels:
    """Return (steps, size) indices from an endless row of permutations."""
    draws, order = Draws(2 * seed + 1), list(range(train))
    row: list[int] = []
    while len(row) < steps * size:
        draws.shuffle(order)
        row += order
    return np.array(row[: steps * size]).reshape(steps, size)


def race_digits() -> Digits:
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


@measured
def train_arm(
    plan: NetworkPlan,
    digits: Digits,
    *,
    seed: int,
    steps: int = STEPS,
) -> tuple[Array, float]:
    """Train one network as the page does.

    Returns
    -------
    curve : (steps, 2) float64
        Loss in nats and share of wrong answers on each mini-batch.
    test : float
        Share of wrong answers on the test images after the last step.
    """
    params = initial_weights(plan, seed)
    velocity: Params = {}
    curve = np.empty((steps, 2))
    for step, batch in enumerate(
        mini_batches(digits.train, BATCH, steps, seed)
    ):
        labels = digits.labels[batch]
        logits, cache = network_forward(plan, params, digits.images[batch])
        loss, dlogits = cross_entropy(logits, labels)
        curve[step] = loss, (logits.argmax(1) != labels).mean()
        _, grads = network_backward(plan, dlogits, cache)
        kept = running_statistics(plan, params, cache)
        params, velocity = sgd_step(params, grads, velocity, **RECIPE)
        params |= kept
    images = digits.images[digits.train :]
    logits, _ = network_forward(plan, params, images, mode="eval")
    wrong = logits.argmax(1) != digits.labels[digits.train :]
    return curve, float(wrong.mean())


@measured
def race_errors(
    arm: str,
    units: int = 20,
    *,
    lr: float = RECIPE["lr"],
    seeds: Sequence[int] = range(8),
    steps: int = STEPS,
) -> Array:
    """Run one arm of the race with several seeds at once.

    Parameters
    ----------
    arm : str
        A key of `ARMS` or `NOT_RACING`.
    units, steps : int
        Units of the network, and steps of training.
    lr : float
        Learning rate; the rest of the recipe is the race's.
    seeds : sequence of S ints
        The networks and mini-batches of the page's races with these seeds.

    Returns
    -------
    (S,) float64
        Percent of wrong answers, the mean of the last `WINDOW` mini-batches:
        what the page ranks by.
    """
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # small sums: several threads take longer

    def through(layers: Sequence[object], x: Any, unit: str = "") -> Any:
        for layer in layers:
            if isinstance(layer, Conv):
                W = params[f"{unit}{layer.name}.weight"]
                x = torch.einsum("nsi,soi->nso", x, W)
            elif isinstance(layer, BatchNorm):
                weight, bias = (
                    params[f"{unit}{layer.name}.{name}"].flatten()
                    for name in ("weight", "bias")
                )
                flat = torch.nn.functional.batch_norm(
                    *(x.flatten(1), None, None, weight, bias),
                    training=True,
                    eps=BN_EPS,
                )
                x = flat.view_as(x)
            else:
                x = x.relu()
        return x

    plan, digits = race_plan(arm, units), race_digits()
    shortcut = plan.spec.on_shortcut
    assert isinstance(shortcut, Scale)
    drawn = [initial_weights(plan, seed) for seed in seeds]
    params = {}
    for name in drawn[0]:
        if "running" not in name:
            stacked = np.stack([weights[name] for weights in drawn])
            params[name] = torch.tensor(
                stacked.reshape(stacked.shape[:3]), requires_grad=True
            )
    recipe: dict[str, Any] = RECIPE | {"lr": lr}
    sgd = torch.optim.SGD(params.values(), **recipe)
    batches = [mini_batches(digits.train, BATCH, steps, s) for s in seeds]
    images = torch.tensor(digits.images.reshape(-1, PIXELS))
    labels, errors = torch.tensor(digits.labels), []
    for batch in np.stack(batches, axis=2):  # (steps, BATCH, S)
        x = through(plan.stem, images[batch])
        for i, unit in enumerate(plan.units):
            branch = (*unit.pre, *unit.weights, *unit.post)
            F = through(branch, x, f"units.{i}.")
            x = through(unit.after, shortcut.value * x + F, f"units.{i}.")
        logits = through(plan.tail, x)
        logits = torch.einsum(
            "nsi,soi->nso", logits, params["classifier.weight"]
        )
        logits = logits + params["classifier.bias"]
        wrong = logits.argmax(-1) != labels[batch]
        errors.append(100 * wrong.double().mean(0).numpy())
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), labels[batch].flatten()
        )
        sgd.zero_grad()
        (len(seeds) * loss).backward()  # of each network its own mean
        sgd.step()
    torch.set_num_threads(threads)
    return np.asarray(np.mean(errors[-WINDOW:], axis=0))
