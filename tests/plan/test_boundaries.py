"""Depth, widths, strides and boundaries: each open choice is data."""

import pytest

from preact.plan import (
    CONVENTIONS,
    FAIR,
    TORCH_RELEASE,
    BatchNorm,
    Conventions,
    MaxPool,
    ReLU,
    cifar_plan,
    imagenet_plan,
    stack_plan,
)
from preact.spec import BN, RELU, TABLE_1, TABLE_2

FULL, ORIGINAL = TABLE_2["full-preactivation"], TABLE_2["original"]


def kinds(layers):
    return [str(layer) for layer in layers]


def test_resnet_1001_has_111_units_in_each_of_three_stages():
    plan = cifar_plan(FULL, depth=1001, convs=3)
    assert [len(stage) for stage in plan.stages] == [111, 111, 111]
    assert [u.c_out for u in plan.units if u.tap == "after pre"] == [
        64,
        128,
        256,
    ]
    assert [u.projection for u in plan.units].count("conv") == 3


@pytest.mark.parametrize(("convs", "per_n"), [(1, 3), (2, 6), (3, 9)])
def test_depth_counts_convolutions_and_classifier(convs, per_n):
    for n in (1, 2, 5):
        plan = cifar_plan(FULL, depth=per_n * n + 2, convs=convs)
        assert plan.depth == convs * len(plan.units) + 2


def test_imagenet_depths_follow_the_same_formula():
    for depth in (50, 101, 152, 200):
        plan = imagenet_plan(FULL, depth=depth)
        assert plan.depth == plan.convs * len(plan.units) + 2


@pytest.mark.parametrize(
    ("row", "stem", "tail"),
    [
        ("original", ["BN", "ReLU"], []),
        ("bn-after-addition", ["BN", "ReLU"], []),
        ("relu-before-addition", ["BN", "ReLU"], []),
        ("relu-only-preactivation", ["BN"], ["ReLU"]),
        ("full-preactivation", [], ["BN", "ReLU"]),
    ],
)
def test_stem_and_tail_supply_what_the_units_do_not(row, stem, tail):
    plan = cifar_plan(TABLE_2[row], depth=20, convs=2)
    assert kinds(plan.stem[1:]) == stem
    assert kinds(plan.tail) == tail


def test_the_first_unit_shares_its_activation_and_interior_units_do_not():
    taps = [u.tap for u in cifar_plan(FULL, depth=20, convs=2).units]
    assert [i for i, tap in enumerate(taps) if tap == "after pre"] == [0, 3, 6]
    assert {u.tap for u in cifar_plan(ORIGINAL, depth=20, convs=2).units} == {
        "before pre"
    }


def test_both_taps_are_fields_of_the_conventions():
    raw = Conventions(first_tap="before pre", width_tap="before pre")
    plan = cifar_plan(FULL, depth=20, convs=2, conventions=raw)
    assert {u.tap for u in plan.units} == {"before pre"}


def test_an_explicit_tail_replaces_the_derived_one():
    control = Conventions(tail=(BN,))
    plan = cifar_plan(ORIGINAL, depth=20, convs=2, conventions=control)
    assert [type(layer) for layer in plan.tail] == [BatchNorm]
    bug = Conventions(tail=())
    assert cifar_plan(FULL, depth=20, convs=2, conventions=bug).tail == ()


def test_an_explicit_stem_doubles_the_activation():
    doubled = Conventions(stem=(BN, RELU))
    plan = cifar_plan(FULL, depth=20, convs=2, conventions=doubled)
    assert kinds(plan.stem[1:]) == ["BN", "ReLU"]
    assert kinds(plan.units[0].pre) == ["BN", "ReLU"]


@pytest.mark.parametrize(
    ("row", "convs", "kind"),
    [
        ("original", 1, "pad"),
        ("original", 2, "pad"),
        ("full-preactivation", 2, "pad"),
        ("original", 3, "conv BN"),
        ("relu-only-preactivation", 3, "conv BN"),
        ("full-preactivation", 3, "conv"),
    ],
)
def test_the_projection_has_bn_exactly_where_pre_has_none(row, convs, kind):
    plan = cifar_plan(TABLE_2[row], depth=9 * 2 * 2 + 2, convs=convs)
    assert plan.units[plan.stages[1].start].projection == kind


def test_stride_stands_on_the_first_convolution_or_on_the_3x3():
    paper = cifar_plan(FULL, depth=29, convs=3)
    fair = cifar_plan(FULL, depth=29, convs=3, conventions=FAIR)
    start = paper.stages[1].start
    strides = [
        [w.stride for w in p.units[start].weights[::3]] for p in (paper, fair)
    ]
    assert strides == [[2, 1, 1], [1, 2, 1]]


