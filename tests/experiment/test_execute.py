"""From a file to records: run once, kept, shared, interrupted."""

import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from filelock import FileLock

from preact.cli import main
from preact.experiment import execute
from preact.experiment.matrix import PlannedRun
from preact.experiment.provenance import described
from preact.records import read_record
from preact.records.compare import load_records
from preact.train import Execution
from preact.train.checkpoint import NAME, read
from preact.train.session import Session
from small import small_run

SMALL = """
title = "[red] two rows in seconds"
[scientific]
rows = ["original", "full-preactivation"]
networks = [{ depth = 8, convs = 2, width = 4 }]
[nuisance]
seeds = [1, 2]
[fixed]
recipe = "digits"
[fixed.recipe_changes]
iterations = 12
batch = 16
ghost_batch = 16
drop_at = []
[[deviation]]
from = "CIFAR-10"
to = "digits"
why = "a test"
"""
PLACE = "small/digits/resnet-8-2-width-4"
TRAIN = ["train", "--depth", "8", "--width", "4", "--device", "cpu"]
TRAINED = "train/digits/resnet-8-2-width-4/full-preactivation"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The file, and a folder with the records of all its runs."""
    folder = tmp_path_factory.mktemp("ablation")
    path = folder / "small.toml"
    path.write_text(SMALL)
    out = folder / "runs"
    assert main(["ablate", str(path), "--out", str(out)]) == 0
    return path, out


@pytest.fixture(scope="module")
def planned():
    recipe = {"batch": 8, "drop_at": (), "warmup_iterations": 0}
    return PlannedRun("mine", small_run("original", recipe=recipe))


@pytest.fixture(scope="module")
def recorded(planned, tmp_path_factory):
    """Folder with the record of the run."""
    out = tmp_path_factory.mktemp("recorded")
    execute(planned, out, device="cpu")
    return out


def contents(folder):
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_an_experiment_leaves_a_record_and_a_curve_for_each_run(small):
    """A record says what the reader of a table asks."""
    _, out = small
    names = sorted(str(p.relative_to(out)) for p in out.rglob("*.*"))
    assert names == [
        f"{PLACE}/{row}/seed-{seed}.{kind}"
        for row in ("full-preactivation", "original")
        for seed in (1, 2)
        for kind in ("csv", "json")
    ]
    for record in load_records("small", out):
        one, *changes = record.deviations
        assert (one.from_, one.to, one.why) == ("CIFAR-10", "digits", "a test")
        assert [(c.from_, c.to) for c in changes] == [
            ("batch 64", "batch 16"),
            ("ghost_batch 64", "ghost_batch 16"),
            ("drop_at [200, 260]", "drop_at []"),
            ("iterations 300", "iterations 12"),
        ]
        assert (record.bn_batch, record.devices) == (16, 1)
        started = datetime.fromisoformat(record.started_utc)
        assert datetime.now(UTC) - started < timedelta(days=1)
        assert record.parameters > 0
        assert record.images_per_s == round(record.images_per_s, 1) > 0
        assert record.wall_s == round(record.wall_s, 2) > 0
        assert record.test_error_is == "last iteration"
        assert record.wall_is == "monotonic clock"
        assert record.kernels == ("PyTorch",)
        at = [profile.iteration for profile in record.profiles]
        assert at == [0, 1, 3, 10, 11]
        for profile in record.profiles:
            for name in ("signal_rms", "gradient_norm", "open_share"):
                assert len(getattr(profile, name)) == 3 + 1  # three units
            shut = record.row == "original"
            assert (profile.open_share[1] < 1) is shut
    for path in out.rglob("*.json"):
        assert str(out) not in path.read_text()  # no path of the user


def test_what_is_recorded_is_not_run_again(small, capsys):
    path, out = small
    before = contents(out)
    left = out / PLACE / "original/seed-1.checkpoints"
    left.mkdir()  # by a kill just after the record was written
    (left / NAME).write_text("half")
    assert main(["ablate", str(path), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "0 runs to go" in said
    assert "4 recorded before" in said
    assert contents(out) == before


def test_a_dry_run_shows_plan_and_deviations_and_writes_nothing(
    small, tmp_path, capsys
):
    path, _ = small
    command = ["ablate", str(path), "--dry-run", "--out", str(tmp_path / "x")]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "[red] two rows" in said  # never markup
    assert "4 runs to go" in said
    assert "deviation: CIFAR-10 -> digits (a test)" in said
    assert not (tmp_path / "x").exists()


def test_a_run_that_another_process_trains_is_left_to_it(
    small, tmp_path, capsys
):
    path, _ = small
    row = tmp_path / PLACE / "original"
    row.mkdir(parents=True)
    with FileLock(row / "seed-1.lock"):
        assert main(["ablate", str(path), "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "3 finished" in said
    assert "1 trained by another process" in said
    assert "run 4 of 4" in said
    assert "run 5" not in said  # the first was looked at twice
    assert not (row / "seed-1.json").exists()


@pytest.mark.slow
def test_two_processes_share_an_experiment_and_no_run_is_made_twice(
    small, tmp_path
):
    path, out = small
    command = [sys.executable, "-m", "preact", "ablate", str(path)]
    command += ["--out", str(tmp_path)]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=600)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum(text.count("finished after") for text in said) == 4
    for one in out.rglob("*.json"):
        other = tmp_path / one.relative_to(out)
        mine, theirs = read_record(one), read_record(other)
        assert mine.test_error_pct == theirs.test_error_pct


def test_ctrl_c_saves_and_the_same_command_ends_as_if_nothing_had_been(
    small, tmp_path, monkeypatch, capsys
):
    path, out = small

    def press(self, iteration):
        step(self, iteration)
        if iteration == 7:
            signal.raise_signal(signal.SIGINT)

    step = Session.step
    monkeypatch.setattr(Session, "step", press)
    command = ["ablate", str(path), "--out", str(tmp_path)]
    assert main(command) == 130
    assert "run the same command again" in capsys.readouterr().err
    monkeypatch.undo()
    assert len(list(tmp_path.rglob("checkpoint.pt"))) == 1
    assert main(command) == 0
    assert not list(tmp_path.rglob("checkpoint.pt"))
    for one in out.rglob("*.csv"):
        assert (tmp_path / one.relative_to(out)).read_text() == one.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_saves_the_iteration_and_is_one_sentence(
    tmp_path, name, code
):
    """SIGINT also where a shell has turned it off, as with `&`."""
    words = [*TRAIN, "--iterations", "1000000", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "preact", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert "1,000,000 iterations" in process.stdout.readline()
    assert "20/1000000" in process.stdout.readline()  # it trains
    process.send_signal(getattr(signal, name))
    _, error = process.communicate(timeout=300)
    assert process.returncode == code
    assert error == (
        f"preact: stopped by {'Ctrl-C' if name == 'SIGINT' else name}; run "
        "the same command again to go on\n"
    )
    state = read(tmp_path / TRAINED / "seed-1.checkpoints" / NAME)
    # Of the very iteration: not of a multiple of 20, where one is reported.
    assert state["iteration"] >= 20
    again = subprocess.Popen(process.args, stdout=subprocess.PIPE, text=True)
    assert "begun before" in again.stdout.readline()
    again.kill()
    again.communicate()


def test_bad_files_do_not_keep_the_other_runs(small, tmp_path, capsys):
    path, _ = small
    row = tmp_path / PLACE / "original"
    bad = row / "seed-1.json", row / f"seed-2.checkpoints/{NAME}"
    bad[1].parent.mkdir(parents=True)
    for file in bad:
        file.write_text("{")
    command = ["ablate", str(path), "--out", str(tmp_path)]
    assert main([*command, "--dry-run"]) == 2
    assert "3 runs to go" in capsys.readouterr().out
    assert main(command) == 2
    told = capsys.readouterr()
    assert "2 finished" in told.out
    assert "1 failed" in told.out
    assert "1 refused for the record that is there" in told.out
    assert all(str(file) in told.err for file in bad)


def test_a_run_that_diverges_is_recorded_as_such(tmp_path, capsys):
    path = tmp_path / "wild.toml"
    wild = "lr = 1e30\nwarmup_iterations = 0\ndrop_at"
    path.write_text(SMALL.replace("drop_at", wild).replace("[1, 2]", "[1]"))
    assert main(["ablate", str(path), "--out", str(tmp_path)]) == 0
    assert "2 diverged" in capsys.readouterr().out
    for record in load_records("wild", tmp_path):
        assert record.outcome == "diverged"
        assert record.train_loss is None
        assert 0 <= record.test_error_pct <= 100


def test_one_run_that_diverges_fails_and_says_what_may_help(tmp_path, capsys):
    wild = ["--iterations", "22", "--lr", "1e30", "--out", str(tmp_path)]
    for _ in range(2):  # trained, then read
        assert main([*TRAIN, *wild]) == 1
        assert "--lr" in capsys.readouterr().err


def test_records_of_another_recipe_are_one_line_with_their_number(
    small, tmp_path, capsys
):
    _, out = small
    shutil.copytree(out, tmp_path / "runs")
    other = tmp_path / "small.toml"
    other.write_text(SMALL.replace("iterations = 12", "iterations = 13"))
    command = ["ablate", str(other), "--out", str(tmp_path / "runs")]
    assert main(command) == 2
    told = capsys.readouterr()
    (said,) = told.err.splitlines()
    assert "iterations is 12 there, 13 here" in said
    assert "; 3 records more like it" in said
    assert "4 refused for the record that is there" in told.out


def test_a_warm_up_that_outlasts_the_run_is_told(tmp_path, capsys):
    short = ["--iterations", "2", "--out", str(tmp_path)]
    assert main([*TRAIN, *short]) == 0
    said = "the warm-up of 20 iterations is longer than the run of 2"
    assert said in capsys.readouterr().out
    assert main(["report", "train", "--results", str(tmp_path)]) == 0
    assert said in capsys.readouterr().out


def test_a_run_that_another_process_ends_meanwhile_is_not_trained_again(
    planned, recorded, tmp_path, monkeypatch
):
    """It ends while this one takes the lock."""
    real = FileLock.acquire

    def acquire(self, **options):
        shutil.copytree(recorded, tmp_path, dirs_exist_ok=True)
        return real(self, **options)

    monkeypatch.setattr(FileLock, "acquire", acquire)
    record, new = execute(planned, tmp_path, device="cpu")
    assert new is False
    assert record == read_record(recorded / planned.path)
    monkeypatch.undo()
    assert contents(tmp_path).keys() == {
        tmp_path / p.relative_to(recorded) for p in contents(recorded)
    }


def test_checkpoints_stay_until_the_record_is_written(planned, tmp_path):
    """What takes its place while the run is trained is no record."""
    path = tmp_path / planned.path
    with pytest.raises(FileExistsError):
        execute(
            planned,
            tmp_path,
            device="cpu",
            report=lambda _: path.write_text("mine"),
        )
    path.unlink()
    points = []
    record, new = execute(
        planned, tmp_path, device="cpu", report=points.append
    )
    assert (record.iterations, new, points) == (12, True, [])


@pytest.mark.parametrize(
    ("processes", "ghost_batch", "bn_batch"), [(2, 8, 4), (2, 4, 4)]
)
def test_processes_that_change_the_batch_of_bn_are_a_deviation(
    planned, processes, ghost_batch, bn_batch
):
    """As torchrun does; a batch has 8 images."""
    recipe = replace(planned.run.recipe, ghost_batch=ghost_batch)
    shared = Execution(processes=processes)
    run = replace(planned.run, recipe=recipe, execution=shared)
    told = described(run, [])
    assert told["config"]["execution"]["processes"] == processes
    assert told["bn_batch"] == bn_batch
    deviation = {
        "from": "bn_batch 8",
        "to": "bn_batch 4",
        "why": "2 processes share a batch of 8",
    }
    assert told["deviations"] == [deviation] * (bn_batch < ghost_batch)
