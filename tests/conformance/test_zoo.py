"""The table of mutants and properties: every fault, and no false alarm."""

import pytest

from conformance.reports import report_of
from preact import Network, cifar_plan, imagenet_plan
from preact.book.bugs.zoo import MUTANTS, RIGHT
from preact.conformance import Property, Verdict, probe
from preact.plan.conventions import CONVENTIONS
from preact.spec import ROWS, TABLE_1, TABLE_2
from sampled import sampled

FAULTY_ROWS = {
    "bn-after-addition": {Property.STREAM},
    "relu-before-addition": {Property.SIGN},
    **{row: {Property.SHORTCUT} for row in TABLE_1 if row != "original"},
}


def faults(report):
    return {finding.property for finding in report.faults}


def answers(report):
    return {(f.property, f.verdict, f.reason) for f in report.findings}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_network_in_any_style_has_no_fault_and_no_open_question(name):
    report = report_of(name)
    assert report.row == RIGHT[name].meant
    assert len(report.findings) == len(Property)
    assert all(f.verdict is Verdict.YES for f in report.findings)


@pytest.mark.parametrize(
    ("row", "convs"),
    [
        *sampled([(row, 2) for row in ROWS], 6),
        *((row, convs) for row in TABLE_2 for convs in (1, 3)),
    ],
)
def test_our_network_of_every_row_is_recognized(row, convs):
    plan = cifar_plan(row, units_per_stage=(2, 2, 2), convs=convs)
    report = probe(Network(plan, seed=0), row=row)
    assert report.row == row
    assert faults(report) == FAULTY_ROWS.get(row, set())
    assert (report.parameters, report.multiply_adds) == (
        plan.parameters,
        plan.multiply_adds,
    )
    assert report["size"].evidence["depth"] == plan.depth


@pytest.mark.parametrize("preset", CONVENTIONS)
@pytest.mark.parametrize("convs", [2, 3])
@pytest.mark.parametrize("row", ["original", "full-preactivation"])
def test_our_network_of_every_preset_has_the_size_of_its_plan(
    preset, convs, row
):
    for make, counts, sizes in (
        (cifar_plan, (2, 2, 2), {}),
        (imagenet_plan, (2, 2, 2, 2), {"image": (3, 64, 64), "classes": 10}),
    ):
        plan = make(
            row, convs=convs, units_per_stage=counts, conventions=preset,
            **sizes,
        )  # fmt: skip
        report = probe(Network(plan, seed=0), plan.image, row=row)
        assert not report.faults
        assert report["size"].verdict is Verdict.YES


def test_of_a_width_that_is_not_the_paper_s_no_size_is_told():
    plan = cifar_plan("original", units_per_stage=(2, 2, 2), convs=2, width=8)
    size = probe(Network(plan, seed=0))["size"]
    assert (size.verdict, size.reason) == (Verdict.UNKNOWN, "size-unknown")


def renamed(network):
    """The same network, its classes and attributes called otherwise."""
    for number, module in enumerate([*network.modules()]):
        names, cls = {}, type(module)
        for kept in (module._modules, module._parameters, module._buffers):
            for name in [n for n in kept if not n.isdigit()]:
                names[name] = f"z{len(names)}"
                kept[names[name]] = kept.pop(name)

        def look_up(self, name, cls=cls, names=names):
            return cls.__getattr__(self, names.get(name, name))

        own = {"__getattr__": look_up, "__module__": "z"}
        module.__class__ = type(f"Z{number}", (cls,), own)
    return network


@pytest.mark.parametrize("name", [*RIGHT, *[*MUTANTS][::4]])
def test_no_answer_changes_when_classes_and_attributes_are_renamed(name):
    specimen = {**RIGHT, **MUTANTS}[name]
    network = renamed(specimen.make())
    assert not [n for n, _ in network.named_parameters() if "conv" in n]
    report = probe(network, row=specimen.meant)
    assert faults(report) == specimen.breaks
    assert answers(report) == answers(report_of(name))
