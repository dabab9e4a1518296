"""Depth, widths, strides and boundaries: each open choice is data."""

import pytest

from preact.plan import (
    BatchNorm,
    Conventions,
    ReLU,
    UnitPlan,
    cifar_plan,
    imagenet_plan,
    stack_plan,
)
from preact.plan.conventions import CONVENTIONS
from preact.plan.depth import fitting_convs
from preact.plan.layers import MaxPool
from preact.spec import BN, RELU, TABLE_1, TABLE_2, Conv1x1, UnitSpec

FAIR, TORCH_RELEASE = CONVENTIONS["fair"], CONVENTIONS["torch-release"]
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


@pytest.mark.claim("the-rows-change-the-tail-too")
def test_stem_and_tail_supply_what_the_units_do_not():
    for row, stem, tail in [
        ("original", ["BN", "ReLU"], []),
        ("bn-after-addition", ["BN", "ReLU"], []),
        ("relu-before-addition", ["BN", "ReLU"], []),
        ("relu-only-preactivation", ["BN"], ["ReLU"]),
        ("full-preactivation", [], ["BN", "ReLU"]),
    ]:
        plan = cifar_plan(TABLE_2[row], depth=20, convs=2)
        assert kinds(plan.stem[1:]) == stem
        assert kinds(plan.tail) == tail


def test_the_first_unit_shares_its_activation_and_interior_units_do_not():
    taps = [u.tap for u in cifar_plan(FULL, depth=20, convs=2).units]
    assert [i for i, tap in enumerate(taps) if tap == "after pre"] == [0, 3, 6]
    assert {u.tap for u in cifar_plan(ORIGINAL, depth=20, convs=2).units} == {
        "before pre"
    }


def test_what_is_derived_can_be_said():
    def plan(spec, **said):
        rules = Conventions(**said)
        return cifar_plan(spec, depth=20, convs=2, conventions=rules)

    raw = plan(FULL, first_tap="before pre", width_tap="before pre")
    assert {u.tap for u in raw.units} == {"before pre"}
    assert kinds(plan(ORIGINAL, tail=(BN,)).tail) == ["BN"]
    assert plan(FULL, tail=()).tail == ()  # a bug of the field
    doubled = plan(FULL, stem=(BN, RELU))
    assert kinds(doubled.stem[1:]) == ["BN", "ReLU"]
    assert kinds(doubled.units[0].pre) == ["BN", "ReLU"]


def test_the_projection_has_bn_exactly_where_pre_has_none():
    for row, convs, kind in [
        ("original", 1, "pad"),
        ("original", 2, "pad"),
        ("full-preactivation", 2, "pad"),
        ("original", 3, "conv BN"),
        ("relu-only-preactivation", 3, "conv BN"),
        ("full-preactivation", 3, "conv"),
    ]:
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


CIFAR = {"spec": FULL, "depth": 20, "convs": 2}


@pytest.mark.parametrize(
    ("make", "change", "message"),
    [
        (cifar_plan, {"depth": 1000, "convs": 3}, r"9n \+ 2 .*992 and 1001"),
        (cifar_plan, {"convs": 4}, "convs must be one of 1, 2, 3; got 4"),
        (cifar_plan, {"depth": 56.0}, "positive whole number; got 56.0"),
        (cifar_plan, {"depth": 90_000_002}, "at most 100,002; got 90,000,002"),
        (cifar_plan, {"width": True}, "width must be a positive .* got True"),
        (cifar_plan, {"width": 10**6}, "width must be at most 8,192; got 1,0"),
        (cifar_plan, {"classes": -1}, "classes must be a positive .* got -1"),
        (cifar_plan, {"image": (32, 32)}, r"image must be \(channels, height"),
        (cifar_plan, {"image": (3, 10**5, 8)}, "image must have at most 8,19"),
        (
            cifar_plan,
            {"spec": "full"},
            "row must name a unit of .* got 'full'",
        ),
        (cifar_plan, {"spec": None}, "must be a UnitSpec or the name of a r"),
        (cifar_plan, {"conventions": "far"}, "one of paper, .* got 'far'"),
        (cifar_plan, {"depth": None}, "one of depth and units_per_stage must"),
        (
            cifar_plan,
            {"depth": None, "units_per_stage": (2, 0)},
            "units_per_stage must be a positive whole number; got 0",
        ),
        (imagenet_plan, {"depth": 35}, "one of 18, 34, 50, .*; got 35"),
        (imagenet_plan, {"depth": 18, "convs": 3}, "must be 2 for ResNet-18"),
        (
            imagenet_plan,
            {"depth": 50, "convs": 3, "stem": "big"},
            "stem must be one of 'imagenet', 'cifar'; got 'big'",
        ),
    ],
)
def test_a_bad_plan_is_refused_with_the_value_and_the_legal_form(
    make, change, message
):
    with pytest.raises(ValueError, match=message):
        make(**CIFAR | change)


