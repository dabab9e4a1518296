"""One call of every function of the room that draws."""

from handed import BOTH

from preact.book.imagenet import figures

DRAWN = {
    "steps_with_band": lambda say: figures.steps_with_band(
        {say(f"row.{row}"): (-0.25, 0.125) for row in BOTH},
        say("imagenet.points"),
        "two changes",
    ),
    "real_over_predicted": lambda say: figures.real_over_predicted(
        {"a step": (0.5, 1.25)}, {"a training": (1000, 3000)}, say
    ),
}
