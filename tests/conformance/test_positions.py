"""What the matrix of mistakes lacks: right networks, reasons, citations."""

import random

import pytest
import torch
import torch.nn.functional as nnf
from torch import nn

from preact.book.bugs.zoo import RIGHT
from preact.book.bugs.zoo.right import (
    OriginalNet,
    PreNet,
    PreUnit,
    conv1x1,
)
from preact.conformance import Verdict, probe

IMAGE = (3, 8, 8)
NO, UNKNOWN, YES = Verdict.NO, Verdict.UNKNOWN, Verdict.YES


def keep(x):
    return x


def in_mode(module, mode):
    return mode == "both" or module.training == (mode == "training")


def behind(unit, change, base=PreNet, mode="both"):
    """The network with a change of the stream behind one unit."""

    class Net(base):
        def __init__(self):
            super().__init__()
            changed = self.units[unit - 1]

            def hook(_, __, y):
                return change(y) if in_mode(self, mode) else None

            changed.register_forward_hook(hook)

    return Net()


def one_unit(number, mode="both", *, read=keep, shortcut=keep, branch=keep):
    """The network with a change inside of one unit."""

    class Changed(PreUnit):
        def forward(self, x):
            on = in_mode(self, mode)
            a = nnf.relu(self.bn1(read(x) if on else x))
            h = self.projection(a) if self.changes else x
            F = self.branch(a)
            return (shortcut(h) + branch(F)) if on else h + F

    class Net(PreNet):
        made = 0

        def make_unit(self, c_in, c_out, stride):
            self.made += 1
            kind = Changed if self.made == number else PreUnit
            return kind(c_in, c_out, stride)

    return Net()


def every_unit(forward):
    """The network whose units all compute this."""
    unit = type("Own", (PreUnit,), {"forward": forward})
    return type("Net", (PreNet,), {"unit": unit})()


# ------------------------------------------------------------------ the stream
def test_a_batch_norm_behind_a_stage_is_on_the_stream():
    finding = probe(behind(3, nn.BatchNorm2d(16)), IMAGE)["clear-stream"]
    assert (finding.verdict, finding.reason) == (NO, "stream-norm")
    assert float(finding.evidence["moved"]) > 0.1


# ------------------------------------------------------------------- the modes


def test_passes_that_differ_prove_nothing_of_the_structure():
    def forward(self, x):
        a = nnf.relu(self.bn1(x))
        if self.changes:
            return self.projection(a) + self.branch(a)
        return x if random.random() < 0.5 else x + self.branch(a)

    report = probe(every_unit(forward))
    finding = report["evaluation"]
    assert (finding.verdict, finding.reason) == (NO, "evaluation-differs")
    assert float(finding.evidence["drift"]) > 1e-3
    assert report["row"].reason == "passes-differ"
    assert {f.property for f in report.faults} == {"evaluation"}


def test_a_chance_factor_on_the_shortcut_is_no_constant():
    network = one_unit(2, shortcut=lambda h: random.uniform(0.5, 1.5) * h)
    report = probe(network, IMAGE)
    assert report["identity-shortcut"].reason == "shortcut-dropout"
    assert report["evaluation"].verdict is NO


class Shifted(nn.Module):
    """Tokens moved behind a layer norm, as window attention moves them."""

    def __init__(self):
        super().__init__()
        self.norm, self.linear = nn.LayerNorm(16), nn.Linear(16, 16)

    def forward(self, x):
        return x + self.linear(self.norm(x).roll(1, 1))


def test_what_is_normalized_and_then_moved_is_no_batch_norm():
    report = probe(nn.Sequential(*[Shifted() for _ in range(3)]), (7, 16))
    assert report.unit == "layer norm roll linear (+)"
    assert report["evaluation"].verdict is YES


