import tomllib

import pytest

from paths import ROOT
from preact.nn import Network
from preact.plan import (
    BatchNorm,
    Conv,
    Conventions,
    UnitPlan,
    cifar_plan,
    imagenet_plan,
)
from preact.spec import ROWS, TABLE_2
from sampled import sampled

EXPECTED = tomllib.loads(
    (ROOT / "tests/expected/counts.toml").read_text("utf-8")
)["network"]


@pytest.mark.parametrize(
    "expected", EXPECTED, ids=lambda e: f"{e['row']}-{e['depth']}"
)
def test_planned_counts_are_the_expected_ones(expected):
    spec = TABLE_2[expected["row"]]
    plan = cifar_plan(spec, depth=expected["depth"], convs=expected["convs"])
    assert len(plan.units) == expected["units"]
    assert plan.parameters == expected["parameters"]
    assert plan.multiply_adds == expected["multiply_adds"]


@pytest.mark.claim("ten-million-without-bn")
def test_without_bn_resnet_1001_has_the_papers_10_2_million_parameters():
    plan = cifar_plan(TABLE_2["full-preactivation"], depth=1001, convs=3)
    convolutions, norms = (
        sum(
            s.layer.parameters
            for s in plan.placed_layers
            if isinstance(s.layer, kind)
        )
        for kind in (Conv, BatchNorm)
    )
    assert (convolutions, norms) == (10_175_920, 149_216)


def test_stride_on_the_3x3_costs_three_million_multiply_adds_more():
    spec = TABLE_2["full-preactivation"]
    first, later = (
        cifar_plan(
            spec, depth=164, convs=3, conventions=Conventions(stride_on=where)
        ).multiply_adds
        for where in ("first", "3x3")
    )
    assert later - first == 3_145_728


@pytest.mark.claim("one-bn-one-relu")
@pytest.mark.parametrize(
    ("depth", "convs", "projection", "count"),
    [
        (110, 2, "pad", 1_727_962),
        (164, 3, "conv", 1_703_258),
        (164, 3, "conv BN", 1_704_154),
    ],
)
def test_every_row_of_table_2_has_equally_many_parameters(
    depth, convs, projection, count
):
    conventions = Conventions(projection=projection)
    counts = {
        cifar_plan(
            spec, depth=depth, convs=convs, conventions=conventions
        ).parameters
        for spec in TABLE_2.values()
    }
    assert counts == {count}


@pytest.mark.parametrize(
    ("convs", "c_inner", "count"), [(2, 64, 73_984), (3, 16, 4_544)]
)
def test_a_unit_of_64_channels_has_the_same_parameters_in_every_row(
    convs, c_inner, count
):
    for spec in TABLE_2.values():
        unit = UnitPlan(
            spec=spec, c_in=64, c_inner=c_inner, c_out=64, convs=convs
        )
        assert unit.parameters == count


@pytest.mark.parametrize(
    ("depth", "convs"), [*sampled([(14, 2), (11, 1), (20, 3)], 3)]
)
def test_the_plan_counts_what_pytorch_builds(depth, convs):
    for row in ROWS:
        plan = cifar_plan(ROWS[row], depth=depth, convs=convs, width=8)
        built = sum(p.numel() for p in Network(plan).parameters())
        assert built == plan.parameters, row


@pytest.mark.parametrize(
    ("depth", "millions"), [(50, 25.5), (101, 44.5), (152, 60.2), (200, 64.7)]
)
def test_imagenet_networks_have_their_known_sizes(depth, millions):
    plan = imagenet_plan(TABLE_2["full-preactivation"], depth=depth)
    assert plan.parameters / 1e6 == pytest.approx(millions, abs=0.06)
    assert plan.stream_shapes[-1] == (2048, 7, 7)
