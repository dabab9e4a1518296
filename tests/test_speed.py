"""Steps toward speed are judged by rows that are really timed."""

from preact.bench.contestants import contestants
from preact.plan import cifar_plan
from preact.records.speed import Step, load_steps
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
