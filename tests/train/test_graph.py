"""A step recorded as a CUDA graph is the step."""

from dataclasses import replace

import pytest
import torch

from preact.data import load
from preact.nn import Network
from preact.plan import cifar_plan
from preact.spec import TABLE_2
from preact.train import Execution, Run, find_recipe, train
from preact.train.checkpoint import NAME
from preact.train.evaluation import CapturedLogits
from preact.train.graph import WARM_UP
from preact.train.parallel import ALONE
from preact.train.session import Session
from preact.train.step import TrainingStep, make_sgd

RECIPE = replace(
    find_recipe("digits"), iterations=40, batch=32, ghost_batch=16
)
gpu = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]


def run(precision="fp32"):
    return Run(
        row="full-preactivation",
        depth=20,
        convs=3,
        width=16,
        recipe=RECIPE,
        data=load("digits"),
        execution=Execution(
            fast=True, channels_last=True, precision=precision
        ),
    )


def test_the_sgd_that_can_be_recorded_is_the_same_sgd():
    plan = cifar_plan(
        TABLE_2["full-preactivation"], depth=8, convs=2, image=(3, 8, 8)
    )
    ends = []
    for captured in (False, True):
        network = Network(plan, seed=0)
        sgd = make_sgd(network, RECIPE, captured=captured)
        rng = torch.Generator().manual_seed(0)
        for i in range(5):
            for group in sgd.param_groups:
                if captured:
                    group["lr"].fill_(0.1 / (i + 1))
                else:
                    group["lr"] = 0.1 / (i + 1)
            for p in network.parameters():
                p.grad = torch.randn(p.shape, generator=rng)
            sgd.step()
        ends.append(torch.cat([p.flatten() for p in network.parameters()]))
    torch.testing.assert_close(*ends)


def test_a_step_is_recorded_only_where_it_can_be():
    session = Session(run(), "cpu", ALONE)
    assert not session.training.captured
    session.step(0)
    assert session.training.capture is None


def test_a_restored_session_keeps_its_own_form_of_sgd():
    """Momentum comes from a checkpoint, of whatever device; the rest not."""
    session = Session(run(), "cpu", ALONE)
    for i in range(3):
        session.step(i)
    state = session.state()
    other = Session(run(), "cpu", ALONE)
    other.training.sgd = make_sgd(other.network, RECIPE, captured=True)
    other.restore(state)
    assert all(
        isinstance(g["lr"], torch.Tensor) and g["fused"]
        for g in other.training.sgd.param_groups
    )
    for a, b in zip(
        session.training.sgd.state.values(),
        other.training.sgd.state.values(),
        strict=True,
    ):
        assert torch.equal(a["momentum_buffer"], b["momentum_buffer"])


class Again:
    """Stands for a CUDA graph where there is no GPU: does the work anew."""

    def __init__(self, work, pool):
        self.work = work
        for _ in range(WARM_UP):
            work()

    def replay(self):
        self.work()


class Forgetful(Again):
    def replay(self):
        pass


def steps(record, *, captured=True, count=4):
    """Weights after some steps, and the steps."""
    plan = cifar_plan(
        TABLE_2["full-preactivation"], depth=8, convs=2, image=(3, 8, 8)
    )
    network = Network(plan, seed=0)
    sgd = make_sgd(network, RECIPE, captured=True)
    step = TrainingStep(network, sgd, captured=captured, record=record)
    rng = torch.Generator().manual_seed(0)
    for _ in range(count):
        x = torch.randn(8, 3, 8, 8, generator=rng)
        step(x, torch.randint(0, 10, (8,), generator=rng))
    return network.state_dict(), step


def test_a_faithful_recording_is_used_and_moves_nothing_by_being_made():
    plain, _ = steps(Again, captured=False)
    recorded, step = steps(Again)
    assert step.capture is not None
    assert step.capture.error == 0
    assert all(torch.equal(recorded[name], plain[name]) for name in plain)


