"""Sentences about numbers that others have published."""

import pytest

from preact import paper

claim = pytest.mark.claim


def errors(table, **wanted):
    """Test error by row; a row that fails has none."""
    return {
        result.row: result.error_pct
        for result in paper.results(table)
        if all(getattr(result, k) == v for k, v in wanted.items())
    }


@claim("table-1-nothing-beats-the-identity")
def test_every_other_shortcut_of_table_1_is_worse_and_half_are_by_far():
    others = errors(1)
    identity = others.pop("original")
    assert all(error is None or error > identity for error in others.values())
    far = [e for e in others.values() if e is None or e > identity + 5]
    assert len(far) > len(others) / 2


@claim("two-numbers-for-resnet-1001")
def test_the_smaller_number_belongs_to_another_batch():
    rows = paper.read("table_4")["data_set"][0]["rows"]
    by_batch = {r["batch"]: r["error_pct"] for r in rows if "batch" in r}
    ours = errors(3, data="CIFAR-10", depth=1001)["full-preactivation"]
    assert by_batch == {128: ours, 64: 4.62}