class Scaled(nn.Module):
    """A residual unit with a root-mean-square norm by hand."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(16, 16)

    def forward(self, x):
        power = x.pow(2).mean(-1, keepdim=True)
        return x + self.linear(x * torch.rsqrt(power + 1e-6))


def test_a_unit_that_reads_the_input_itself_is_judged_by_its_values_too():
    report = probe(nn.Sequential(Scaled(), Scaled()), (7, 16))
    assert report.unit == "RMS norm linear (+)"
    assert report["evaluation"].verdict is YES


# ---------------------------------------------------------------- the gradient
@pytest.mark.parametrize(
    ("network", "reason"),
    [
        (lambda: one_unit(5, read=torch.detach), "gradient-cut-branch"),
        (lambda: one_unit(4, branch=torch.detach), "gradient-cut-branch"),
        (lambda: one_unit(1, shortcut=torch.detach), "gradient-cut"),
        (lambda: behind(3, torch.detach), "gradient-cut-stream"),
        (lambda: behind(9, lambda y: y.data), "gradient-cut-stream"),
    ],
)
def test_a_gradient_that_is_cut_anywhere_is_found(network, reason):
    report = probe(network(), IMAGE)
    assert report["gradient"].reason == reason
    assert [f.property for f in report.faults] == ["gradient"]


# ----------------------------------------------------- what values can prove


@pytest.mark.parametrize("value", [0.0, float("nan")])
def test_weights_that_are_zero_or_no_numbers_prove_nothing(value):
    halved = one_unit(5, shortcut=lambda h: 0.5 * h)
    flipped = one_unit(5, shortcut=lambda h: h.roll(1, 1))
    for network in (halved, flipped):
        for weight in network.parameters():
            weight.data.fill_(value)
        report = probe(network, IMAGE)
        assert report["identity-shortcut"].verdict is not YES
    if value != 0.0:
        assert all(f.verdict is not YES for f in report.findings)
        reasons = {f.reason for f in report.findings if f.verdict is UNKNOWN}
        assert "weights-not-finite" in reasons


# -------------------------------------------------------------- layers, ends
def test_momentum_1_remembers_the_last_batch_alone():
    network = RIGHT["pre-activation"].make()
    network.units[4].bn1.momentum = 1.0
    finding = probe(network, IMAGE)["statistics"]
    assert (finding.verdict, finding.evidence["bad"]) == (NO, 1)
    network.units[4].bn1.momentum = None  # the average of all batches
    assert probe(network, IMAGE)["statistics"].verdict is YES


def test_open_choices_are_told_beside_the_paper_s_own():
    finding = probe(RIGHT["pre-activation"].make())["size"]
    assert (finding.verdict, finding.reason) == (YES, "size-chosen")
    own, paper = (
        int(finding.evidence[name].replace(",", ""))
        for name in ("parameters", "paper_parameters")
    )
    assert own - paper == 16 * 32 + 32 * 64  # two projections, or zeros


class Pooled(PreNet):
    """Full pre-activation with a pooling of its own."""

    @staticmethod
    def pool(x):
        return x.amax((2, 3))

    def forward(self, x):
        x = nnf.relu(self.bn(self.units(self.stem(x))))
        return self.classifier(self.pool(x))


@pytest.mark.parametrize(
    ("pool", "verdict"),
    [
        (lambda x: x.amax((2, 3)), NO),
        (lambda x: nnf.adaptive_max_pool2d(x, 1).flatten(1), NO),
        (lambda x: x.mean(-1).mean(-1), YES),
        (lambda x: torch.stack([one.mean((1, 2)) for one in x]), YES),
    ],
)
def test_pooling_is_an_average_however_it_is_written(pool, verdict):
    network = type("Net", (Pooled,), {"pool": staticmethod(pool)})()
    assert probe(network)["last-unit"].verdict is verdict


def test_a_doubled_activation_is_not_wanted_at_the_end():
    class Twice(PreUnit):
        def __init__(self, c_in, c_out, stride):
            super().__init__(c_in, c_out, stride)
            self.bn0 = nn.BatchNorm2d(c_in)
            self.bn1 = nn.Sequential(self.bn0, nn.ReLU(), self.bn1)

    report = probe(type("Net", (PreNet,), {"unit": Twice})())
    assert report["row"].verdict is NO
    assert report["last-unit"].verdict is not NO


def test_a_projection_of_a_pre_activated_unit_has_no_batch_norm():
    class Normed(PreUnit):
        def __init__(self, c_in, c_out, stride):
            super().__init__(c_in, c_out, stride)
            if self.changes:
                self.projection = nn.Sequential(
                    conv1x1(c_in, c_out, stride), nn.BatchNorm2d(c_out)
                )

    finding = probe(type("N", (PreNet,), {"unit": Normed})())["width-change"]
    assert (finding.verdict, finding.reason) == (NO, "width-normalized")
    assert [p.split()[0] for p in finding.places] == ["4", "7"]


def test_zeros_in_place_of_a_projection_are_told_from_a_raw_one():
    def forward(self, x):
        h = x
        if self.changes:
            small = x[:, :, ::2, ::2]
            h = torch.cat([small, torch.zeros_like(small)], 1)
        return h + self.branch(nnf.relu(self.bn1(x)))

    network = every_unit(forward)
    for unit in network.units:
        unit.projection = None
    report = probe(network)
    assert report["width-change"].reason == "width-padded"
    assert not report.faults


def test_a_learned_factor_on_the_branch_is_a_fault_only_where_a_row_is_meant():
    class Skip(PreUnit):
        def __init__(self, c_in, c_out, stride):
            super().__init__(c_in, c_out, stride)
            self.gain = nn.Parameter(torch.zeros(()))

        def branch(self, a):
            return self.gain * super().branch(a)

    network = type("Net", (PreNet,), {"unit": Skip})()
    assert probe(network, IMAGE)["row"].verdict is UNKNOWN
    assert probe(network, IMAGE, row="original")["row"].verdict is NO


def test_a_unit_of_no_row_is_a_fault_where_a_row_is_meant():
    class Smooth(PreUnit):
        def forward(self, x):
            a = nnf.gelu(self.bn1(x))
            return (self.projection(a) if self.changes else x) + self.branch(a)

    network = type("Net", (PreNet,), {"unit": Smooth})()
    assert probe(network, IMAGE)["row"].verdict is UNKNOWN
    assert probe(network, IMAGE, row="full-preactivation")["row"].verdict is NO


def test_citations_name_who_said_it():
    network = behind(9, keep, OriginalNet)
    assert probe(network, IMAGE)["clear-stream"].source == "Fig. 4(a)"

    class After(PreUnit):
        def forward(self, x):
            return nnf.relu(super().forward(x))

    report = probe(type("Net", (PreNet,), {"unit": After})(), IMAGE)
    assert report["clear-stream"].source == "Eq. (2)"
    dropping = behind(9, lambda y: nnf.dropout(y, 0.3))
    source = probe(dropping, IMAGE)["evaluation"].source
    assert source == "Srivastava et al. 2014"
