"""One call of every function that draws, with numbers small and plain."""

from handed import PROFILE

from preact import figures
from preact.plan import Conventions, cifar_plan
from preact.spec import BN, TABLE_2
from rooms import gathered

DRAWN = {
    "signal_and_gradient": lambda say: figures.signal_and_gradient(
        {row: PROFILE for row in TABLE_2},
        {row: PROFILE for row in TABLE_2},
        say,
    ),
    "unit_diagram": lambda say: draw_unit(say, "row.original"),
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
