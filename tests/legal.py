"""Everything that is legal, for hypothesis to draw from."""

from itertools import permutations

from hypothesis import strategies as st

from preact.plan import Conventions, UnitPlan, cifar_plan, stack_plan
from preact.spec import (
    BN,
    RELU,
    Conv1x1,
    Dropout,
    Gated,
    Scale,
    UnitSpec,
)

# (), BN, ReLU, BN ReLU, ReLU BN
OPS = [ops for count in range(3) for ops in permutations((BN, RELU), count)]
DESIGNS = ["conv1x1", "two conv3x3"]
TAPS = ["before pre", "after pre"]
BOUNDARIES = [  # where the shortcut leaves, its projection, the stride
    (tap, projection, stride)
    for tap in TAPS
    for projection in (None, "pad", "conv", "conv BN")
    for stride in (1, 2)
    if projection or stride == 1
]
LEGAL_CONVENTIONS = {
    "first_tap": TAPS,
    "width_tap": TAPS,
    "stem": [None, *OPS],
    "imagenet_stem": ["derived", "BN ReLU"],
    "tail": [None, *OPS],
    "stride_on": ["first", "3x3"],
    "projection": ["derived", "pad", "conv", "conv BN"],
    "first_stage": ["expanded", "narrow"],
    "init": ["fan-in", "fan-out"],
}
SCALES = st.sampled_from([0.0, 0.5, 1.0, -0.7, 1.3]).map(Scale)
GATES = st.builds(
    Gated,
    bias=st.sampled_from([-2.0, 0.0, 1.0]),
    complement=st.booleans(),
    design=st.sampled_from(DESIGNS),
)
FACTORS = st.one_of(  # on the shortcut and on the branch
    st.tuples(SCALES, SCALES),
    st.tuples(GATES, SCALES),
    st.tuples(st.sampled_from([0.2, 0.5]).map(Dropout), SCALES),
    st.tuples(st.just(Conv1x1()), SCALES),
    GATES.map(  # exclusive gating: one gate, two uses
        lambda gate: (
            Gated(gate.bias, complement=True, design=gate.design),
            Gated(gate.bias, design=gate.design),
        )
    ),
)


@st.composite
def specs(draw):
    on_shortcut, on_branch = draw(FACTORS)
    return UnitSpec(
        **{
            place: draw(st.sampled_from(OPS))
            for place in ("pre", "post", "after")
        },
        on_shortcut=on_shortcut,
        on_branch=on_branch,
    )


@st.composite
def unit_plans(draw, boundary):
    """Any unit that a maker could have planned so, at another width."""
    tap, projection, stride = boundary
    drawn = specs()
    if projection != "conv BN":  # a 1x1 convolution has no other
        drawn = drawn.filter(lambda s: not isinstance(s.on_shortcut, Conv1x1))
    spec = draw(drawn)
    convs = draw(st.sampled_from([1, 2, 3]))
    c_in = draw(st.integers(1, 4))
    c_out = draw(st.integers(1, 5))
    if projection is None:
        c_out = c_in
    elif projection == "pad":
        c_out = c_in + draw(st.integers(0, 3))
    return UnitPlan(
        spec=spec,
        c_in=c_in,
        c_inner=draw(st.integers(1, 4)),
        c_out=c_out,
        stride=stride,
        stride_on=draw(st.integers(0, convs - 1)),
        convs=convs,
        kernel=draw(st.sampled_from([1, 3])),
        tap=tap,
        projection=projection,
    )


@st.composite
def conventions(draw):
    return Conventions(
        **{
            field: draw(st.sampled_from(values))
            for field, values in LEGAL_CONVENTIONS.items()
        }
    )


@st.composite
def network_plans(draw):
    """A network of the paper, or a stack, as small as it can be."""
    spec, convs = draw(specs()), draw(st.sampled_from([1, 2, 3]))
    common = {
        "convs": convs,
        "classes": draw(st.integers(1, 4)),
        "conventions": draw(conventions()),
        "width": draw(st.integers(1, 4)),
    }
    if draw(st.booleans()):
        return stack_plan(
            spec,
            units=draw(st.integers(1, 3)),
            kernel=draw(st.sampled_from([1, 3])),
            side=draw(st.integers(1, 4)),
            **common,
        )
    image = tuple(draw(st.integers(low, 7)) for low in (1, 5, 5))
    return cifar_plan(spec, depth=3 * convs + 2, image=image, **common)
