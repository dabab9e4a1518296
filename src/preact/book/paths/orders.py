"""Units taken out and exchanged: every selection of them, in every order.

Units of one shape may stand anywhere. Orders that begin alike share what
comes out of their beginning, so all of them are a tree, one unit a node.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

import numpy as np

from preact.book.explorers import Html, mount
from preact.book.page import section, words
from preact.book.panels import FINAL_BN
from preact.figures import Table
from preact.figures.variants import arm_name, color_of
from preact.reference.caches import Array

Order = tuple[int, ...]
T = TypeVar("T")

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def every_order(
    units: int, start: T, step: Callable[[T, int], T], order: Order = ()
) -> Iterator[tuple[Order, T]]:
    """Walk through every selection of units in every order.

    An order comes before those that begin with it, and these by their next
    unit: place `k` of the walk is the same order in every network. With each
    comes what its last unit returns: `step(x, i)` is what unit `i` makes of
    `x`, which it leaves as it is, and `start` has come through the units of
    `order`.
    """
    yield order, start
    for i in range(units):
        if i not in order:
            yield from every_order(units, step(start, i), step, (*order, i))


def order_explorer(
    errors: Mapping[str, Mapping[Order, Array]], images: int
) -> Html:
    """Take units of trained networks out, exchange them, read the error.

    The page's script builds the controls; without it a table stays. Errors are
    in percent, by arm and order, all as `every_order` walks; times the number
    of test images each is a whole number.
    """
    say = words()
    units = max(len(order) for order in next(iter(errors.values())))
    names = {arm: arm_name(arm, say) for arm in errors}
    own = section("orders") | {
        "network": say("table.network"),
        "error": say("parts.error_range"),
        "percent": say.table["number.percent"],
        "list": say("punctuation.list"),
        "semicolon": say("punctuation.semicolon"),
    }
    data = {
        "words": own,
        "units": units,
        "images": images,
        "seeds": len(next(iter(next(iter(errors.values())).values()))),
        "arms": [
            {
                "name": names[arm],
                "color": color_of(arm.removesuffix(FINAL_BN)),
                "wrong": "".join(written(e, images) for e in found.values()),
            }
            for arm, found in errors.items()
        ],
    }
    rows = [
        (
            say("punctuation.list").join(map(str, order)),
            *(f"{np.median(e[order]):.1f}" for e in errors.values()),
        )
        for order in _examples(units)
    ]
    head = (say("orders.order"), *names.values())
    table = Table(head, rows, say("orders.medians"))
    shown = table._repr_html_()
    return mount("subnetworks", own["title"], data, shown, repr(table))


def written(errors: Array, images: int) -> str:
    """Write the wrong images of each seed, two digits of base 36 each."""
    wrong = np.rint(errors * images / 100).astype(int)
    return "".join(DIGITS[n // 36] + DIGITS[n % 36] for n in wrong)


def spread_table(
    by_order: Mapping[str, Mapping[Order, Array]], caption: str = "spread"
) -> Table:
    """Least, median and greatest error over orders of one kind, by network.

    `by_order` is as in `order_explorer`; the caption, "spread_in_front", says
    where a layer of weights is in front of the first unit.
    """
    say, first = words(), next(iter(by_order.values()))
    units = max(map(len, first))
    whole = [order for order in first if len(order) == units]
    _, *near = _neighbors(units)
    kinds = {
        "in_order": [tuple(range(units))],
        "neighbors": near,
        "first_two": _neighbors(units)[:1],
        "first_first": [order for order in whole if order[0] == 0],
        "first_elsewhere": [order for order in whole if order[0] != 0],
    }
    body = []
    for kind, orders in kinds.items():
        cells = []
        for errors in by_order.values():
            found = [errors[order] for order in orders]
            low, middle, high = np.percentile(found, [0, 50, 100])
            cells.append(f"{middle:.0f} ({low:.0f}–{high:.0f})")
        body.append([say(f"orders.{kind}"), str(len(orders)), *cells])
    head = [say("orders.order"), say("orders.how_many")]
    head += [arm_name(arm, say) for arm in by_order]
    return Table(head, body, say(f"orders.{caption}"))


def _neighbors(units: int) -> list[Order]:
    """Return the orders with one pair of neighbors exchanged."""
    whole = tuple(range(units))
    return [(*whole[:i], i + 1, i, *whole[i + 2 :]) for i in whole[:-1]]


def _examples(units: int) -> list[Order]:
    """Return the whole, each unit taken out, each pair exchanged, turned."""
    whole = tuple(range(units))
    without = [(*whole[:i], *whole[i + 1 :]) for i in whole]
    turned = [(0, *whole[:0:-1]), whole[::-1]]
    return list(dict.fromkeys([whole, *without, *_neighbors(units), *turned]))
