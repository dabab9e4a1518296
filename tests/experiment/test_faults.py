"""What can go wrong around a run ends neither it nor the others."""

import os
import signal
import subprocess
import sys
import time

import pytest
import torch
from filelock import FileLock

from preact.cli import main
from preact.records import read_record
from preact.train.checkpoint import NAME, read
from preact.train.device import check_device

EXPERIMENT = """
[scientific]
rows = ["original", "full-preactivation"]
networks = [{ depth = 8, convs = 2, width = 4 }]
[nuisance]
seeds = [1]
[fixed]
recipe = "digits"
recipe_changes = { iterations = 12, drop_at = [] }
"""
TRAIN = ["train", "--depth", "8", "--width", "4", "--device", "cpu"]
PLACE = "train/digits/resnet-8-2-width-4/full-preactivation"
LONG = ["--iterations", "1000000"]


def started(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "preact", *map(str, arguments)],
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def wait_until(there, process):
    while not there():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(EXPERIMENT)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "code"),
    [("SIGINT", 130), ("SIGTERM", 143)],
)
def test_a_signal_saves_the_iteration_and_is_one_sentence(
    tmp_path, name, code
):
    """SIGINT also where a shell has turned it off, as with `&`."""

    def handlers():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    process = started(*TRAIN, *LONG, "--out", tmp_path, preexec_fn=handlers)
    assert "1000000" in process.stdout.readline()  # it trains
    process.send_signal(getattr(signal, name))
    _, error = process.communicate(timeout=300)
    assert process.returncode == code
    assert error == (
        f"preact: stopped by {'Ctrl-C' if name == 'SIGINT' else name}; run "
        "the same command again to go on\n"
    )
    state = read(tmp_path / PLACE / "seed-1.checkpoints" / NAME)
    # Of the very iteration: not of a multiple of 20, where one is reported.
    assert state["iteration"] >= 20


@pytest.mark.slow
@pytest.mark.parametrize("where", ["a reader who leaves", "a full disk"])
def test_nowhere_to_print_does_not_end_a_run(tmp_path, where):
    arguments = [*TRAIN, "--iterations", "100", "--out", tmp_path]
    if where == "a full disk":
        with open("/dev/full", "w") as full:  # noqa: PTH123
            process = started(*arguments, stdout=full)
    else:
        process = started(*arguments)
        process.stdout.close()
    with process.stderr:
        error = process.stderr.read()
    assert process.wait(300) == 0, error
    assert error.count("\n") == 1
    assert (tmp_path / PLACE / "seed-1.json").exists()


