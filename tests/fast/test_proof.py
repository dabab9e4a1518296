"""Kernels are used only where they err no more than PyTorch does."""

import math

import pytest
import torch

from preact.cli import main
from preact.fast import fast, proof
from preact.fast.network import fused
from preact.fast.proof import Compared, compare, outcome, verdict
from preact.nn import Network
from preact.plan import cifar_plan
from preact.spec import TABLE_2

pytestmark = pytest.mark.nightly
CPU = torch.device("cpu")
PARTS = ["logits", "gradients", "statistics"]
KNOWN = {"gpu": "one", "driver": "1"}


def compared(
    view, *, precision="float32", draws=5, depth=14, convs=2, side=16
):
    plan = cifar_plan(
        TABLE_2["full-preactivation"],
        depth=depth,
        convs=convs,
        image=(3, side, side),
    )
    rows = compare(
        view, plan, device=CPU, precision=precision, images=4, draws=draws
    )
    assert [row.part for row in rows] == PARTS
    return {row.part: row for row in rows}


def test_the_kernels_of_this_processor_agree():
    assert all(row.agrees for row in compared(fast).values())


@pytest.mark.parametrize(
    ("depth", "convs", "precision"),
    [(14, 2, "float32"), (20, 3, "float32"), (14, 2, "tf32")],
)
def test_the_interpreted_kernels_of_gpus_agree(depth, convs, precision):
    """An interpreter rounds nothing to TF32, so float32's rows agree too."""
    pytest.importorskip(
        "triton", minversion="3.3", reason="no Triton for our kernels"
    )
    rows = compared(
        fused,
        precision=precision,
        draws=1,
        depth=depth,
        convs=convs,
        side=8,
    )
    assert all(
        row._replace(precision="float32").agrees for row in rows.values()
    )


class Set(Network):
    """Notes what is set while it computes and while it is undone."""

    def forward(self, x):
        logits = super().forward(x)
        self.note()
        logits.register_hook(lambda _: self.note())
        return logits

    def note(self):
        self.notes.append(
            (
                torch.backends.cuda.matmul.allow_tf32,
                torch.backends.cudnn.allow_tf32,
                torch.is_autocast_enabled("cpu"),
            )
        )


@pytest.fixture(params=[False, True])
def before(request):
    """TF32 as the program has set it."""
    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    was = matmul.allow_tf32, cudnn.allow_tf32
    matmul.allow_tf32 = cudnn.allow_tf32 = request.param
    yield request.param
    matmul.allow_tf32, cudnn.allow_tf32 = was


@pytest.mark.parametrize(
    ("precision", "wanted"),
    [
        ("float32", (False, False, False)),
        ("tf32", (True, True, False)),
        ("bfloat16", (False, False, True)),
    ],
)
def test_each_precision_is_set_in_both_passes_and_put_back(
    precision, wanted, before
):
    notes = []

    def view(network):
        network.__class__ = Set
        network.notes = notes
        return network

    compared(view, precision=precision, draws=1)
    assert notes[0] == notes[1][:2] + notes[0][2:] == wanted
    assert torch.backends.cuda.matmul.allow_tf32 is before
    assert torch.backends.cudnn.allow_tf32 is before


def test_a_gpu_has_to_prove_itself_in_each_precision(monkeypatch):
    """TF32 too, in which training asks for the kernels."""
    asked = []

    def compare(view, plan, *, precision, **_):
        asked.append(precision)
        return []

    monkeypatch.setattr(proof, "compare", compare)
    proof.prove(fast, torch.device("cuda"))
    assert set(asked) == {"float32", "tf32", "bfloat16", "float16"}
    asked.clear()
    proof.prove(fast, CPU)
    assert set(asked) == {"float32"}


def test_an_error_of_tf32_is_measured_by_its_ten_bits():
    row = Compared("a", "tf32", "logits", 8 * 2.0**-10, 0.0)
    assert row.agrees
    assert not row._replace(ours=9 * 2.0**-10).agrees
    assert not row._replace(precision="float32").agrees


class Mistaken(Network):
    """A thousandth of one number is wrong, somewhere."""

    part: str

    def run_units(self, x):
        if self.part == "gradients" and x.requires_grad:
            x.register_hook(lambda dx: dx * 1.001)
        return super().run_units(x)

    def forward(self, x):
        if self.part == "statistics":
            self.units[1].weights[1].momentum *= 1.001
        logits = super().forward(x)
        return logits * 1.001 if self.part == "logits" else logits


@pytest.mark.parametrize("part", PARTS)
def test_a_mistake_of_a_thousandth_is_seen(part):
    def view(network):
        network.__class__ = Mistaken
        network.part = part
        return network

    assert not compared(view)[part].agrees


def test_nan_agrees_with_nothing():
    assert not Compared("a", "float32", "logits", math.nan, math.nan).agrees
    assert not Compared("a", "float32", "logits", math.nan, 1.0).agrees


def test_random_numbers_of_the_program_are_left_alone():
    torch.manual_seed(3)
    state = torch.get_rng_state()
    compared(fast, draws=1)
    assert torch.equal(torch.get_rng_state(), state)


def test_a_verdict_says_what_is_off_and_what_runs_instead():
    right = Compared("ResNet-14-2", "float32", "logits", 1e-6, 1e-6)
    wrong = right._replace(part="gradients", ours=0.25)
    assert verdict([right, wrong], "GPU of mine") == (
        "the kernels of `fast` are off on this GPU of mine: their error in "
        "gradients (ResNet-14-2, float32) is 0.25, PyTorch's own 1e-06; on a "
        "GPU `fast` then runs PyTorch's operations"
    )
    assert "in 1 comparisons" in verdict([right], "GPU of mine")


class TestKept:
    @pytest.fixture(autouse=True)
    def own_cache(self, tmp_path, monkeypatch):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        self.folder = tmp_path / "preact"
        self.times = 0

    def find_out(self):
        self.times += 1
        return [Compared("a", "float32", "logits", self.times, 0.0)]

    def test_what_was_found_out_is_not_found_out_again(self):
        first = outcome(KNOWN, self.find_out)
        assert outcome(KNOWN, self.find_out) == first
        assert self.times == 1

    def test_another_driver_is_another_question(self):
        outcome(KNOWN, self.find_out)
        outcome(KNOWN | {"driver": "2"}, self.find_out)
        assert self.times == 2

    @pytest.mark.parametrize("text", ["", "[]", "{}", "null", "\0"])
    def test_a_damaged_outcome_is_found_out_again(self, text):
        outcome(KNOWN, self.find_out)
        (path,) = self.folder.iterdir()
        path.write_text(text)
        outcome(KNOWN, self.find_out)
        outcome(KNOWN, self.find_out)
        assert self.times == 2

    def test_without_a_folder_to_trust_nothing_is_kept(self):
        self.folder.mkdir(mode=0o777)
        self.folder.chmod(0o777)
        outcome(KNOWN, self.find_out)
        outcome(KNOWN, self.find_out)
        assert self.times == 2


def test_the_command_prints_the_comparison(capsys, monkeypatch):
    command = ["bench", "--check", "--device", "cpu"]
    assert main(command) == 0
    assert "err no more than 8 times" in capsys.readouterr().out
    proof.proof.cache_clear()
    monkeypatch.setattr(proof, "FACTOR", 0)
    assert main(command) == 1
    assert "are off on this processor" in capsys.readouterr().out
    proof.proof.cache_clear()
