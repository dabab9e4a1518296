"""The race of five networks: the reader ranks them, then sees it.

Chapter `01-why`.
"""

from html import escape

import numpy as np

from preact.book.explorers import Html, mount
from preact.book.page import section, words
from preact.book.why.figures import has_bn, race_curves
from preact.book.why.race import ARMS, BATCH, RECIPE, STEPS, WINDOW, train_arm
from preact.figures.variants import arm_name, color_of, marker_of
from preact.reference.caches import Array

FORMULAS = {
    "constant-scaling-0-1": "ReLU(F(x))",
    "original": "ReLU(x + F(x))",
    "original+final-bn": "ReLU(x + F(x))",
    "no-relu-after-addition": "x + F(x)",
    "full-preactivation": "x + F(ReLU(BN(x)))",
}


def smooth(values: Array) -> Array:
    """Mean of the last `WINDOW` values up to each step."""
    starts = [max(0, i + 1 - WINDOW) for i in range(len(values))]
    means = [values[a : i + 1].mean() for i, a in enumerate(starts)]
    return np.array(means)


def race(units: int) -> Html:
    """Let the reader rank five networks, then show how they learned.

    The rest but for their units is the page's engine's and the playground's.
    """
    say = words()
    loss, error, arms = {}, {}, {}
    for arm in ARMS:
        curve = train_arm(arm, units, seed=0)
        loss[arm], error[arm] = smooth(curve[:, 0]), 100 * smooth(curve[:, 1])
        row, _, control = arm.partition("+")
        more = say("race.before_classifier") if control else ""
        arms[arm] = {
            "name": arm_name(arm, say),
            "formula": FORMULAS[arm] + more,
            "color": color_of(row),
            "marker": marker_of(row),
            "dashed": has_bn(arm),
        }
    shared = {
        "ask": say("race.ask", steps=STEPS),
        "error": say.table["number.percent"],
        "semicolon": say("punctuation.semicolon"),
    }
    data = {
        "words": section("race") | shared,
        "arms": arms,
        "errors": {arm: round(error[arm][-1], 1) for arm in ARMS},
        "digits": 1,
        "limits": (0, 100),
        "stored": "preact-race",
    }
    caption = say(
        "race.recorded",
        settings=say("race.settings", units=units, lr=RECIPE["lr"], seed=0),
    )
    caption += " " + say("race.note", window=WINDOW, batch=BATCH)
    figure = race_curves(loss, error, units, say)._repr_html_()
    told = f'<div class="told">{figure}<p>{escape(caption)}</p></div>'
    return mount("ranking", say("race.title"), data, told)
