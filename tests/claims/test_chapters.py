"""Sentences of chapters 01 to 04 and the front page, as inequalities.

Each test takes its networks, its point in time and its seeds from the
sentence. Where a chapter computes, the test runs the chapter's own cells.
"""

import re
from functools import cache

import numpy as np
import pytest

from paths import ROOT
from preact import paper
from preact.spec import BN, CONTROLS, RELU, TABLE_1, TABLE_2

claim = pytest.mark.claim
slow = pytest.mark.slow


def cells(chapter, *wanted):
    """Run the cells of a chapter that contain one of some phrases."""
    text = (ROOT / f"book/en/{chapter}.md").read_text("utf-8")
    names = {}
    pattern = r"^```{code-cell} python\n(.*?)^```"
    for cell in re.findall(pattern, text, re.DOTALL | re.MULTILINE):
        if any(phrase in cell for phrase in wanted):
            exec(re.sub(r"^:tags:.*\n", "", cell), names)
    return names


# ------------------------------------------------------------ chapter 01
ORIGINAL, CONTROL = TABLE_2["original"], CONTROLS["no-relu-after-addition"]


@cache
def digits(spec, tail, *, steps=60, seeds=8):
    """Training errors of 20 units, other seeds than the chapter's."""
    names = cells("01-why", "def place", "def network", "def training_errors")
    return names["training_errors"](
        spec, tail, 20, seed=1, steps=steps, seeds=seeds
    )


@slow
@claim("toy-head-and-relu")
@pytest.mark.parametrize("spec", [ORIGINAL, CONTROL])
def test_at_20_units_the_final_bn_helps_with_and_without_the_last_relu(spec):
    without, with_bn = (np.median(digits(spec, t)) for t in ((), (BN,)))
    assert without > 2 * with_bn


@slow
@claim("toy-head-and-relu")
@pytest.mark.parametrize("tail", [(), (BN,)])
def test_at_20_units_leaving_out_the_last_relu_helps_under_both_heads(tail):
    assert np.median(digits(CONTROL, tail)) < np.median(digits(ORIGINAL, tail))


@slow
@claim("toy-head-and-relu")
def test_the_head_matters_more_than_the_last_relu():
    both = np.median(digits(ORIGINAL, ()))
    head = both / np.median(digits(ORIGINAL, (BN,)))
    relu = both / np.median(digits(CONTROL, ()))
    assert head > relu


@slow
@claim("toy-with-final-bn")
def test_with_a_normalized_head_residual_networks_end_within_a_few_points():
    arms = [
        digits(ORIGINAL, (BN,)),
        digits(CONTROL, (BN,)),
        digits(TABLE_2["full-preactivation"], (BN, RELU)),
    ]
    medians = [np.median(arm) for arm in arms]
    assert max(medians) - min(medians) < 3


@slow
@claim("toy-plain")
def test_the_plain_network_of_20_units_misses_the_images_it_was_shown():
    assert digits(TABLE_1["constant-scaling-0-1"], ()).min() > 50


@slow
@claim("toy-original-is-slow")
def test_after_ten_times_as_many_steps_the_original_has_learned_too():
    assert digits(ORIGINAL, (), steps=600, seeds=4).max() < 2


@claim("gain-and-additions")
def test_the_gain_goes_with_additions_and_is_no_function_of_them():
    """108 additions gain more than 54; two networks of 54 gain differently."""
    errors = {
        (r.network, r.row): r.error_pct
        for r in paper.results(3)
        if r.data == "CIFAR-10"
    }
    gain = {
        network: 1
        - errors[network, "full-preactivation"] / errors[network, "original"]
        for network, _ in errors
    }
    assert gain["ResNet-110 (1-layer skip)"] > 2 * gain["ResNet-110"]
    assert gain["ResNet-164"] > 2 * gain["ResNet-110"]


@claim("stochastic-depth-is-level")
def test_the_original_unit_reaches_the_papers_error_with_stochastic_depth():
    (ours,) = (
        r.error_pct
        for r in paper.results(3)
        if (r.data, r.depth, r.row) == ("CIFAR-10", 1001, "full-preactivation")
    )
    theirs = paper.read("text")["literature"]["stochastic_depth"]
    assert abs(theirs["cifar10_error_pct"] - ours) < 0.14  # one deviation
