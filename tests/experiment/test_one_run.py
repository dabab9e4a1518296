"""One run from its lock to its record: what others do meanwhile, and after."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import FileLock

from preact.data import load
from preact.experiment import (
    Busy,
    PlannedRun,
    execute,
    find_checkpoint,
    memory_used,
)
from preact.experiment.described import check_about, described, measured
from preact.experiment.execute import record_path
from preact.experiment.memory_used import peak_memory, reset_peak_memory
from preact.records import Deviation
from preact.train import Execution, Run, find_recipe
from preact.train.checkpoint import NAME, PREVIOUS


@pytest.fixture(scope="module")
def planned():
    recipe = replace(
        find_recipe("digits"),
        iterations=3,
        batch=8,
        ghost_batch=8,
        drop_at=(),
        warmup_iterations=0,
    )
    return PlannedRun(
        "mine",
        Run(
            row="original",
            depth=8,
            convs=2,
            width=4,
            recipe=recipe,
            data=load("digits"),
        ),
    )


@pytest.fixture(scope="module")
def recorded(planned, tmp_path_factory):
    """Folder with the record of the run."""
    out = tmp_path_factory.mktemp("recorded")
    execute(planned, out, device="cpu")
    return out


class Late(tuple):
    """Deviations; while they are read, another process ends the run."""

    def __iter__(self):
        source, target = self[0]
        shutil.copytree(source, target, dirs_exist_ok=True)
        return iter(())


def test_a_run_that_another_process_ends_meanwhile_is_not_trained_again(
    planned, recorded, tmp_path
):
    path = recorded / planned.path
    late = Late([(recorded, tmp_path)])
    points = []
    record, new = execute(
        planned, tmp_path, device="cpu", report=points.append, deviations=late
    )
    assert (new, points) == (False, [])
    assert (tmp_path / planned.path).read_bytes() == path.read_bytes()
    assert record.config_sha256 == planned.run.config_sha256


def test_what_another_process_recorded_meanwhile_is_looked_at(
    planned, recorded, tmp_path
):
    other = replace(planned.run, seed=2)
    (tmp_path / "theirs" / planned.path).parent.mkdir(parents=True)
    target = tmp_path / "theirs" / replace(planned, run=other).path
    shutil.copy(recorded / planned.path, target)
    late = Late([(tmp_path / "theirs", tmp_path)])
    with pytest.raises(ValueError, match="of another configuration"):
        execute(
            replace(planned, run=other),
            tmp_path,
            device="cpu",
            deviations=late,
        )


@pytest.mark.parametrize(
    "name",
    [
        "seed-1.checkpoints/checkpoint.pt",
        ".seed-1.json.4711",
        ".seed-1.csv.4711",
        ".seed-1.safetensors.4711",
    ],
)
def test_what_a_kill_left_of_a_recorded_run_goes_and_nothing_else(
    planned, recorded, tmp_path, name
):
    shutil.copytree(recorded, tmp_path, dirs_exist_ok=True)
    folder = (tmp_path / planned.path).parent
    (folder / ".seed-2.json.4711").write_text("of another run")
    before = {p.name for p in folder.iterdir()}
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("half")
    assert execute(planned, tmp_path, device="cpu")[1] is False
    assert {p.name for p in folder.iterdir()} == before


def test_the_newest_checkpoint_is_found_else_the_one_before(tmp_path):
    path, work = tmp_path / "seed-1.json", tmp_path / "seed-1.checkpoints"
    assert find_checkpoint(path) is None
    work.mkdir()
    assert find_checkpoint(path) is None
    (work / PREVIOUS).write_text("")
    assert find_checkpoint(path) == work / PREVIOUS
    (work / NAME).write_text("")
    assert find_checkpoint(path) == work / NAME


def test_a_locked_run_is_busy_and_free_again_afterwards(planned, tmp_path):
    path = record_path(tmp_path, planned)
    work = path.with_suffix(".checkpoints")
    work.mkdir(parents=True)
    with (
        FileLock(work / "lock"),
        pytest.raises(Busy, match="must wait: another process trains it"),
    ):
        execute(planned, tmp_path, device="cpu")
    assert not path.exists()
    for new in (True, False):
        assert execute(planned, tmp_path, device="cpu")[1] is new
    assert not work.exists()


@pytest.mark.parametrize("times", [1, 9, 10])
def test_a_lock_that_others_delete_is_tried_ten_times(
    planned, tmp_path, monkeypatch, times
):
    """As a process does that is done: the folder is gone before the lock."""
    work = record_path(tmp_path, planned).with_suffix(".checkpoints")
    real, deleted = FileLock.acquire, []

    def acquire(self, **options):
        if len(deleted) < times:
            deleted.append(shutil.rmtree(work))
            raise FileNotFoundError(2, "gone", str(work))
        return real(self, **options)

    monkeypatch.setattr(FileLock, "acquire", acquire)
    if times < 10:
        assert execute(planned, tmp_path, device="cpu")[1]
    else:
        with pytest.raises(FileNotFoundError):
            execute(planned, tmp_path, device="cpu")


def test_what_is_no_planned_run_is_refused(planned, tmp_path):
    with pytest.raises(ValueError, match=r"planned must be .*; got Run"):
        execute(planned.run, tmp_path, device="cpu")


@pytest.mark.parametrize("save", [True, False, "a folder/own.safetensors"])
def test_weights_are_kept_beside_the_record_or_nowhere_or_where_asked(
    planned, tmp_path, save
):
    place = tmp_path / save if isinstance(save, str) else save
    execute(planned, tmp_path / "runs", device="cpu", save=place)
    kept = [str(p.name) for p in tmp_path.rglob("*.safetensors")]
    assert kept == {True: ["seed-1.safetensors"], False: []}.get(
        save, ["own.safetensors"]
    )


def test_a_recorded_runs_weights_that_were_not_kept_are_asked_for_in_vain(
    planned, tmp_path
):
    own = tmp_path / "own.safetensors"
    execute(planned, tmp_path, device="cpu", save=False)
    with pytest.raises(ValueError, match="its weights were not kept"):
        execute(planned, tmp_path, device="cpu", save=own)
    assert not own.exists()


def test_checkpoints_stay_until_the_record_is_written(planned, tmp_path):
    """What takes its place while the run is trained is no record."""
    path = tmp_path / planned.path

    def take_its_place(_point):
        path.write_text("mine")

    with pytest.raises(FileExistsError):
        execute(planned, tmp_path, device="cpu", report=take_its_place)
    assert find_checkpoint(path) is not None
    path.unlink()
    points = []
    record, new = execute(
        planned, tmp_path, device="cpu", report=points.append
    )
    assert (record.iterations, new, points) == (3, True, [])
    assert find_checkpoint(path) is None


def test_weights_are_copied_once(planned, recorded, tmp_path):
    own = tmp_path / "own.safetensors"
    assert execute(planned, recorded, device="cpu", save=own)[1] is False
    kept = (recorded / planned.path).with_suffix(".safetensors")
    assert own.read_bytes() == kept.read_bytes()
    before = own.stat().st_ino
    execute(planned, recorded, device="cpu", save=own)  # is there already
    assert own.stat().st_ino == before


def test_a_run_that_came_to_nothing_is_described_without_a_loss(planned):
    ended = SimpleNamespace(
        outcome="diverged",
        iterations=2,
        test_error_pct=90.0,
        train_loss=float("nan"),
        wall_s=1.23456,
        images_per_s=None,
        profiles=[],
        kernels=["C", "PyTorch"],
    )
    told = measured(planned.run, ended)
    assert told["train_loss"] is told["images_per_s"] is None
    assert (told["wall_s"], told["iterations"]) == (1.23, 2)
    assert told["test_error_is"] == "last iteration"
    assert told["kernels"] == ["C", "PyTorch"]
    ended.outcome, ended.train_loss, ended.images_per_s = "finished", 0.5, 7.77
    told = measured(planned.run, ended)
    assert (told["train_loss"], told["images_per_s"]) == (0.5, 7.8)


def test_a_description_says_when_and_what_deviates(planned):
    before = datetime.now(UTC).replace(microsecond=0)
    why = Deviation(from_="CIFAR-10", to="digits", why="small")
    told = described(planned.run, [why])
    started = datetime.fromisoformat(told["started_utc"])
    assert before <= started <= datetime.now(UTC)
    assert "." not in told["started_utc"]
    assert told["deviations"] == [
        {"from": "CIFAR-10", "to": "digits", "why": "small"}
    ]
    assert not {"execution", "unit", "classes"} & told.keys()
    assert told["config"] == planned.run.config


def test_processes_that_change_the_batch_of_bn_are_a_deviation(planned):
    """As torchrun does; the recipe's own is 8 images of 8."""
    shared = replace(planned.run, execution=Execution(processes=2))
    told = described(shared, [])
    assert told["bn_batch"] == 4
    assert told["deviations"] == [
        {
            "from": "bn_batch 8",
            "to": "bn_batch 4",
            "why": "2 processes share a batch of 8",
        }
    ]
    half = replace(planned.run.recipe, ghost_batch=4)
    assert described(replace(shared, recipe=half), [])["deviations"] == []


