"""The first unit deleted once more, with what could make it look special."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from preact.book.page import words
from preact.book.paths import ARMS
from preact.book.stacks import images, train
from preact.figures import Table
from preact.figures.variants import arm_name
from preact.reference.caches import Array

Control = tuple[bool, bool]

_, *RESIDUAL = ARMS
CONTROLS: dict[str, Control] = {  # a layer in front; BNs that measure anew
    "as_above": (False, False),
    "anew": (False, True),
    "in_front": (True, False),
    "both": (True, True),
}


def without_each(seeds: int = 20, seed: int = 0) -> dict[Control, Any]:
    """Test errors of the residual networks, whole and without each unit.

    In percent, (7, seeds) by control and arm; a control is a layer of weights
    in front, and BNs that measure their statistics without the unit.
    """
    units = range(6)
    orders = [list(units), *([j for j in units if j != i] for i in units)]
    found: dict[Control, dict[str, Array]] = {c: {} for c in CONTROLS.values()}
    for layer in (False, True):
        for name in RESIDUAL:
            network = train(
                *ARMS[name], seeds=seeds, seed=seed, first_layer=layer
            )
            kept = [network.test_errors(order) for order in orders]
            anew = []
            for order in orders:
                network.freeze(images().train, order)
                anew.append(network.test_errors(order))
            found[layer, False][name] = np.array(kept)
            found[layer, True][name] = np.array(anew)
    return found


def first_unit_table(errors: Mapping[Control, Mapping[str, Array]]) -> Table:
    """Errors whole and without the first unit, and how often it is dearest.

    `errors` are what `without_each` returns.
    """
    say, body, head = words(), [], [words()("controls.head")]
    for label, control in CONTROLS.items():
        line = [say(f"controls.{label}")]
        for found in errors[control].values():
            whole, first = np.median(found[:2], axis=1)
            cost = found[1:] - found[0]
            dearest = int((cost[0] > cost[1:].sum(0)).sum())
            line += [f"{whole:.0f} → {first:.0f}", str(dearest)]
        body.append(line)
    for name in RESIDUAL:
        head += [arm_name(name, say), say("controls.dearest")]
    return Table(head, body, say("controls.caption"))
