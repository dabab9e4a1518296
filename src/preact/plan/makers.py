"""The paper's networks, and the stack of equal units, as plans."""

from dataclasses import replace
from typing import Literal

from preact.plan.checks import MOST, check_choice, check_image, check_positive
from preact.plan.conventions import (
    PAPER,
    Conventions,
    Projection,
    Tap,
    find_conventions,
)
from preact.plan.depth import cifar_counts, imagenet_counts
from preact.plan.layers import Conv, Layer, MaxPool, Shape, op_layers
from preact.plan.network import NetworkPlan
from preact.plan.unit import UnitPlan
from preact.spec import BN, RELU, Conv1x1, Op, UnitSpec
from preact.spec.tables import find_unit

Stage = tuple[int, int, int]  # units, channels inside and out


def cifar_plan(
    spec: UnitSpec | str,
    *,
    depth: int | None = None,
    convs: int,
    classes: int = 10,
    image: Shape = (3, 32, 32),
    width: int = 16,
    units_per_stage: tuple[int, ...] | None = None,
    conventions: Conventions | str = PAPER,
) -> NetworkPlan:
    """Plan the paper's CIFAR network: three stages of n units (Sec. 5).

    Parameters
    ----------
    spec : UnitSpec or str
        The unit, the same everywhere, or the name of its row.
    depth : int
        3n + 2, 6n + 2 or 9n + 2 for 1, 2 or 3 convolutions per unit.
    convs : {1, 2, 3}
        Convolutions per unit: one-layer, basic, bottleneck.
    classes : int
        Outputs of the classifier.
    image : (int, int, int)
        Channels, height, width of one image.
    width : int
        Channels after the stem: 16 in the paper.
    units_per_stage : tuple of int, optional
        In place of `depth`: stages of these lengths, each after the first
        with half the side and twice the channels.
    conventions : Conventions or str
        What the paper leaves open, or one of its readings by name.

    Raises
    ------
    ValueError
        If depth is not of the legal form, or another argument is out of
        range; the message gives the value and the legal form.

    Examples
    --------
    >>> from preact.plan import cifar_plan
    >>> plan = cifar_plan("full-preactivation", depth=164, convs=3)
    >>> len(plan.units), plan.parameters
    (54, 1703258)
    >>> print(plan.units[1])
    BN ReLU conv 1x1 BN ReLU conv 3x3 BN ReLU conv 1x1 (+)
    """
    spec, conventions = find_unit(spec), find_conventions(conventions)
    check_choice("convs", convs, (1, 2, 3))
    counts = cifar_counts(depth, units_per_stage, convs)
    check_image(image)
    check_positive("width", width, MOST["width"])
    stages = _doubling(counts, width, convs)
    if convs == 3 and conventions.first_stage == "narrow":
        stages[0] = counts[0], max(width // 4, 1), width
    return _network(
        spec,
        convs=convs,
        classes=classes,
        image=image,
        stem=_stem(spec, image[0], width, 3, 1, conventions),
        stages=stages,
        conventions=conventions,
    )


def imagenet_plan(
    spec: UnitSpec | str,
    *,
    depth: int | None = None,
    classes: int = 1000,
    image: Shape = (3, 224, 224),
    stem: Literal["imagenet", "cifar"] = "imagenet",
    width: int = 64,
    convs: int | None = None,
    units_per_stage: tuple[int, ...] | None = None,
    conventions: Conventions | str = PAPER,
) -> NetworkPlan:
    """Plan ResNet-50, 101, 152 or 200: four bottleneck stages (Sec. 5).

    Parameters
    ----------
    spec, classes, image, conventions
        As in `cifar_plan`.
    depth : {18, 34, 50, 101, 152, 200}
        ResNet-200 is ResNet-152 plus 16 units on the 28x28 map (footnote 3).
        ResNet-18 and 34 of the first residual paper have basic units.
    stem : {"imagenet", "cifar"}
        7x7 convolution with stride 2 and max pooling, or one 3x3 convolution
        for 32x32 images.
    width : int
        Channels after the stem: 64 in the paper.
    convs, units_per_stage
        In place of `depth`, as in `cifar_plan`.

    Raises
    ------
    ValueError
        If depth or stem is not one of these, or the image is not a shape.

    Examples
    --------
    >>> from preact.plan import imagenet_plan
    >>> plan = imagenet_plan("original", depth=50, conventions="fair")
    >>> plan.stream_shapes[0], plan.stream_shapes[-1], plan.parameters
    ((64, 56, 56), (2048, 7, 7), 25557032)
    """
    spec, conventions = find_unit(spec), find_conventions(conventions)
    convs, counts = imagenet_counts(depth, convs, units_per_stage)
    check_choice("stem", stem, ("imagenet", "cifar"))
    check_image(image)
    check_positive("width", width, MOST["width"])
    fair = stem == "imagenet" and conventions.imagenet_stem == "BN ReLU"
    kernel, stride = (7, 2) if stem == "imagenet" else (3, 1)
    own = replace(conventions, stem=(BN, RELU)) if fair else conventions
    layers = _stem(spec, image[0], width, kernel, stride, own)
    if stem == "imagenet":
        layers = (*layers, MaxPool(name=f"stem.{len(layers)}"))
    plan = _network(
        spec,
        convs=convs,
        classes=classes,
        image=image,
        stem=layers,
        stages=_doubling(counts, width, convs),
        conventions=conventions,
    )
    if not fair:
        return plan
    # fb.resnet.torch activates in the stem, so the first unit must not.
    first = replace(
        plan.units[0], spec=replace(spec, pre=()), tap="before pre"
    )
    return replace(plan, units=(first, *plan.units[1:]))


def stack_plan(
    spec: UnitSpec | str,
    *,
    units: int,
    width: int,
    convs: int = 2,
    kernel: int = 1,
    side: int = 1,
    classes: int = 10,
    conventions: Conventions | str = PAPER,
) -> NetworkPlan:
    """Plan equal units without stages: the laboratory of chapters 02, 03, 07.

    With the default kernel 1 and side 1 this is a fully connected network on
    vectors of `width` numbers. There is no stem convolution; BN and ReLU at
    both ends follow the same rule as in the paper's networks.

    Parameters
    ----------
    spec : UnitSpec or str
        The unit, or the name of its row.
    units : int
        How many units.
    width : int
        Channels of the whole stack.
    convs : {1, 2, 3}
        Convolutions per unit.
    kernel : {1, 3}
        Side of the kernels, in pixels; the outer two of a bottleneck have 1.
    side : int
        Height and width of the whole stack, in pixels.
    classes : int
        Outputs of the classifier.
    conventions : str or Conventions
        What the paper leaves open, or the name of a set.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from preact.plan import stack_plan
    >>> stack_plan("full-preactivation", units=50, width=64).depth
    101
    """
    spec, conventions = find_unit(spec), find_conventions(conventions)
    check_choice("convs", convs, (1, 2, 3))
    check_choice("kernel", kernel, (1, 3))
    check_positive("units", units, MOST["units"])
    check_positive("width", width, MOST["width"])
    image = (width, side, side)
    check_image(image)
    return _network(
        spec,
        convs=convs,
        classes=classes,
        image=image,
        stem=op_layers(_stem_ops(spec, conventions), "stem", width),
        stages=[(units, width, width)],
        kernel=kernel,
        # Nothing is widened here, so the tap rule of the first unit, which
        # belongs to the stem convolution, does not apply either.
        conventions=replace(conventions, first_tap="before pre"),
    )


def _doubling(counts: tuple[int, ...], width: int, convs: int) -> list[Stage]:
    """Stages of twice the width from one to the next."""
    expansion = 4 if convs == 3 else 1
    inners = [width * 2**stage for stage in range(len(counts))]
    return [(n, c, expansion * c) for n, c in zip(counts, inners, strict=True)]


def _stem_ops(spec: UnitSpec, conventions: Conventions) -> tuple[Op, ...]:
    """BN and ReLU minus what the first unit brings itself."""
    if conventions.stem is not None:
        return conventions.stem
    return tuple(op for op in (BN, RELU) if op not in spec.pre)


def _stem(
    spec: UnitSpec,
    c_in: int,
    c_out: int,
    kernel: int,
    stride: int,
    conventions: Conventions,
) -> tuple[Layer, ...]:
    """Return the first convolution and what follows it."""
    conv = Conv(
        name="stem.0", c_in=c_in, c_out=c_out, kernel=kernel, stride=stride
    )
    ops = _stem_ops(spec, conventions)
    return (conv, *op_layers(ops, "stem", c_out, start=1))


def _network(
    spec: UnitSpec,
    *,
    convs: int,
    classes: int,
    image: Shape,
    stem: tuple[Layer, ...],
    stages: list[Stage],
    conventions: Conventions,
    kernel: int = 3,
) -> NetworkPlan:
    """Line up the stages by the boundary rules of the conventions."""
    check_positive("classes", classes, MOST["classes"])
    stride_on = 1 if convs == 3 and conventions.stride_on == "3x3" else 0
    first = [layer.c_out for layer in stem if isinstance(layer, Conv)]
    c_in = first[0] if first else image[0]
    units: list[UnitPlan] = []
    places: list[range] = []
    for stage, (count, c_inner, c_out) in enumerate(stages):
        for i in range(count):
            stride = 2 if stage > 0 and i == 0 else 1
            changes = stride != 1 or c_in != c_out
            units.append(
                UnitPlan(
                    spec=spec,
                    c_in=c_in,
                    c_inner=c_inner,
                    c_out=c_out,
                    stride=stride,
                    stride_on=stride_on,
                    convs=convs,
                    kernel=kernel,
                    tap=_tap(spec, not units, changes, conventions),
                    projection=_projection(spec, convs, changes, conventions),
                )
            )
            c_in = c_out
        places.append(range(len(units) - count, len(units)))
    tail = spec.pre if conventions.tail is None else conventions.tail
    return NetworkPlan(
        spec=spec,
        depth=convs * len(units) + len(first) + 1,
        convs=convs,
        image=image,
        classes=classes,
        stem=stem,
        units=tuple(units),
        stages=tuple(places),
        tail=op_layers(tail, "tail", c_in),
        init=conventions.init,
    )


def _tap(
    spec: UnitSpec, first: bool, changes: bool, conventions: Conventions
) -> Tap:
    """Where the shortcut leaves the trunk: before `pre` in interior units."""
    if not spec.pre:
        return "before pre"
    if first:
        return conventions.first_tap
    return conventions.width_tap if changes else "before pre"


def _projection(
    spec: UnitSpec, convs: int, changes: bool, conventions: Conventions
) -> Projection | None:
    """Return the shortcut's kind; Table 1's 1x1 stands in every unit."""
    if isinstance(spec.on_shortcut, Conv1x1):
        return "conv BN"
    if not changes:
        return None
    if conventions.projection != "derived":
        return conventions.projection
    if convs < 3:
        return "pad"
    return "conv" if BN in spec.pre else "conv BN"
