from dataclasses import FrozenInstanceError

import pytest

from preact.spec import (
    BN,
    CONTROLS,
    RELU,
    ROWS,
    TABLE_1,
    TABLE_2,
    Conv1x1,
    Dropout,
    Gated,
    Scale,
    UnitSpec,
    find_row,
)
from preact.spec.tables import find_unit


@pytest.mark.claim("one-bn-one-relu")
def test_table_2_only_moves_one_bn_and_one_relu():
    for row in TABLE_2:
        spec = TABLE_2[row]
        assert sorted(spec.pre + spec.post + spec.after) == [BN, RELU]


def test_table_1_has_its_28_rows_and_all_keep_the_original_order():
    original = TABLE_2["original"]
    assert len(TABLE_1) == 28
    assert TABLE_1["original"] == original
    for spec in TABLE_1.values():
        places = (spec.pre, spec.post, spec.after)
        assert places == (original.pre, original.post, original.after)


def test_the_control_is_the_original_without_its_last_relu():
    control = CONTROLS["no-relu-after-addition"]
    assert control.post == TABLE_2["original"].post
    assert control.is_identity_after
    assert not TABLE_2["original"].is_identity_after


def test_a_spec_prints_the_order_of_figure_4():
    for row, figure in [
        ("original", "conv BN ReLU conv BN (+) ReLU"),
        ("bn-after-addition", "conv BN ReLU conv (+) BN ReLU"),
        ("relu-before-addition", "conv BN ReLU conv BN ReLU (+)"),
        ("relu-only-preactivation", "ReLU conv BN ReLU conv BN (+)"),
        ("full-preactivation", "BN ReLU conv BN ReLU conv (+)"),
    ]:
        assert str(TABLE_2[row]) == figure


def test_a_spec_prints_both_columns_of_table_1():
    assert str(TABLE_1["exclusive-gating-b-6"]) == (
        "conv BN ReLU conv BN (+) ReLU, 1-g(x) on shortcut, g(x) on F, "
        "initial bias -6"
    )
    text = str(TABLE_1["constant-scaling-0.5-0.5"])
    assert text.endswith("(+) ReLU, 0.5 on shortcut, 0.5 on F")


def test_gates_are_one_gate_with_two_uses():
    for bias in range(-10, 1):
        exclusive = TABLE_1[f"exclusive-gating-b{bias}"]
        assert exclusive.on_branch == Gated(float(bias))
        assert exclusive.on_shortcut == Gated(float(bias), complement=True)
        alone = TABLE_1[f"shortcut-only-gating-b{bias}"]
        assert alone.on_branch == Scale(1.0)
        assert alone.on_shortcut == Gated(float(bias), complement=True)


def test_a_spec_cannot_be_changed_and_takes_keywords_only():
    spec = TABLE_2["original"]
    with pytest.raises(FrozenInstanceError):
        spec.pre = (BN,)
    with pytest.raises(TypeError):
        UnitSpec((BN,))


def test_a_bad_spec_is_refused_with_the_value_and_the_legal_form():
    for make, message in [
        (
            lambda: UnitSpec(pre=(BN, BN)),
            "pre must be a tuple of distinct BN and RELU; got",
        ),
        (
            lambda: UnitSpec(post=["BN"]),
            r"post must be a tuple of distinct BN and RELU; got \['BN'\]",
        ),
        (lambda: UnitSpec(after="BN"), "after must be a tuple of distinct"),
        (lambda: Scale("x"), "a scale must be a finite number; got 'x'"),
        (
            lambda: Gated(0.0, design="foo"),
            "design must be one of 'conv1x1', 'two conv3x3'; got 'foo'",
        ),
        (lambda: find_row(5), "row must be the name of a row; got 5"),
        (lambda: find_unit(5), "must be a UnitSpec or the name of a row"),
        (
            lambda: UnitSpec(on_branch=Gated(-6.0)),
            "a gate g.x. on F needs its complement 1-g.x.",
        ),
        (
            lambda: UnitSpec(
                on_shortcut=Gated(-6.0, complement=True),
                on_branch=Gated(-6.0, complement=True),
            ),
            "a gate g.x. on F needs its complement 1-g.x.",
        ),
        (
            lambda: UnitSpec(on_shortcut=0.5),
            "on_shortcut must be a Scale, Gated, Dropout or Conv1x1; got 0.5",
        ),
        (
            lambda: UnitSpec(on_branch=Conv1x1()),
            "on_branch must be a Scale or Gated; got Conv1x1",
        ),
        (
            lambda: Dropout(1.0),
            "a dropout rate must lie strictly between 0 and 1; got 1.0",
        ),
        (
            lambda: Scale(float("nan")),
            "a scale must be a finite number; got nan",
        ),
        (
            lambda: Gated(float("inf")),
            "initial bias must be a finite number; got inf",
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            make()


def test_an_unknown_row_is_answered_with_the_near_matches():
    with pytest.raises(ValueError, match="near it: full-preactivation"):
        find_row("full-preactivaton")
    with pytest.raises(ValueError, match="legal: original, bn-after"):
        find_row("?")
    assert all(find_row(name) is spec for name, spec in ROWS.items())


def test_the_words_of_a_figure_are_read_as_its_operations():
    assert UnitSpec(pre=("BN", "ReLU")) == TABLE_2["full-preactivation"]
    assert all(op in (BN, RELU) for op in UnitSpec(pre=("ReLU",)).pre)
    assert UnitSpec(pre=("BN",)).pre[0] is BN


def test_a_name_of_a_thousand_letters_is_not_repeated_whole():
    with pytest.raises(ValueError, match="row must name a unit") as told:
        find_row("x" * 100_000)
    assert len(str(told.value)) < 500
