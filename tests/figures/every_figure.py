"""One call of every function that draws, with numbers small and plain."""

from handed import BOTH, PROFILE, SEEDS

from preact import figures
from preact.plan import Conventions, cifar_plan
from preact.spec import BN, TABLE_2
from rooms import gathered

DRAWN = {
    "direct_term": lambda say: figures.direct_term(
        [10, 20], {row: SEEDS for row in BOTH}, SEEDS[0], say
    ),
    "signal_and_gradient": lambda say: figures.signal_and_gradient(
        {row: PROFILE for row in TABLE_2},
        {row: PROFILE for row in TABLE_2},
        say,
    ),
    "error_by_rate": lambda say: figures.error_by_rate(
        [0.1, 0.01], {"original": SEEDS, "original+final-bn": SEEDS}, say
    ),
    "depth_and_time": lambda say: figures.depth_and_time(
        {row: figures.Course(SEEDS, SEEDS, 12.5) for row in BOTH},
        [0, 30],
        [1],
        say,
    ),
    "race_curves": lambda say: figures.race_curves(
        {"original": PROFILE, "original+final-bn": PROFILE},
        {"original": PROFILE, "original+final-bn": PROFILE},
        20,
        say,
    ),
    "unit_diagram": lambda say: draw_unit(say, "row.original"),
    "answers_by_mutant": lambda say: figures.answers_by_mutant(
        {"one": {"a": "no"}, "two": {"b": "could not tell"}}, ["a", "b"], say
    ),
    "errors_by_condition": lambda say: figures.errors_by_condition(
        [
            figures.Group(say(f"conditions.{name}"), {"original": SEEDS[0]})
            for name in ("both_head", "f_broken")
        ],
        say,
    ),
}


def draw_unit(say, title_key):
    plan = cifar_plan(
        TABLE_2["original"],
        depth=20,
        convs=2,
        conventions=Conventions(tail=(BN,)),
    )
    return figures.unit_diagram(plan.units[-1], say, say(title_key))


for room in gathered("drawn").values():
    DRAWN |= room.DRAWN
