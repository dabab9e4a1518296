"""One call of every function of the room that draws."""

from handed import SEEDS

from preact.book.training import figures

DRAWN = {
    "memory_by_depth": lambda say: figures.memory_by_depth(
        [29, 164], {"keep": SEEDS[0]}, {"keep": {29: 0.125}}, say
    ),
    "expected_and_gained": lambda say: figures.expected_and_gained(
        [
            {
                "name": say("training_cost.times"),
                "expected": (0.5, 2.0),
                "measured": 1.25,
                "share": False,
            }
        ],
        say,
    ),
}