def test_what_no_record_can_hold_is_refused_with_its_name():
    for value in (float("nan"), {1, 2}, "\ud800"):
        with pytest.raises(
            ValueError, match="x: lr must be finite numbers and text; got"
        ) as told:
            check_about({"lr": value}, "x")
        assert "\n" not in str(told.value)
    with pytest.raises(ValueError, match="must be finite") as told:
        check_about({"lr": {"x" * 10_000}}, "x")
    assert len(str(told.value)) < 400
    with pytest.raises(ValueError, match=r"^x: .*is missing"):
        check_about({}, "x")


def told_by_the_kernel(name):
    """Bytes of a line of this process's status."""
    for line in memory_used.STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return 1024 * int(line.split()[1])
    raise LookupError(name)


@pytest.fixture
def after_a_large_block():
    """Bytes at the most before this test, of which it holds few."""
    try:
        block = b"\x01" * 300_000_000
        most = told_by_the_kernel("VmHWM")
        del block
        Path("/proc/self/clear_refs").write_text("5")
        if told_by_the_kernel("VmHWM") > most - 200_000_000:
            pytest.skip("the kernel does not forget its peak here")
    except OSError:
        pytest.skip("the kernel tells no peak here")
    assert b"\x01" * 300_000_000  # held, and gone
    return most


