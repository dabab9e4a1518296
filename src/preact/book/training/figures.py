"""What training costs: memory by depth."""

from collections.abc import Mapping, Sequence
from typing import Any

from preact.figures.chart import Chart, draw
from preact.figures.style import Picture
from preact.strings import Strings

# One color, marker and dash for each way to keep activations.
WAYS: dict[str, tuple[str, str, Any]] = {
    "keep": ("#c1440e", "s", "--"),
    "recompute": ("#8a5fbf", "o", (0, (8, 2))),
    "unit": ("#2f7fb8", "^", ":"),
    "segment": ("#3a8f4d", "D", "-."),
}


def memory_by_depth(
    depths: Sequence[int],
    predicted: Mapping[str, Sequence[float]],
    measured: Mapping[str, Mapping[int, float]],
    strings: Strings,
) -> Picture:
    """Peak of the activations against the depth, both axes logarithmic.

    In MB for each image, by way: at all depths by hand, and what was measured
    at some of them.
    """
    names = {way: strings(f"planner.{way}") for way in predicted}

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        for way, values in predicted.items():
            color, marker, dash = WAYS[way]
            by_hand = strings("drawn.by_hand", name=names[way])
            line: Any = {"ls": dash, "lw": 1.2, "color": color}
            panel.plot(depths, values, name=by_hand, **line)
            at, name = measured[way], names[way]
            dots: Any = {"color": color, "name": name, "listed": True}
            panel.plot([*at], [*at.values()], marker, **dots)
        ax = panel.ax
        ax.set(
            xscale="log", yscale="log", xlabel=strings("training_cost.layers")
        )
        ax.set_title(strings("training_cost.peak"))
        ax.set_xticks(depths, [str(d) for d in depths])
        ticks = [3, 10, 30, 100]
        ax.set_yticks(ticks, [str(tick) for tick in ticks])
        ax.minorticks_off()
        chart.legend(ncols=2, fontsize=9)

    each = [
        strings(
            "alt.memory_row",
            way=names[way],
            predicted=f"{values[-1]:.1f}",
            measured=f"{[*measured[way].values()][-1]:.1f}",
            depth=[*measured[way]][-1],
        )
        for way, values in predicted.items()
    ]
    alt = strings("training_cost.memory_alt", each=strings.join(each))
    return draw(on, (120, 100), alt)
