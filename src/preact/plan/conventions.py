"""What the paper leaves open, each choice a field with its source."""

from dataclasses import dataclass
from typing import Literal

from preact.plan.checks import check_choice
from preact.plan.layers import Init
from preact.spec import Op
from preact.spec.unit import as_ops

Tap = Literal["before pre", "after pre"]
Projection = Literal["pad", "conv", "conv BN"]


@dataclass(frozen=True, kw_only=True)
class Conventions:
    """What the paper leaves open, each choice a field with its source.

    Parameters
    ----------
    first_tap : {"after pre", "before pre"}
        Where the shortcut of the network's first unit leaves the stream. After
        BN-ReLU in the paper's appendix; asked about in uvadlc_notebooks #107
        and keras-resnet #26. Means nothing where `spec.pre` is empty.
    width_tap : {"after pre", "before pre"}
        The same where the width changes: after BN-ReLU in the authors'
        release, Wide ResNet and timm; asked about in pytorch-cifar #9.
    stem : tuple of Op or None
        What follows the first convolution. None derives it: BN and ReLU
        minus `spec.pre`, so that nothing stands twice (cs-kd doubled it).
    imagenet_stem : {"derived", "BN ReLU"}
        "BN ReLU" is `fb.resnet.torch`: conv BN ReLU pool, and the first unit
        then has no `pre` of its own; timm has none of it.
    tail : tuple of Op or None
        What follows the last unit. None derives it: `spec.pre` again (paper,
        appendix). `(BN,)` on a unit that has none is the final-BN control;
        `()` on a pre-activation net is the field's bug (pytorch-cifar #137).
    stride_on : {"first", "3x3"}
        The convolution of a bottleneck that strides: the first 1x1
        (resnet-1k-layers) or the 3x3 (fb.resnet.torch, timm).
    projection : {"derived", "pad", "conv", "conv BN"}
        The shortcut where width or size changes. Derived: zero-padding for
        units of one or two convolutions (option A of the first paper), a 1x1
        convolution for bottlenecks, with BN exactly when `spec.pre` has none
        (resnet-1k-layers has none on its pre-activation projection).
    first_stage : {"expanded", "narrow"}
        Output width of the first bottleneck stage: 4 times the inner width
        (resnet-1k-layers: 64) or the stem's (16, a known mistake: hysts, with
        an inner width of 4).
    init : {"fan-in", "fan-out"}
        He initialization by fan-in (the default of Caffe's filler; that the
        paper used it is our assumption) or by fan-out (resnet-1k-layers).

    Raises
    ------
    ValueError
        If a field has a value that is not listed above.

    Examples
    --------
    >>> from preact.plan import Conventions, cifar_plan
    >>> narrow = Conventions(first_stage="narrow")
    >>> plan = cifar_plan(
    ...     "full-preactivation", depth=164, convs=3, conventions=narrow
    ... )
    >>> plan.units[0].c_out
    16
    """

    first_tap: Tap = "after pre"
    width_tap: Tap = "after pre"
    stem: tuple[Op, ...] | None = None
    imagenet_stem: Literal["derived", "BN ReLU"] = "derived"
    tail: tuple[Op, ...] | None = None
    stride_on: Literal["first", "3x3"] = "first"
    projection: Projection | Literal["derived"] = "derived"
    first_stage: Literal["expanded", "narrow"] = "expanded"
    init: Init = "fan-in"

    def __post_init__(self) -> None:
        legal = {
            "first_tap": ("after pre", "before pre"),
            "width_tap": ("after pre", "before pre"),
            "imagenet_stem": ("derived", "BN ReLU"),
            "stride_on": ("first", "3x3"),
            "projection": ("derived", "pad", "conv", "conv BN"),
            "first_stage": ("expanded", "narrow"),
            "init": ("fan-in", "fan-out"),
        }
        for field, values in legal.items():
            check_choice(field, getattr(self, field), values)
        for place in ("stem", "tail"):
            ops = getattr(self, place)
            if ops is not None:
                object.__setattr__(self, place, as_ops(place, ops))


PAPER = Conventions()
"""Our reading of the paper and, but for `init`, of its own release."""
TORCH_RELEASE = Conventions(init="fan-out")
"""The authors' own code, `resnet-1k-layers`."""
FAIR = Conventions(init="fan-out", stride_on="3x3", imagenet_stem="BN ReLU")
"""Facebook's code, `fb.resnet.torch`."""
CONVENTIONS = {"paper": PAPER, "torch-release": TORCH_RELEASE, "fair": FAIR}
"""The three sets by name."""


def find_conventions(conventions: Conventions | str) -> Conventions:
    """Return conventions that are given, or that a name says.

    ValueError, which lists the names, if they are neither.
    """
    if isinstance(conventions, Conventions):
        return conventions
    if isinstance(conventions, str) and conventions in CONVENTIONS:
        return CONVENTIONS[conventions]
    raise ValueError(
        f"conventions must be Conventions or one of {', '.join(CONVENTIONS)}; "
        f"got {conventions!r}"
    )
