"""A race of five networks on the digits, by the rules of the page's engine.

`train_arm` trains as the page does, so that a page without script has a true
race to show, and a test something to compare with. `race_errors` runs many
races of one arm at once, in PyTorch.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from preact.book.engine import (
    PIXELS,
    behind_map,
    initial_weights,
    mini_batches,
    page_digits,
    train,
)
from preact.plan import BatchNorm, Conv, Conventions, NetworkPlan, stack_plan
from preact.plan.conventions import PAPER
from preact.plan.layers import BN_EPS
from preact.reference.caches import Array
from preact.spec import BN, CONTROLS, TABLE_1, TABLE_2, Scale

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
    ),
    "full-preactivation+empty-tail": (
        TABLE_2["full-preactivation"],
        Conventions(tail=()),
    ),
}
WIDTH, BATCH, STEPS = 24, 64, 60
WINDOW = 10  # mini-batches whose mean is shown, and ranked by at the end
RECIPE = {"lr": 0.1, "momentum": 0.9, "weight_decay": 1e-4}


def race_plan(arm: str, units: int) -> NetworkPlan:
    """Plan an arm of `ARMS` or `NOT_RACING`, behind a first linear map."""
    spec, conventions = (ARMS | NOT_RACING)[arm]
    return behind_map(
        stack_plan(spec, units=units, width=WIDTH, conventions=conventions)
    )


def train_arm(arm: str, units: int, *, seed: int, steps: int = STEPS) -> Array:
    """Train one network as the page does.

    Return (steps, 2): loss in nats and share of wrong answers by mini-batch.
    """
    how: dict[str, Any] = {"batch": BATCH, "seed": seed, "steps": steps}
    *curve, _ = train(race_plan(arm, units), page_digits(), **how | RECIPE)
    return np.array([(step["loss"], step["wrong"]) for step in curve])


def race_errors(
    arm: str,
    units: int = 20,
    *,
    lr: float = RECIPE["lr"],
    seeds: Sequence[int] = range(8),
    steps: int = STEPS,
) -> Array:
    """Run one arm of the race with several seeds at once.

    An arm of `ARMS` or `NOT_RACING`, with the networks and mini-batches of the
    page's races with these seeds, at another learning rate or in another
    number of steps. Return by seed what the page ranks by: percent of wrong
    answers, the mean of the last `WINDOW` mini-batches.
    """
    import torch

    from preact.book.stacks import single_thread

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

    plan, digits = race_plan(arm, units), page_digits()
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
    with single_thread():
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
    return np.asarray(np.mean(errors[-WINDOW:], axis=0))