def test_a_bad_convention_or_stack_is_refused():
    with pytest.raises(ValueError, match="stride_on must be one of 'first', "):
        Conventions(stride_on="last")
    with pytest.raises(ValueError, match="tail must be a tuple of distinct B"):
        Conventions(tail=["BN"])
    with pytest.raises(ValueError, match="units must be at most 50,000; got"):
        stack_plan(FULL, units=10**8, width=8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"convs": True}, "convs must be one of 1, 2, 3; got True"),
        ({"stride_on": 2}, "stride_on must be one of 0, 1; got 2"),
        ({"c_in": 0}, "c_in must be a positive whole number; got 0"),
        ({"c_out": 8}, "got None for 4 to 8 channels, stride 1"),
        ({"stride": 2}, "got None for 4 to 4 channels, stride 2"),
        ({"c_out": 2, "projection": "pad"}, "channels get fewer; got 4 to 2"),
        ({"spec": "original"}, "spec must be a UnitSpec; got 'original'"),
        (
            {"spec": UnitSpec(on_shortcut=Conv1x1())},
            "projection must be 'conv BN' where Conv1x1 stands",
        ),
    ],
)
def test_a_unit_that_cannot_be_is_refused(change, message):
    unit = {"spec": FULL, "c_in": 4, "c_inner": 4, "c_out": 4}
    assert UnitPlan(**unit).convs == 2
    with pytest.raises(ValueError, match=message):
        UnitPlan(**unit | change)


def test_names_say_what_specs_and_conventions_say():
    by_name = imagenet_plan("full-preactivation", depth=50, conventions="fair")
    assert by_name == imagenet_plan(FULL, depth=50, conventions=FAIR)
    assert cifar_plan("original", depth=20, convs=2) == cifar_plan(
        ORIGINAL, depth=20, convs=2
    )
    stack = stack_plan("original", units=2, width=4, conventions="paper")
    assert stack == stack_plan(ORIGINAL, units=2, width=4)


def test_units_per_stage_say_what_a_depth_says_and_more():
    equal = cifar_plan(FULL, convs=3, units_per_stage=(18, 18, 18))
    assert equal == cifar_plan(FULL, depth=164, convs=3)
    uneven = cifar_plan(FULL, convs=2, units_per_stage=(1, 2))
    assert [len(stage) for stage in uneven.stages] == [1, 2]
    assert uneven.depth == 2 * 3 + 2
    own = imagenet_plan(FULL, units_per_stage=(3, 4, 6, 3))
    assert own == imagenet_plan(FULL, depth=50)


def test_resnet_18_and_34_are_those_of_the_first_paper():
    # torchvision's resnet18 and 34 have 11,689,512 and 21,797,672 parameters
    option_b = Conventions(projection="conv BN")
    counts = {
        depth: imagenet_plan(
            "original", depth=depth, conventions=option_b
        ).parameters
        for depth in (18, 34)
    }
    assert counts == {18: 11_689_512, 34: 21_797_672}


def test_the_width_of_an_imagenet_network_scales_every_stage():
    plan = imagenet_plan(FULL, depth=50, width=32)
    assert plan.stream_shapes[0][0] == 32
    assert plan.stream_shapes[-1][0] == 1024


def test_convolutions_per_unit_follow_from_the_depth_as_in_the_paper():
    depths = (20, 56, 110, 164, 1001)
    assert [fitting_convs(depth) for depth in depths] == [2, 2, 2, 3, 3]
