"""The race of five networks in the page, and a recorded one without script.

Chapter `01-why`.
"""

from html import escape

import numpy as np

from preact.book.explorers import Html, engine_plan, mount
from preact.book.page import words
from preact.book.why.figures import race_curves
from preact.book.why.race import (
    ARMS,
    BATCH,
    RECIPE,
    STEPS,
    WINDOW,
    race_digits,
    race_plan,
    train_arm,
)
from preact.figures.variants import arm_name, color_of, marker_of
from preact.reference.caches import Array

RATES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
FORMULAS = {
    "constant-scaling-0-1": "ReLU(F(x))",
    "original": "ReLU(x + F(x))",
    "original+final-bn": "ReLU(x + F(x))",
    "no-relu-after-addition": "x + F(x)",
    "full-preactivation": "x + F(ReLU(BN(x)))",
}
OWN_WORDS = (
    *("rank", "ask", "up", "down", "moved", "commit", "again", "kept"),
    *("race", "learning_rate", "start", "stop", "pin", "unpin", "first"),
    *("running", "stopped", "done", "training_loss", "step", "readout"),
    *("note", "empty", "outcome", "yours", "came", "settings", "pinned"),
    *("diverged", "alt_loss", "alt_error", "alt_outcome"),
    *("your_place", "final_loss", "test_error"),
)
SHARED_WORDS = (
    "punctuation.list",
    "number.percent",
    "explorer.units",
    "explorer.seed",
    "figure.training_error",
    "table.network",
)


def smooth(values: Array) -> Array:
    """Mean of the last `WINDOW` values up to each step."""
    starts = [max(0, i + 1 - WINDOW) for i in range(len(values))]
    means = [values[a : i + 1].mean() for i, a in enumerate(starts)]
    return np.array(means)


def race(units: int = 20, seed: int = 0) -> Html:
    """Let the reader rank five networks and watch them train in the page.

    The same race is run here, by the reference: what stands where no script
    runs.

    Parameters
    ----------
    units, seed : int
        What the controls show at first, and what the recorded race has.

    Examples
    --------
    Seconds of training, so no test runs it here; a cell shows the race:

    >>> from preact.book import setup
    >>> from preact.book.why import race
    >>> strings = setup("en")
    >>> race(units=4)  # doctest: +SKIP
    """
    say, digits = words(), race_digits()
    loss, error = {}, {}
    for arm in ARMS:
        curve, _ = train_arm(race_plan(arm, units), digits, seed=seed)
        loss[arm], error[arm] = smooth(curve[:, 0]), 100 * smooth(curve[:, 1])
    settings = say("race.settings", units=units, lr=RECIPE["lr"], seed=seed)
    caption = say("race.recorded", settings=settings)
    caption += " " + say("race.note", window=WINDOW, batch=BATCH)
    figure = race_curves(loss, error, units, say)._repr_html_()
    inside = f"{figure}<p>{escape(caption)}</p>"
    return mount("race", say("race.title"), race_data(units, seed), inside)


def race_data(units: int, seed: int) -> dict[str, object]:
    """What the explorer reads: words, networks, recipe, first settings."""
    say = words()
    own = {key: say.table[f"race.{key}"] for key in OWN_WORDS}
    shared = {key.split(".")[1]: say.table[key] for key in SHARED_WORDS}
    own["note"] = say("race.note", window=WINDOW, batch=BATCH)
    arms = {}
    for arm in ARMS:
        row, _, control = arm.partition("+")
        formula = FORMULAS[arm]
        if control:
            formula += say("race.before_classifier")
        arms[arm] = {
            "name": arm_name(arm, say),
            "formula": formula,
            "color": color_of(row),
            "marker": marker_of(row),
            "dashed": bool(control),
            "plan": engine_plan(race_plan(arm, units)),
        }
    return {
        "words": own | shared,
        "arms": arms,
        "batch": BATCH,
        "steps": STEPS,
        "window": WINDOW,
        "rates": RATES,
        "recipe": {
            "momentum": RECIPE["momentum"],
            "weightDecay": RECIPE["weight_decay"],
        },
        "defaults": {"units": units, "lr": RECIPE["lr"], "seed": seed},
    }