def test_the_most_memory_is_what_the_kernel_tells():
    told = peak_memory("cpu")
    if not memory_used.STATUS.exists():
        pytest.skip("no /proc here")
    assert told["peak_memory_is"] == "resident set of the process"
    assert 0 <= told_by_the_kernel("VmHWM") - told["peak_memory_bytes"] < 1e7


def test_the_most_memory_of_before_can_be_forgotten(after_a_large_block):
    assert peak_memory("cpu")["peak_memory_bytes"] > after_a_large_block - 5e7
    reset_peak_memory("cpu")
    assert peak_memory("cpu")["peak_memory_bytes"] < after_a_large_block - 2e8


def test_a_record_tells_the_most_memory_of_its_run_alone(
    planned, tmp_path, after_a_large_block
):
    record, _ = execute(planned, tmp_path, device="cpu")
    assert record.peak_memory_bytes < after_a_large_block - 5e7
    assert record.peak_memory_is == "resident set of the process"


def test_memory_that_is_not_told_is_unknown(tmp_path, monkeypatch):
    nothing = {"peak_memory_bytes": None, "peak_memory_is": "unknown"}
    for content in (None, "VmRSS:\t 5 kB\n"):
        path = tmp_path / "status"
        if content:
            path.write_text(content)
        monkeypatch.setattr(memory_used, "STATUS", path)
        assert peak_memory("cpu") == nothing


def test_the_file_of_a_run_says_the_code_the_clock_and_the_kernels(
    planned, recorded
):
    record = json.loads((recorded / planned.path).read_text())
    assert record["wall_is"] == "monotonic clock"
    assert len(record["code_sha256"]) == 64
    assert record["kernels"] == ["PyTorch"]


@pytest.mark.parametrize("name", ["..", "../../x", "/etc", "a\udcff"])
def test_data_of_a_name_that_leads_astray_are_refused(planned, tmp_path, name):
    data = replace(planned.run.data, name=name)
    lost = replace(planned, run=replace(planned.run, data=data))
    says = "must be text" if "\udcff" in name else "must lie in its folder"
    with pytest.raises(ValueError, match=says):
        record_path(tmp_path, lost)
