"""Steps toward speed are judged by rows that are really timed."""

import csv

import pytest

from preact.bench.contestants import contestants
from preact.plan import cifar_plan
from preact.records.speed import PUBLISHED, Step, load_steps
from preact.spec import TABLE_2

STEPS = load_steps()


def test_a_step_compares_two_contestants():
    for step in STEPS:
        _, depth = step.record.split("-")
        plan = cifar_plan(
            TABLE_2["full-preactivation"], depth=int(depth), convs=3
        )
        names = {e.name for e in contestants(plan)}
        assert {step.before, step.after} <= names


def test_times_are_compared_as_ratios_and_bytes_as_shares():
    rows = [
        {"name": name, "train_ms_min": n, "kept_bytes_per_image": n}
        for name, n in (("old", 12.0), ("new", 3.0))
    ]
    for field, gained in (
        ("train_ms_min", 4.0),
        ("kept_bytes_per_image", 0.25),
    ):
        step = Step(
            key="all",
            record="cpu-164",
            before="old",
            after="new",
            field=field,
            expected=(1.5,),
        )
        assert step.gained({"rows": rows}) == gained


def losses(experiment, network):
    """Training losses of all seeds, (seeds, points)."""
    folder = PUBLISHED / experiment / "digits" / network / "full-preactivation"
    found = [
        [
            float(point["loss"])
            for point in csv.DictReader(path.read_text().splitlines())
        ]
        for path in sorted(folder.glob("seed-*.csv"))
    ]
    assert len(found) >= 3
    return list(zip(*found, strict=True))


@pytest.mark.parametrize(
    ("experiment", "network"),
    [
        ("digits_fast", "resnet-110-2"),
        ("digits_fast", "resnet-164-3"),
        ("digits_fast", "resnet-1001-3"),
        ("digits_bf16", "resnet-110-2"),
        ("digits_bf16", "resnet-164-3"),
    ],
)
def test_deep_networks_learn_alike_however_they_are_computed(
    experiment, network
):
    """They are chaotic, so step by step no two are equal; curves overlap.

    Three seeds beside three or five leave a gap at one point in ten, or in
    thirty, if nothing but chance is at work.
    """
    plain, other = losses("digits_depth", network), losses(experiment, network)
    assert len(plain) == len(other) == 15
    gaps = [
        max(a) < min(b) or max(b) < min(a)
        for a, b in zip(plain, other, strict=True)
    ]
    assert sum(gaps) <= 2
