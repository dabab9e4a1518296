"""How many units stand in each stage: depth arithmetic (Sec. 5)."""

from preact.plan.checks import MOST, check_choice, check_positive

IMAGENET_UNITS = {
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
    200: (3, 24, 36, 3),
}
"""Bottleneck units in each of four stages, by depth (200: footnote 3)."""
# Of the first residual paper, with basic units; none is in this one.
IMAGENET_BASIC = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3)}
"""Basic units in each of the four stages, by depth."""


def fitting_convs(depth: int) -> int:
    """Return convolutions per unit: bottlenecks where 9n + 2 fits, else basic.

    Depths that fit both (110 = 9 * 12 + 2 = 6 * 18 + 2) are basic up to 110,
    the deepest basic network of the paper's tables.

    ValueError, which names the nearest legal depths, if it fits neither.
    """
    check_positive("depth", depth, MOST["depth"])
    basic, bottleneck = _is_legal(depth, 6), _is_legal(depth, 9)
    if not basic and not bottleneck:
        near = [
            str(d)
            for d in range(max(depth - 6, 8), max(depth + 7, 9))
            if _is_legal(d, 6) or _is_legal(d, 9)
        ]
        raise ValueError(
            "depth must be 6n + 2 for 2 convolutions per unit or 9n + 2 for "
            f"3; got {depth} (legal near it: {', '.join(near)})"
        )
    return 2 if basic and (depth <= 110 or not bottleneck) else 3


def _is_legal(depth: int, per_n: int) -> bool:
    """Whether a depth is n times `per_n` layers, the stem's and the last."""
    return depth > per_n and (depth - 2) % per_n == 0


def cifar_counts(
    depth: int | None, units_per_stage: tuple[int, ...] | None, convs: int
) -> tuple[int, ...]:
    """Units of each stage, by the depth or as given.

    ValueError if no network has that depth.
    """
    if (depth is None) == (units_per_stage is None):
        raise ValueError(
            "one of depth and units_per_stage must be given; "
            f"got {depth!r} and {units_per_stage!r}"
        )
    if units_per_stage is not None:
        return check_stages(units_per_stage)
    check_positive("depth", depth, MOST["depth"])
    assert depth is not None
    per_n = 3 * convs
    n, rest = divmod(depth - 2, per_n)
    if rest or n < 1:
        near = sorted({max(n, 1) * per_n + 2, (max(n, 0) + 1) * per_n + 2})
        noun = "convolution" if convs == 1 else "convolutions"
        raise ValueError(
            f"depth must be {per_n}n + 2 for {convs} {noun} per unit; "
            f"got {depth} (nearest: {' and '.join(map(str, near))})"
        )
    return n, n, n


def check_stages(units: object) -> tuple[int, ...]:
    """Raise ValueError unless they are one to six positive whole numbers."""
    if not isinstance(units, tuple | list) or not 1 <= len(units) <= 6:
        raise ValueError(
            "units_per_stage must be 1 to 6 whole numbers, for example "
            f"(2, 2, 2); got {units!r}"
        )
    for count in units:
        check_positive("units_per_stage", count, MOST["units"])
    return tuple(units)


def imagenet_counts(
    depth: int | None,
    convs: int | None,
    units_per_stage: tuple[int, ...] | None,
) -> tuple[int, tuple[int, ...]]:
    """Convolutions per unit and units per stage. ValueError if none fit."""
    if units_per_stage is not None:
        convs = 3 if convs is None else convs
        check_choice("convs", convs, (1, 2, 3))
        return convs, cifar_counts(depth, units_per_stage, convs)
    check_choice("depth", depth, (*IMAGENET_BASIC, *IMAGENET_UNITS))
    assert depth is not None
    fitting = 2 if depth in IMAGENET_BASIC else 3
    if convs not in (None, fitting):
        raise ValueError(
            f"convs must be {fitting} for ResNet-{depth}; got {convs!r}"
        )
    return fitting, (IMAGENET_BASIC | IMAGENET_UNITS)[depth]


def check_depth(depth: int, convs: int, data: str) -> None:
    """Raise ValueError if no network for this data set has that depth."""
    if data == "imagenet":
        imagenet_counts(depth, convs, None)
    else:
        cifar_counts(depth, None, convs)
