"""Sentences of the chapters that hold to rounding, or by construction.

No tolerance here is statistical: what is drawn at random may be anything.
"""

import re
from dataclasses import fields, replace
from math import comb

import numpy as np
import pytest

from paths import ROOT
from preact import reference
from preact.plan import Conventions, stack_plan
from preact.propagation import draw_batch, run_units
from preact.reference.layers import bn_backward, bn_forward
from preact.spec import BN, TABLE_2
from sampled import sampled

claim = pytest.mark.claim


# ------------------------------------------------------------ chapter 01
@claim("silent-original-copies")
def test_silent_units_copy_unless_a_bn_follows_the_addition():
    """In a network, where the original meets no negative numbers."""
    for row in TABLE_2:
        for seed in range(3):
            plan = stack_plan(TABLE_2[row], units=3, width=16)
            params = reference.initialize(plan, seed)
            last = "post.0" if BN in TABLE_2[row].post else "weights.3"
            for i in range(3):
                params[f"units.{i}.{last}.weight"] *= 0.0
            streams, _ = run_units(plan, params, draw_batch(plan, 32, seed)[0])
            moved = np.abs(streams[-1] - streams[0]).max()
            assert moved > 0.1 if row == "bn-after-addition" else moved == 0.0


# ------------------------------------------------------------ chapter 04
def test_the_units_written_in_the_chapter_import_no_part_of_the_package():
    text = (ROOT / "book/en/04-units.md").read_text("utf-8")
    section = text.split("(units-yours)=")[1].split("(units-bn)=")[0]
    pattern = r"^```{code-cell} python\n(.*?)^```"
    written, compared = re.findall(pattern, section, re.S | re.M)
    assert "import" not in written
    assert "assert_allclose(my_unit(x, W1, W2), expected)" in compared
    names = {"np": np, "TABLE_2": TABLE_2, "reference": reference}
    exec(written + compared, names)


@claim("bn-dx")
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_bn_lets_through_neither_equal_gradients_nor_those_along_x_hat(seed):
    rng = np.random.default_rng(seed)
    x, gamma = rng.normal(3.0, 2.0, (32, 5, 1, 1)), rng.normal(size=5)
    _, cache = bn_forward(x, gamma, np.zeros(5))
    x_hat = (x - x.mean(0)) / x.std(0)
    g = rng.normal(size=x.shape)
    size = np.abs(bn_backward(g, cache)[0]).max()
    assert size > 0.01
    for lost in (np.ones_like(x), x_hat):
        dx = bn_backward(lost, cache)[0]
        assert np.abs(dx).max() < 1e-5 * size  # epsilon's part along x_hat


@claim("popular-bug-is-fig-4b")
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_a_shortcut_behind_bn_relu_in_every_unit_is_exactly_fig_4b(seed):
    """y' = a + F(a), a = ReLU(BN(y)): the same network, cut elsewhere."""
    bug = stack_plan(TABLE_2["full-preactivation"], units=6, width=8)
    bug = replace(
        bug,
        units=tuple(replace(unit, tap="after pre") for unit in bug.units),
    )
    paper_row = stack_plan(TABLE_2["bn-after-addition"], units=6, width=8)
    rng = np.random.default_rng(seed)
    ours = {
        name: value + 0.3 * rng.random(value.shape)
        for name, value in reference.initialize(bug, seed).items()
    }
    theirs = {}
    for name in reference.initialize(paper_row, seed):
        _, index, place, *_rest = (*name.split("."), "", "", "")
        if name.startswith("stem"):
            source = name.replace("stem", "units.0.pre")
        elif place == "after" and int(index) == 5:
            source = name.replace("units.5.after", "tail")
        elif place == "after":
            source = name.replace(
                f"units.{index}.after", f"units.{int(index) + 1}.pre"
            )
        else:
            source = name
        theirs[name] = ours[source]
    x, _ = draw_batch(bug, 16, seed)
    mine, buggy = reference.network_forward(bug, ours, x)
    logits, row = reference.network_forward(paper_row, theirs, x)
    assert np.abs(mine - logits).max() == 0.0
    for a, b in zip(buggy.streams[1:], row.units, strict=True):
        np.testing.assert_array_equal(a, b.h + b.F)


def test_the_documentation_of_each_convention_names_its_own_source():
    document = Conventions.__doc__.split("Raises")[0]
    parts = re.split(r"^    (\w+) : ", document, flags=re.M)[1:]
    described = dict(zip(parts[::2], parts[1::2], strict=True))
    sources = {
        "first_tap": ("paper's appendix", "uvadlc_notebooks #107"),
        "width_tap": ("authors'\n        release", "pytorch-cifar #9"),
        "stem": ("cs-kd",),
        "imagenet_stem": ("fb.resnet.torch", "timm"),
        "tail": ("paper,\n        appendix", "pytorch-cifar #137"),
        "stride_on": ("resnet-1k-layers", "fb.resnet.torch"),
        "projection": ("v1's option A", "resnet-1k-layers"),
        "first_stage": ("resnet-1k-layers", "hysts"),
        "init": ("our assumption", "resnet-1k-layers"),
    }
    assert [*sources] == [*described] == [f.name for f in fields(Conventions)]
    for name, expected in sources.items():
        assert all(source in described[name] for source in expected), name


# ------------------------------- words of the checkers that are claims too
def test_paths_through_half_of_the_branches_are_hardly_more_than_the_next():
    assert 0.95 < comb(54, 26) / comb(54, 27) < 1


def test_a_repaired_unit_returns_its_input_bit_for_bit():
    plan = stack_plan(TABLE_2["full-preactivation"], units=1, width=8)
    params = reference.initialize(plan, 0)
    params["units.0.weights.3.weight"] *= 0.0
    streams, _ = run_units(plan, params, draw_batch(plan, 16, 0)[0])
    np.testing.assert_array_equal(streams[1], streams[0])
