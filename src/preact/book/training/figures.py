"""What training costs: memory by depth, expected and gained."""

from collections.abc import Mapping, Sequence
from typing import Any

from preact.figures.chart import Chart, draw
from preact.figures.style import Picture
from preact.figures.svg import INK
from preact.figures.variants import values_by_row
from preact.strings import Strings

# One color, marker and dash for each way to keep activations.
WAYS: dict[str, tuple[str, str, Any]] = {
    "keep": ("#c1440e", "s", "--"),
    "recompute": ("#8a5fbf", "o", (0, (8, 2))),
    "unit": ("#2f7fb8", "^", ":"),
    "segment": ("#3a8f4d", "D", "-."),
}
SHARE_COLOR, TIMES_COLOR = "#8a5fbf", "#2f7fb8"


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


def expected_and_gained(
    account: Sequence[Mapping[str, Any]], strings: Strings
) -> Picture:
    """What each step toward speed was expected to gain, and gained.

    A step has a `name`; `expected`, one number (at least) or two; `measured`,
    a number; `share`, whether a share of bytes, where less is better.
    """

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        ax = panel.ax
        for y, step in enumerate(account):
            low, high = step["expected"][0], step["expected"][-1]
            ends = [low, max(high, 2.2) if low == high else high]
            style: Any = {"color": TIMES_COLOR, "marker": "o"}
            if step["share"]:
                style = {"color": SHARE_COLOR, "marker": "s"}
            bar: Any = {"lw": 7, "alpha": 0.55, "color": style["color"]}
            bar |= {"name": strings("drawn.expected")}
            panel.plot(ends, [y, y], told=(None, [step["name"]] * 2), **bar)
            style |= {"name": strings("drawn.gained"), "ls": ""}
            told = None, [step["name"]]
            panel.plot([step["measured"]], [y], told=told, **style)
        ax.axvline(1, color=INK, lw=1, ls=":")
        ax.set_yticks(range(len(account)), [s["name"] for s in account])
        ax.set(xscale="log", ylim=(len(account) - 0.5, -0.5))
        ticks = [0.05, 0.1, 0.2, 0.5, 1, 2]
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.minorticks_off()
        ax.set_xlabel(strings("training_cost.times"))

    each = {step["name"]: f"{step['measured']:.2f}" for step in account}
    said = values_by_row(strings, each)
    alt = strings("training_cost.speed_alt", each=said)
    return draw(on, (170, 18 + 8 * len(account)), alt)