def test_a_second_train_of_a_run_gets_a_sentence(tmp_path, capsys):
    work = tmp_path / PLACE / "seed-1.checkpoints"
    work.mkdir(parents=True)
    with FileLock(work / "lock"):
        assert main([*TRAIN, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error.endswith("another process trains it\n")
    assert error.count("\n") == 1


@pytest.mark.parametrize("what", ["record", "checkpoint"])
def test_one_bad_file_does_not_keep_the_other_runs(
    file, tmp_path, capsys, what
):
    row = tmp_path / "runs/small/digits/resnet-8-2-width-4/original"
    if what == "record":
        row.mkdir(parents=True)
        (row / "seed-1.json").write_text("{")
    else:
        (row / "seed-1.checkpoints").mkdir(parents=True)
        (row / "seed-1.checkpoints" / NAME).write_bytes(b"")
    command = ["ablate", str(file), "--out", str(tmp_path / "runs")]
    if what == "record":
        assert main([*command, "--dry-run"]) == 2
        assert "1 run to go" in capsys.readouterr().out
    assert main(command) == 2
    told = capsys.readouterr()
    assert "1 finished" in told.out
    assert "1 failed" in told.out
    assert str(row) in told.err


def test_a_record_stays_below_its_folder(tmp_path, capsys):
    path = tmp_path / "...toml"
    path.write_text(EXPERIMENT)
    out = tmp_path / "a" / "runs"
    assert main(["ablate", str(path), "--out", str(out)]) == 2
    assert not list(tmp_path.rglob("*.json"))
    assert capsys.readouterr().err


def test_a_record_that_is_a_link_to_nothing_is_found_first(tmp_path, capsys):
    folder = tmp_path / PLACE
    folder.mkdir(parents=True)
    (folder / "seed-1.json").symlink_to(tmp_path / "nothing")
    assert main([*TRAIN, "--out", str(tmp_path)]) == 2
    assert "is a link to nothing" in capsys.readouterr().err


def test_what_a_kill_leaves_beside_a_record_is_cleared(tmp_path):
    command = [*TRAIN, "--iterations", "2", "--out", str(tmp_path)]
    assert main(command) == 0
    folder = tmp_path / PLACE
    before = sorted(folder.iterdir())
    (folder / "seed-1.checkpoints").mkdir()
    (folder / "seed-1.checkpoints" / NAME).write_bytes(b"left over")
    (folder / ".seed-1.json.4711").write_text("half")
    assert main(command) == 0
    assert sorted(folder.iterdir()) == before


def test_a_foreign_file_among_checkpoints_stays_and_harms_nothing(tmp_path):
    work = tmp_path / PLACE / "seed-1.checkpoints"
    work.mkdir(parents=True)
    (work / "notes.txt").write_text("mine")
    assert main([*TRAIN, "--iterations", "2", "--out", str(tmp_path)]) == 0
    assert os.listdir(work) == ["notes.txt"]  # noqa: PTH208


@pytest.mark.parametrize("minutes", ["nan", "inf", "-1", "0"])
def test_minutes_are_a_finite_time(file, capsys, minutes):
    assert main(["ablate", str(file), f"--minutes={minutes}"]) == 2
    assert "minutes must be a finite number" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--depth", "0"], "got 0"),
        (["--depth", "8", "--convs", "0"], "got 0"),
        (["--lr", "nan"], "lr"),
        (["--batch", "-64"], "batch"),
        (["--device", "tpu"], "device must be cpu or cuda; got 'tpu'"),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    tmp_path, capsys, arguments, message
):
    assert main(["train", *arguments, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not list(tmp_path.rglob("*.json"))


def test_options_beside_a_file_are_refused(file, capsys):
    assert main(["train", str(file), "--seed", "1", "--row", "original"]) == 2
    assert "--row, --seed must not stand" in capsys.readouterr().err


def test_departures_from_the_recipe_are_recorded(tmp_path):
    command = [*TRAIN, "--out", str(tmp_path), "--iterations", "4"]
    assert main([*command, "--lr", "0.05", "--batch", "32"]) == 0
    record = read_record(tmp_path / PLACE / "seed-1.json")
    assert [one.to for one in record.deviations] == [
        "iterations 4",
        "batch 32",
        "lr 0.05",
        "ghost_batch 32",
    ]
    assert record.images_per_s > 0


@pytest.mark.skipif(torch.cuda.is_available(), reason="has a CUDA device")
@pytest.mark.parametrize("name", ["cuda", "cuda:7"])
def test_a_device_that_is_not_here_is_refused(name):
    with pytest.raises(
        ValueError, match=f"no CUDA device is here; got '{name}"
    ):
        check_device(name)


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({"WORLD_SIZE": "2"}, "start with torchrun, or unset WORLD_SIZE"),
        (
            {
                "WORLD_SIZE": "abc",
                "RANK": "0",
                "MASTER_ADDR": "localhost",
                "MASTER_PORT": "1",
            },
            "WORLD_SIZE must be a whole number; got 'abc'",
        ),
    ],
)
def test_half_of_what_torchrun_sets_is_a_sentence(
    tmp_path, capsys, monkeypatch, env, message
):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert main([*TRAIN, "--out", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def one_of_two(code, **place):
    """Process 1 of two, whose first one never listens."""
    place = {
        "WORLD_SIZE": "2",
        "RANK": "1",
        "MASTER_ADDR": "127.0.0.1",
    } | place
    return subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}", *TRAIN],
        env=os.environ | {"MASTER_PORT": "1"} | place,
        capture_output=True,
        text=True,
        timeout=100,  # against a hang, below the limit of 120 s
        check=False,
    )


def test_a_master_that_never_answers_is_one_sentence(tmp_path):
    told = one_of_two(f"""
from preact.cli import main
from preact.train import parallel
parallel.MEET_S = 1
sys.exit(main([*sys.argv[1:], "--out", {str(tmp_path)!r}]))
""")
    assert told.returncode == 2
    assert told.stderr == (
        "preact: 2 processes must meet at 127.0.0.1:1 within 1 s; they did "
        "not (Connection refused)\n"
    )


def test_ctrl_c_ends_the_wait_for_a_master(tmp_path):
    """Sent when the first process is called and is not there."""
    told = one_of_two(f"""
import os, signal
from preact.cli import main

def interrupt(event, arguments):
    if event == "socket.connect":
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(interrupt)
sys.exit(main([*sys.argv[1:], "--out", {str(tmp_path)!r}]))
""")
    assert told.returncode == 130
    assert told.stderr.startswith("preact: stopped by Ctrl-C")


@pytest.mark.parametrize("records", ["empty", "no such folder"])
def test_a_folder_without_records_is_one_sentence(tmp_path, capsys, records):
    folder = tmp_path / records
    if records == "empty":
        (folder / "notes").mkdir(parents=True)
    for more in ([], ["--json"]):
        assert main(["report", "--results", str(folder), *more]) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.startswith(f"preact: {folder} must ")
        assert told.err.count("\n") == 1
