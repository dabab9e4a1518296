"""What training costs: memory by depth, two losses, expected and gained.

Chapter `08-training`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from preact.figures.style import Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.variants import arm_name, marked
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]

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

    Parameters
    ----------
    depths : sequence of int
        Of the predictions, layers.
    predicted : way to floats
        MB for each image, by hand.
    measured : way to depth to float
        MB for each image; a depth may be missing.

    Examples
    --------
    >>> from preact.book.training.figures import memory_by_depth
    >>> from preact.strings import Strings
    >>> predicted = {"keep": [10.0, 25.0], "segment": [3.0, 4.0]}
    >>> measured = {"keep": {164: 26.0}, "segment": {164: 4.2}}
    >>> strings, depths = Strings("en"), (56, 164)
    >>> picture = memory_by_depth(depths, predicted, measured, strings)
    >>> picture.alt.endswith("measured 4.2 at 164 layers.")
    True
    """
    each = []
    with axes(120, 100) as (figure, ax):
        for way, values in predicted.items():
            color, marker, dash = WAYS[way]
            name = strings(f"planner.{way}")
            by_hand = strings("drawn.by_hand", name=name)
            line: Any = {"ls": dash, "lw": 1.2, "label": f"_{by_hand}"}
            ax.plot(depths, values, color=color, **line)
            points = measured[way]
            ax.plot(
                list(points),
                list(points.values()),
                marker,
                color=color,
                label=name,
            )
            each.append(
                strings(
                    "alt.memory_row",
                    way=name,
                    predicted=f"{values[-1]:.1f}",
                    measured=f"{list(points.values())[-1]:.1f}",
                    depth=list(points)[-1],
                )
            )
        ax.set(xscale="log", yscale="log", xlabel=strings("bill.layers"))
        ax.set_title(strings("bill.peak"), fontsize=10)
        ax.set_xticks(depths, [str(d) for d in depths])
        ticks = [3, 10, 30, 100]
        ax.set_yticks(ticks, [str(tick) for tick in ticks])
        ax.minorticks_off()
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    return picture(figure, strings("bill.memory_alt", each=strings.join(each)))


def first_losses(
    live: Mapping[str, Array],
    recorded: Mapping[str, tuple[Array, Array]],
    strings: Strings,
) -> Picture:
    """Losses of the first steps, and of recorded runs, side by side.

    The words are those of networks of 1001 layers.

    Parameters
    ----------
    live : arm to (steps,) float64
        Loss of each mini-batch, in nats.
    recorded : arm to ((points,), (seeds, points)) float64
        Iterations, and the mean loss since the last of them.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.book.training.figures import first_losses
    >>> from preact.strings import Strings
    >>> live = {"original": np.linspace(40.0, 4.0, 10)}
    >>> recorded = {"original": (np.array([20, 40]), np.array([[9.0, 2.4]]))}
    >>> picture = first_losses(live, recorded, Strings("en"))
    >>> "the mean of the last ten steps in this page: 22.0" in picture.alt
    True
    """
    chance, each = np.log(10), []
    with axes(170, 92, columns=2) as (figure, (left, right)):
        for arm, losses in live.items():
            row, _, control = arm.partition("+")
            style: Any = marked(row, hollow=bool(control)) | {
                "ls": "--" if control else "-",
                "label": arm_name(arm, strings),
            }
            steps = np.arange(1, len(losses) + 1)
            left.plot(steps, losses, markevery=(9, 10), **style)
            last = np.mean(losses[-10:])
            each.append(
                strings(
                    "alt.per_row",
                    value=f"{last:.1f}",
                    row=arm_name(arm, strings),
                )
            )
        for arm, (at, losses) in recorded.items():
            for seed in losses:
                style = marked(arm) | {"label": f"_{arm_name(arm, strings)}"}
                right.plot(at, seed, **style)
        for ax, title in ((left, "bill.live"), (right, "bill.recorded")):
            ax.axhline(chance, color=INK, lw=1, ls=":")
            ax.set(yscale="log", ylim=(0.1, 400), xlabel=strings("race.step"))
            ax.set_yticks([0.3, 1, 3, 10, 100], ["0.3", "1", "3", "10", "100"])
            ax.minorticks_off()
            ax.set_title(strings(title), fontsize=10)
        figure.legend(
            *left.get_legend_handles_labels(),
            loc="outside lower center",
            ncols=2,
            fontsize=9,
            handlelength=4,
        )
    alt = strings("bill.losses_alt", each=strings.join(each))
    return picture(figure, alt)


def expected_and_gained(
    account: Sequence[Mapping[str, Any]], strings: Strings
) -> Picture:
    """What each step toward speed was expected to gain, and gained.

    Parameters
    ----------
    account : sequence of mappings
        `name`; `expected`, one number (at least) or two; `measured`, a
        number; `share`, whether a share of bytes, where less is better.

    Examples
    --------
    >>> from preact.book.training.figures import expected_and_gained
    >>> from preact.strings import Strings
    >>> step = {"name": "segments", "expected": (0.1, 0.2), "share": True}
    >>> account = [step | {"measured": 0.12}]
    >>> picture = expected_and_gained(account, Strings("en"))
    >>> "0.12 for segments" in picture.alt
    True
    """
    each = []
    with axes(170, 18 + 8 * len(account)) as (figure, ax):
        for y, step in enumerate(account):
            low, high = step["expected"][0], step["expected"][-1]
            color = SHARE_COLOR if step["share"] else TIMES_COLOR
            ends = [low, max(high, 2.2) if low == high else high]
            marker = "s" if step["share"] else "o"
            expected = "_" + strings("drawn.expected")
            gained = "_" + strings("drawn.gained")
            bar = {"lw": 7, "alpha": 0.55, "label": expected}
            ax.plot(ends, [y, y], color=color, **bar)
            ax.plot(step["measured"], y, marker, color=color, label=gained)
            each.append(
                strings(
                    "alt.per_row",
                    value=f"{step['measured']:.2f}",
                    row=step["name"],
                )
            )
        ax.axvline(1, color=INK, lw=1, ls=":")
        ax.set_yticks(range(len(account)), [s["name"] for s in account])
        ax.set(xscale="log", ylim=(len(account) - 0.5, -0.5))
        ticks = [0.05, 0.1, 0.2, 0.5, 1, 2]
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.minorticks_off()
        ax.set_xlabel(strings("bill.times"))
    alt = strings("bill.speed_alt", each=strings.join(each))
    return picture(figure, alt)
