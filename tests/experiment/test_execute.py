"""From a file to records: run once, kept, shared, interrupted, reported."""

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from filelock import FileLock
from tensorboard.backend.event_processing.event_accumulator import (
    EventAccumulator,
)

from paths import ROOT
from preact.cli import main
from preact.records import read_record, sha256_of
from preact.records.compare import compare, load_records
from preact.train.session import Session

SMALL = """
title = "two rows in seconds"
[scientific]
rows = ["original", "full-preactivation"]
networks = [{ depth = 8, convs = 2, width = 4 }]
[nuisance]
seeds = [1, 2]
[fixed]
recipe = "digits"
recipe_changes = { iterations = 12, drop_at = [] }
[[deviation]]
from = "CIFAR-10"
to = "digits"
why = "a test"
"""
PLACES = ["--device", "cpu"]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The file, and a folder with the records of all its runs."""
    folder = tmp_path_factory.mktemp("ablation")
    path = folder / "small.toml"
    path.write_text(SMALL)
    out = folder / "runs"
    assert main(["ablate", str(path), "--out", str(out), *PLACES]) == 0
    return path, out


def test_an_experiment_leaves_a_record_for_each_run(small):
    _, out = small
    names = sorted(str(p.relative_to(out)) for p in out.rglob("*.json"))
    place = "small/digits/resnet-8-2-width-4"
    assert names == [
        f"{place}/{row}/seed-{seed}.json"
        for row in ("full-preactivation", "original")
        for seed in (1, 2)
    ]
    assert not list(out.rglob("*.checkpoints"))


def test_a_record_says_what_the_reader_of_a_table_asks(small):
    _, out = small
    for record in load_records("small", out):
        (one,) = record.deviations
        assert (one.from_, one.to, one.why) == ("CIFAR-10", "digits", "a test")
        assert record.bn_batch == 64
        assert record.devices == 1
        assert record.parameters > 0
        assert record.images_per_s > 0
        assert record.images_per_s == round(record.images_per_s, 1)
        assert record.wall_s == round(record.wall_s, 2) > 0
        assert record.peak_memory_bytes > 50e6


def test_profiles_lie_on_a_logarithmic_scale_and_cover_every_unit(small):
    _, out = small
    for record in load_records("small", out):
        at = [profile.iteration for profile in record.profiles]
        assert at == [0, 1, 3, 10, 11]
        for profile in record.profiles:
            for name in ("signal_rms", "gradient_norm", "open_share"):
                assert len(getattr(profile, name)) == 3 + 1  # three units
            shut = record.row == "original"
            assert (profile.open_share[1] < 1) is shut


def test_what_is_recorded_is_not_run_again(small, capsys):
    path, out = small
    before = {p: p.read_bytes() for p in out.rglob("seed*")}
    assert main(["ablate", str(path), "--out", str(out), *PLACES]) == 0
    said = capsys.readouterr().out
    assert "0 runs to go" in said
    assert "4 recorded before" in said
    assert {p: p.read_bytes() for p in out.rglob("seed*")} == before


def test_a_dry_run_shows_plan_cost_and_deviations_and_writes_nothing(
    small, tmp_path, capsys
):
    path, _ = small
    command = ["ablate", str(path), "--dry-run", "--out", str(tmp_path / "x")]
    assert main([*command, *PLACES]) == 0
    said = capsys.readouterr().out
    assert "4 runs to go, about 0 min on this device" in said
    assert "deviation: CIFAR-10 -> digits (a test)" in said
    assert not (tmp_path / "x").exists()


def test_a_run_that_another_process_trains_is_left_to_it(
    small, tmp_path, capsys
):
    path, _ = small
    place = tmp_path / "small/digits/resnet-8-2-width-4/original"
    work = place / "seed-1.checkpoints"
    work.mkdir(parents=True)
    with FileLock(work / "lock"):
        assert main(["ablate", str(path), "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "3 finished" in said
    assert "1 trained by another process" in said
    assert not (place / "seed-1.json").exists()


@pytest.mark.slow
def test_two_processes_share_an_experiment_and_no_run_is_made_twice(
    small, tmp_path
):
    path, out = small
    command = [sys.executable, "-m", "preact", "ablate", str(path)]
    command += ["--out", str(tmp_path), *PLACES]
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


def test_a_file_of_one_run_can_be_trained_and_one_of_many_not(
    small, tmp_path, capsys
):
    path, _ = small
    assert main(["train", str(path), "--out", str(tmp_path), *PLACES]) == 2
    assert "must ask for one run; got 4" in capsys.readouterr().err
    one = tmp_path / "one.toml"
    text = SMALL.replace("[1, 2]", "[1]").replace('"original", ', "")
    one.write_text(text)
    assert main(["train", str(one), "--out", str(tmp_path), *PLACES]) == 0
    assert len(list(tmp_path.rglob("*.json"))) == 1


def test_the_report_gathers_seeds_and_stands_beside_the_paper(small, capsys):
    _, out = small
    lines = compare(load_records("small", out))
    assert [line.row for line in lines] == ["original", "full-preactivation"]
    for line in lines:
        assert line.n == 2
        assert not line.paper_has  # the paper has no ResNet-8
        low, high = sorted(line.errors_pct)
        assert line.median == line.mean == (low + high) / 2
        assert line.std == pytest.approx((high - low) / 2**0.5)
    assert main(["report", "small", "--results", str(out), "--markdown"]) == 0
    said = capsys.readouterr().out
    assert f"| original | nothing | {lines[0].median:.2f}" in said
    assert main(["report", "small", "--results", str(out)]) == 0
    assert "deviation: CIFAR-10 -> digits" in capsys.readouterr().out


def test_the_paper_is_joined_to_its_own_network_and_tail_alone(small):
    _, out = small
    (record, *_) = load_records("small", out)

    def paper(**change):
        config = {**record.config, **change}
        changes = {**change, "config": config}
        changes["config_sha256"] = sha256_of(config)
        (line,) = compare([replace(record, **changes)])
        return line.paper_pct if line.paper_has else "nothing"

    full = {"depth": 110, "convs": 2, "width": 16}
    assert paper(**full) == 6.37
    assert paper(**full, tail="ReLU") == "nothing"
    assert paper(**{**full, "width": 4}) == "nothing"
    assert paper(**{**full, "depth": 1001, "convs": 3}) == 4.92
    gate = {"spec": "conv BN ReLU conv BN (+) ReLU", "tail": ""}
    fails = {**full, **gate, "row": "exclusive-gating-b-3"}
    assert paper(**fails) is None


def test_a_report_of_nothing_says_where_it_looked(tmp_path, capsys):
    assert main(["report", "nowhere", "--results", str(tmp_path)]) == 2
    assert f"no records below {tmp_path}/nowhere" in capsys.readouterr().err


def test_a_damaged_record_is_named(small, tmp_path, capsys):
    _, out = small
    (path, *_) = sorted(out.rglob("*.json"))
    hurt = tmp_path / "small" / path.name
    hurt.parent.mkdir()
    record = json.loads(path.read_text())
    record["outcome"] = "fine"
    hurt.write_text(json.dumps(record))
    assert main(["report", "small", "--results", str(tmp_path)]) == 2
    assert "outcome must be one of" in capsys.readouterr().err


def test_resume_insists_on_a_checkpoint(tmp_path, capsys):
    one = tmp_path / "one.toml"
    text = SMALL.replace("[1, 2]", "[1]").replace('"original", ', "")
    one.write_text(text)
    command = ["train", str(one), "--out", str(tmp_path), *PLACES]
    assert main([*command, "--resume"]) == 2
    assert "--resume needs a checkpoint" in capsys.readouterr().err
    assert main(command) == 0
    assert main([*command, "--resume"]) == 0
    assert "already recorded" in capsys.readouterr().out


def test_ctrl_c_saves_and_the_same_command_ends_as_if_nothing_had_been(
    small, tmp_path, monkeypatch, capsys
):
    path, out = small

    def press(self, iteration, **options):
        step(self, iteration, **options)
        if iteration == 7:
            signal.raise_signal(signal.SIGINT)

    step = Session.step
    monkeypatch.setattr(Session, "step", press)
    command = ["ablate", str(path), "--out", str(tmp_path), *PLACES]
    assert main(command) == 130
    assert "run the same command again" in capsys.readouterr().err
    monkeypatch.undo()
    assert len(list(tmp_path.rglob("checkpoint.pt"))) == 1
    assert main(command) == 0
    for one in out.rglob("*.csv"):
        assert (tmp_path / one.relative_to(out)).read_text() == one.read_text()


def test_several_files_begin_with_the_first_seeds_of_all(tmp_path, capsys):
    paths = [tmp_path / "one.toml", tmp_path / "two.toml"]
    for path in paths:
        path.write_text(SMALL)
    command = ["ablate", *map(str, paths), "--out", str(tmp_path), *PLACES]
    assert main(command) == 0
    seeds = re.findall(
        r"(one|two)/\S+/seed-(\d): finished", capsys.readouterr().out
    )
    assert [seed for _, seed in seeds] == ["1"] * 4 + ["2"] * 4
    assert {name for name, _ in seeds[:4]} == {"one", "two"}


@pytest.mark.parametrize(
    ("minutes", "ends"),
    # an hour is enough on any machine; 60 nanoseconds are over at once
    [("60", "4 finished"), ("1e-9", "4 not begun")],
)
def test_a_time_limit_is_asked_before_each_run(
    small, tmp_path, capsys, minutes, ends
):
    path, _ = small
    command = ["ablate", str(path), "--out", str(tmp_path), *PLACES]
    assert main([*command, "--minutes", minutes]) == 0
    assert ends in capsys.readouterr().out


def test_curves_can_be_read_by_tensorboard(small, tmp_path):
    path, out = small
    board = tmp_path / "board"
    command = ["ablate", str(path), "--out", str(tmp_path), *PLACES]
    assert main([*command, "--tensorboard", str(board)]) == 0
    (folder,) = board.rglob("full-preactivation/seed-1")
    events = EventAccumulator(str(folder)).Reload()
    (scalar,) = events.Scalars("test_error_pct")
    (record,) = out.rglob("full-preactivation/seed-1.json")
    wanted = json.loads(record.read_text())["test_error_pct"]
    assert scalar.value == pytest.approx(wanted)


def test_a_run_that_diverges_is_recorded_as_such(tmp_path, capsys):
    path = tmp_path / "wild.toml"
    text = SMALL.replace(
        "drop_at", "lr = 1e30, warmup_iterations = 0, drop_at"
    )
    path.write_text(text)
    assert main(["ablate", str(path), "--out", str(tmp_path), *PLACES]) == 0
    assert "4 diverged" in capsys.readouterr().out
    for record in load_records("wild", tmp_path):
        assert record.outcome == "diverged"
        assert record.train_loss is None
        assert 0 <= record.test_error_pct <= 100


@pytest.mark.slow
@pytest.mark.parametrize(("minutes", "n"), [("60", 4), ("0.000000001", 0)])
def test_the_gpu_queue_runs_what_fits_with_workers_side_by_side(
    small, tmp_path, minutes, n
):
    path, _ = small
    told = subprocess.run(
        ["bash", str(ROOT / "experiments/gpu_queue.sh"), minutes, str(path)],
        env={
            **os.environ,
            "OUT": str(tmp_path),
            "WORKERS": "2",
            "PYTHON": sys.executable,
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=600,  # against a hang
    )
    assert len(list(tmp_path.rglob("seed-*.json"))) == n
    assert f"{n} records in {tmp_path}" in told.stdout


def queue(tmp_path, *words, **environment):
    return subprocess.run(
        ["bash", str(ROOT / "experiments/gpu_queue.sh"), *words],
        env={
            **os.environ,
            "OUT": str(tmp_path / "runs"),
            "PYTHON": sys.executable,
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=600,  # against a hang
    )


def test_the_gpu_queue_asks_for_minutes(tmp_path):
    told = queue(tmp_path, "soon")
    assert told.returncode == 2
    assert "got 'soon'" in told.stderr


@pytest.mark.parametrize("workers", ["abc", "0", "-1", "1; touch spoiled"])
def test_the_gpu_queue_wants_a_number_of_workers(tmp_path, workers):
    told = queue(tmp_path, "1", WORKERS=workers)
    assert (told.returncode, told.stdout) == (2, "")
    assert "WORKERS must be a whole number from 1" in told.stderr
    assert told.stderr.endswith(f"got '{workers}'\n")
    assert not any(tmp_path.iterdir())


def test_the_gpu_queue_fails_if_a_worker_fails(tmp_path):
    told = queue(tmp_path, "1", "nowhere", WORKERS="2")
    assert told.returncode == 2
    assert told.stdout.count("nowhere does not exist") == 2
    assert "0 records in" in told.stdout