def test_the_narrow_first_stage_is_the_known_mistake_and_can_be_built():
    narrow = Conventions(first_stage="narrow")
    plan = cifar_plan(FULL, depth=164, convs=3, conventions=narrow)
    assert plan.units[0].c_out == 16
    assert plan.parameters == 1_619_290


def test_fair_imagenet_stem_takes_the_first_units_activation():
    plan = imagenet_plan(FULL, depth=50, conventions=FAIR)
    assert [type(layer) for layer in plan.stem[1:]] == [
        BatchNorm,
        ReLU,
        MaxPool,
    ]
    assert plan.units[0].pre == ()
    assert kinds(plan.units[1].pre) == ["BN", "ReLU"]
    paper = imagenet_plan(FULL, depth=50)
    assert [type(layer) for layer in paper.stem[1:]] == [MaxPool]
    assert paper.parameters == plan.parameters


def test_resnet_50_can_have_the_stem_of_small_images():
    plan = imagenet_plan(
        FULL, depth=50, stem="cifar", image=(3, 32, 32), classes=10
    )
    assert plan.stream_shapes[0] == (64, 32, 32)
    assert plan.stream_shapes[-1] == (2048, 4, 4)


def test_table_1s_1x1_convolution_stands_in_every_unit_with_its_bn():
    plan = cifar_plan(TABLE_1["conv1x1-shortcut"], depth=20, convs=2)
    assert {u.projection for u in plan.units} == {"conv BN"}
    assert [u.shortcut[0].stride for u in plan.units] == [
        u.stride for u in plan.units
    ]


def test_the_gate_takes_the_units_stride_and_width():
    plan = cifar_plan(TABLE_1["exclusive-gating-b-6"], depth=20, convs=2)
    gate = plan.units[3].gate[0]
    assert (gate.c_in, gate.c_out, gate.stride, gate.bias) == (16, 32, 2, -6.0)


def test_a_stack_has_no_stem_convolution_and_equal_units():
    plan = stack_plan(FULL, units=5, width=8)
    assert set(plan.stream_shapes) == {(8, 1, 1)}
    assert len(set(plan.units)) == 1
    assert kinds(stack_plan(ORIGINAL, units=5, width=8).stem) == ["BN", "ReLU"]


def test_the_presets_differ_from_the_paper_only_where_they_say():
    assert set(CONVENTIONS) == {"paper", "torch-release", "fair"}
    assert TORCH_RELEASE == Conventions(init="fan-out")
    assert FAIR == Conventions(
        init="fan-out", stride_on="3x3", imagenet_stem="BN ReLU"
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: cifar_plan(FULL, depth=1000, convs=3),
            r"depth must be 9n \+ 2 for 3 convolutions per unit; got 1000 "
            r"\(nearest: 992 and 1001\)",
        ),
        (
            lambda: cifar_plan(FULL, depth=2, convs=2),
            r"depth must be 6n \+ 2 for 2 convolutions per unit; got 2",
        ),
        (
            lambda: cifar_plan(FULL, depth=20, convs=4),
            "convs must be one of 1, 2, 3; got 4",
        ),
        (
            lambda: imagenet_plan(FULL, depth=34),
            "depth must be one of 50, 101, 152, 200; got 34",
        ),
        (
            lambda: imagenet_plan(FULL, depth=50, stem="big"),
            "stem must be one of 'imagenet', 'cifar'; got 'big'",
        ),
        (
            lambda: cifar_plan(FULL, depth=20, convs=2, width=0),
            "width must be a positive whole number; got 0",
        ),
        (
            lambda: cifar_plan(FULL, depth=20, convs=2, classes=-1),
            "classes must be a positive whole number; got -1",
        ),
        (
            lambda: cifar_plan(FULL, depth=20, convs=2, image=(32, 32)),
            r"image must be \(channels, height, width\).*got \(32, 32\)",
        ),
        (
            lambda: stack_plan(FULL, units=0, width=8),
            "units must be a positive whole number; got 0",
        ),
        (
            lambda: Conventions(stride_on="last"),
            "stride_on must be one of 'first', '3x3'; got 'last'",
        ),
        (
            lambda: Conventions(tail=("BN",)),
            "tail must be a tuple of distinct BN and RELU; got",
        ),
    ],
)
def test_a_bad_plan_is_refused_with_the_value_and_the_legal_form(
    make, message
):
    with pytest.raises(ValueError, match=message):
        make()