def test_a_recording_that_learns_something_else_is_not_used(caplog):
    plain, _ = steps(Again, captured=False)
    recorded, step = steps(Forgetful)
    assert step.capture is None
    assert len(caplog.messages) == 1
    assert "by 1 of that step" in caplog.text
    assert all(torch.equal(recorded[name], plain[name]) for name in plain)


def evaluation(record, batches=3):
    """Two evaluations, the weights moved in between: by graph, and plainly."""
    plan = cifar_plan(
        TABLE_2["full-preactivation"], depth=8, convs=2, image=(3, 8, 8)
    )
    network = Network(plan, seed=0).eval()
    captured = CapturedLogits(network, record)
    sizes = [8] * batches + [3]
    rng = torch.Generator().manual_seed(0)
    found = []
    with torch.no_grad():
        for _ in range(2):
            logits = captured.start()
            for n in sizes:
                x = torch.randn(n, 3, 8, 8, generator=rng)
                found.append((logits(x).clone(), network(x)))
            for p in network.parameters():
                p.mul_(1.5)
    return found, captured


def test_an_evaluation_by_a_graph_has_the_plain_networks_logits():
    found, captured = evaluation(Again)
    assert captured.graph is not None
    assert all(torch.equal(ours, plain) for ours, plain in found)


class Stale(Again):
    """Goes on with the first weights' answer, as folded weights would."""

    def __init__(self, work, pool):
        super().__init__(work, pool)
        self.replays = 0

    def replay(self):
        self.replays += 1
        if self.replays <= 3:
            self.work()


def unrecordable(work, pool):
    raise RuntimeError("CUDA out of memory.\nTried to allocate")


@pytest.mark.parametrize(
    ("record", "words"),
    [(Forgetful, "errs by"), (Stale, "errs by"), (unrecordable, "of memory")],
)
def test_a_graph_that_answers_something_else_does_not_evaluate(
    record, words, caplog
):
    found, captured = evaluation(record)
    assert captured.graph is None
    assert len(caplog.messages) == 1
    assert words in caplog.text
    assert all(torch.equal(ours, plain) for ours, plain in found)


def test_images_of_a_single_batch_are_not_worth_a_graph():
    _, captured = evaluation(None, batches=1)
    assert captured.usable
    assert captured.graph is None


class TestOnGPU:
    pytestmark = gpu

    @pytest.mark.parametrize("precision", ["fp32", "tf32", "fp16"])
    def test_recorded_steps_learn_what_eager_steps_do(self, precision):
        ends = []
        for watched in (False, True):
            session = Session(run(precision), "cuda", ALONE)
            for i in range(10):
                session.step(i, watched=watched)
            assert (session.training.capture is None) == watched
            ends.append(session.state())
        for name, a in ends[0]["network"].items():
            torch.testing.assert_close(
                a, ends[1]["network"][name], rtol=1e-2, atol=1e-3
            )
        torch.testing.assert_close(
            ends[0]["sums"], ends[1]["sums"], rtol=1e-3, atol=1e-3
        )

    def test_an_evaluation_by_a_graph_counts_the_same_errors(
        self, monkeypatch
    ):
        monkeypatch.setattr("preact.data.images.EVALUATED", 100)
        session = Session(run("fp16"), "cuda", ALONE)
        session.step(0)
        by_graph = session.evaluate()
        assert session.captured_logits.proved
        session.captured_logits.usable = False
        assert by_graph == pytest.approx(session.evaluate(), abs=0.5)

    def test_a_recorded_run_resumes_from_its_checkpoint(self, tmp_path):
        whole = train(
            run("fp16"),
            tmp_path,
            device="cuda",
            save_every=15,
            report_every=5,
        )
        (tmp_path / NAME).unlink()  # go back to the one before
        again = train(run("fp16"), tmp_path, device="cuda", report_every=5)
        assert again.train_loss == pytest.approx(whole.train_loss, rel=1e-2)
