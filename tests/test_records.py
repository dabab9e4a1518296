import json
import math
import re
import statistics
from dataclasses import replace
from itertools import product

import pytest

from preact.cli import main
from preact.records import read_curve, read_record
from preact.records.compare import (
    compare,
    half_interval,
    load_records,
    printed_rows,
)
from preact.records.costs import EXPERIMENTS, costs
from preact.records.files import PUBLISHED, write_new, write_record
from preact.records.record import sha256_of
from preact.spec import find_row

SOME = sorted(PUBLISHED.glob("digits_depth/digits/resnet-20-2/*/seed-1.json"))
GOOD = json.loads(SOME[0].read_text("utf-8"))


def made(path, **change):
    """A record like a published one, but for what changes, hashed anew."""
    config = {**GOOD["config"], **change.pop("config", {})}
    execution = change.pop("execution", {})
    config["execution"] = {**config["execution"], **execution}
    config |= {k: v for k, v in change.items() if k in config}
    values = {**GOOD, **change, "config": config}
    values["config_sha256"] = sha256_of(config)
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_record(path, values, [])


def test_a_run_leaves_record_curve_and_weights_and_is_not_repeated(
    tmp_path, capsys
):
    command = ["train", "--depth", "8", "--iterations", "30"]
    command += ["--device", "cpu", "--out", str(tmp_path)]
    assert main(command) == 0
    folder = tmp_path / "train/digits/resnet-8-2/full-preactivation"
    left = {p.name: p.read_bytes() for p in folder.iterdir()}
    assert {name.partition(".")[2] for name in left} == {
        *("csv", "json", "safetensors")
    }
    record = read_record(folder / "seed-1.json")
    assert record.outcome == "finished"
    assert record.spec == "BN ReLU conv BN ReLU conv (+)"
    assert record.config["recipe"]["iterations"] == 30
    head, *lines = left["seed-1.csv"].decode().splitlines()
    assert head == "iteration,lr,loss,train_error_pct,test_error_pct"
    assert [line.split(",")[0] for line in lines] == ["20", "30"]
    assert main(command) == 0
    assert "already recorded" in capsys.readouterr().out
    assert main([*command, "--iterations", "31"]) == 2
    assert "record of another configuration" in capsys.readouterr().err
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == left


def test_a_second_record_is_refused_and_nothing_of_the_first_changes(
    tmp_path,
):
    path = tmp_path / "seed-1.json"
    write_record(path, GOOD, [{"iteration": 1, "loss": 2.0}])
    with pytest.raises(FileExistsError, match=re.escape(str(path))):
        write_record(path, GOOD | {"wall_s": 9.0}, [{"iteration": 9}])
    assert read_record(path).wall_s == GOOD["wall_s"] != 9.0
    assert read_curve(path) == {"iteration": [1.0], "loss": [2.0]}


def test_a_curve_that_a_kill_left_without_its_record_is_replaced(tmp_path):
    path = tmp_path / "seed-1.json"
    path.with_suffix(".csv").write_text("iteration\n7\n")
    write_record(path, GOOD, [{"iteration": 1}, {"iteration": 2, "loss": 3}])
    curve = read_curve(path)
    assert curve["iteration"] == [1, 2]
    assert math.isnan(curve["loss"][0])
    assert curve["loss"][1] == 3
    assert len(list(tmp_path.iterdir())) == 2


def test_a_file_that_cannot_be_written_is_named_not_its_draft(tmp_path):
    path = tmp_path / "none" / "a.txt"
    with pytest.raises(FileNotFoundError) as told:
        write_new(path, "one", replace=True)
    assert told.value.filename == str(path)


def test_the_file_of_a_record_is_the_record_again(tmp_path):
    record = read_record(SOME[0])
    write_record(tmp_path / "seed-1.json", record, [])
    again = json.loads((tmp_path / "seed-1.json").read_text())
    assert again == GOOD


def test_a_curve_is_read_column_by_column(tmp_path):
    curve = read_curve(SOME[0])
    assert curve["iteration"][-1] == GOOD["iterations"]
    assert curve["test_error_pct"][-1] == GOOD["test_error_pct"]
    path = tmp_path / "seed-1.csv"
    path.write_text("iteration,loss\n1\n")
    with pytest.raises(ValueError, match="line 2 must have 2 cells; got 1"):
        read_curve(path)
    write_record(tmp_path / "seed-2.json", GOOD, [])
    assert read_curve(tmp_path / "seed-2.json") == {}
    path.write_text("iteration,loss\n1,x\n")
    with pytest.raises(ValueError, match="could not convert"):
        read_curve(path)


def test_two_records_of_one_seed_are_not_counted_twice(tmp_path):
    made(tmp_path / "a" / "seed-1.json")
    made(tmp_path / "b" / "seed-1.json")
    with pytest.raises(ValueError, match="seed 1 of one configuration"):
        load_records(folder=tmp_path)


def test_only_names_of_folders_are_reported(tmp_path):
    for name in ("..", "/etc", "a/b"):
        with pytest.raises(ValueError, match="must be the name of a folder"):
            load_records(name, tmp_path)
    with pytest.raises(FileNotFoundError, match="no records below"):
        load_records("nothing", tmp_path)


def test_lines_that_would_look_alike_say_in_what_they_differ(tmp_path):
    recipe = GOOD["config"]["recipe"]
    wanted = set()
    for name, rate in (("a", 0.1), ("a", 0.2), ("b", 0.1)):
        path = tmp_path / name / str(rate) / "seed-1.json"
        config = {"recipe": recipe | {"lr": rate}}
        made(path, experiment=name, config=config)
        wanted.add((f"recipe.lr {rate}", f"experiment {name}"))
    lines = compare(load_records(None, tmp_path))
    assert {line.settings for line in lines} == wanted


def test_lines_stand_by_depth_and_then_in_the_order_of_the_papers_tables(
    tmp_path,
):
    rows = [
        *("original", "full-preactivation", "no-relu-after-addition"),
        *("exclusive-gating-b0", "exclusive-gating-b-6", "dropout-shortcut"),
        "mine",
    ]
    unit = {"unit": {"pre": ["BN"], "post": ["ReLU"]}}
    for depth in (110, 20):
        for row in rows[::-1]:
            path = tmp_path / "any" / row / str(depth) / "seed-1.json"
            config = unit if row == "mine" else {}
            made(path, experiment="any", depth=depth, row=row, config=config)
    lines = compare(load_records("any", tmp_path))
    assert [line.depth for line in lines] == [20] * 7 + [110] * 7
    assert [line.row for line in lines[:7]] == rows


def test_beside_a_line_stands_what_the_paper_prints_of_its_row():
    lines = compare(load_records("digits_table_1"))
    found = {line.row: line.paper_pct for line in lines if line.paper_has}
    assert found["exclusive-gating-b-6"] == 8.70
    assert found["constant-scaling-0.5-1"] is None  # "fail"
    assert found["original"] == 6.61


def test_a_line_fails_where_its_median_is_above_20_percent():
    one = read_record(SOME[0])
    for errors, fails in (((19.0, 20.0, 30.0), False), ((20.0, 20.1), True)):
        seeds = [replace(one, test_error_pct=error) for error in errors]
        (line,) = compare(seeds)
        assert line.fails is fails
        assert line.median == statistics.median(errors)
        assert line.std == statistics.stdev(errors)
        assert line.errors_pct == errors


def test_an_interval_of_a_mean_is_students():
    """By the quantiles of 97.5 %."""
    quantiles = {3: 4.303, 4: 3.182, 11: 2.228, 12: 2.201, 31: 2.042}
    for n, t in quantiles.items():
        values = [float(i % 2) for i in range(n)]
        half = t * statistics.stdev(values) / math.sqrt(n)
        assert half_interval(values) == pytest.approx(half, rel=2e-3)
    assert half_interval([1.0, 2.0]) is None


def reported(folder, capsys, *options):
    assert main(["report", "any", "--results", str(folder), *options]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "iterations", "fails"),
    [
        ("cifar10", 1_172, False),
        ("cifar10", 64_000, True),
        ("digits", 300, True),
    ],
)
def test_a_run_that_is_cut_short_does_not_fail(
    tmp_path, capsys, data, iterations, fails
):
    recipe = GOOD["config"]["recipe"] | {"iterations": iterations}
    made(
        tmp_path / "any" / "seed-1.json",
        **{"experiment": "any", "data": data, "data_label": data},
        test_error_pct=29.0,
        config={"recipe": recipe},
    )
    (told,) = json.loads(reported(tmp_path, capsys, "--json"))
    assert told["fails"] is fails
    said = " ".join(reported(tmp_path, capsys).split())
    assert ("29.00 (fail)" in said) is fails
    assert ("Training was short" in said) is not fails


@pytest.mark.parametrize(
    ("data", "label", "depth", "row", "tail", "lr", "error"),
    [
        *(
            ("cifar10", label, 164, "full-preactivation", "BN ReLU", 0.1, 5.46)
            for label in ("CIFAR-10", "CIFAR-10 (unofficial files)")
        ),
        ("cifar10", "CIFAR-10", 164, "original", "", 0.03, None),
        ("cifar100", "CIFAR-100", 1001, "original", "", 0.1, 27.82),
        *(
            (data, label, 200, "full-preactivation", "BN ReLU", 0.1, error)
            for data, label, error in (
                ("imagenet", "ImageNet", 20.7),
                ("shells", "my shells", None),
            )
        ),
    ],
)
def test_ours_stands_beside_the_papers_error_on_the_same_data_and_rate(
    tmp_path, capsys, data, label, depth, row, tail, lr, error
):
    made(
        tmp_path / "any" / "seed-1.json",
        **{"experiment": "any", "data": data, "data_label": label},
        **{"depth": depth, "convs": 3, "row": row, "tail": tail},
        width=64 if data == "imagenet" else 16,
        config={"recipe": GOOD["config"]["recipe"] | {"lr": lr}},
    )
    (line,) = compare(load_records("any", tmp_path))
    assert line.paper_has == (error is not None)
    assert line.paper_pct == error
    assert bool(line.paper_data) == (data != "shells")
    said = reported(tmp_path, capsys)
    assert label in " ".join(said.split())
    assert not error or f"{error:.2f}" in said


def test_changed_code_is_told_where_it_is_known_and_of_which_run(
    tmp_path, capsys
):
    for seed, dirty in ((1, None), (2, False), (3, True)):
        made(
            tmp_path / "any" / f"seed-{seed}.json",
            experiment="any",
            seed=seed,
            git={"commit": None, "dirty": dirty},
        )
    for options in ((), ("--markdown",)):
        said = reported(tmp_path, capsys, *options)
        assert "changed since its commit: 1 of 3 runs, seed 3\n" in said


def test_a_deviation_of_some_runs_names_them(tmp_path, capsys):
    smaller = {"from": "32x32", "to": "16x16", "why": "asked for"}
    listed = {"from": "batch 128", "to": "batch 16", "why": "asked for"}
    recipe = GOOD["config"]["recipe"] | {"batch": 16}
    for row, departures in (("original", [smaller, listed]), ("mine", [])):
        for seed in (1, 2):
            made(
                tmp_path / "any" / row / f"seed-{seed}.json",
                **{"experiment": "any", "row": row, "seed": seed},
                config={"recipe": recipe},
                deviations=departures,
            )
    said = reported(tmp_path, capsys)
    assert "16x16 (asked for): 2 of 4 runs, original seeds 1, 2\n" in said
    # the recipe of all runs says it, whether a record lists it or not
    assert "batch 16 (asked for)\n" in said


def test_tables_on_several_data_are_headed_by_them(tmp_path, capsys):
    for data, depth in (("shapes", 8), ("letters", 20)):
        made(
            tmp_path / "any" / data / "seed-1.json",
            **{"experiment": "any", "data": data, "data_label": data},
            depth=depth,
        )
    said = reported(tmp_path, capsys)
    assert "\nResNet-8, shapes" in said
    assert "\nResNet-20, letters" in said


def errors_by_seed(folder, row, errors, **change):
    for seed, error in errors.items():
        made(
            folder / "any" / row / f"seed-{seed}.json",
            **{"experiment": "any", "row": row, "seed": seed} | change,
            test_error_pct=error,
        )


def test_a_row_is_compared_with_another_seed_by_seed(tmp_path, capsys):
    errors_by_seed(tmp_path, "original", {1: 10.0, 2: 12, 3: 14, 4: 20})
    errors_by_seed(tmp_path, "mine", {2: 11.0, 3: 15, 4: 17, 5: 9}, spec="x:Y")
    against = "--against", "original"
    (told,) = json.loads(reported(tmp_path, capsys, *against, "--json"))
    assert (told["row"], told["against"]) == ("mine", "original")
    assert told["seeds"] == [2, 3, 4]
    assert told["differences_pct"] == [-1.0, 1.0, -3.0]
    assert "errors_pct" not in told
    assert told["median"] == told["mean"] == -1.0
    # the deviation of -1, 1, -3 is 2, and Student's t of three 4.303
    half = 4.303 * 2 / math.sqrt(3)
    assert told["half_interval"] == pytest.approx(half)
    marked = reported(tmp_path, capsys, *against, "--markdown")
    assert re.search(r"\| mine \|.* \| -1.00 \| -1.00 ± 4.97 \| 3 \|", marked)
    assert "minus that of original" in marked
    said = reported(tmp_path, capsys, *against)
    assert re.search(r"\nmine .* -1.00  -1.00 ± 4.97 +3\n", said)
    assert "\noriginal" not in said
    assert "fail" not in said


def test_of_a_baseline_with_two_ends_that_of_the_same_is_taken(
    tmp_path, capsys
):
    for name, row, tail, error in (
        ("a", "original", "", 50.0),
        ("b", "original", "BN", 5.0),
        ("c", "mine", "BN ReLU", 4.0),
        ("d", "mine", "ReLU", 40.0),
    ):
        made(
            tmp_path / "any" / name / "seed-1.json",
            **{"experiment": "any", "row": row, "tail": tail},
            test_error_pct=error,
        )
    against = "--against", "original", "--json"
    told = json.loads(reported(tmp_path, capsys, *against))
    assert {line["tail"]: line["differences_pct"] for line in told} == {
        "ReLU": [-10.0],
        "BN ReLU": [-1.0],
    }


def test_a_baseline_that_cannot_be_compared_with_is_refused(tmp_path, capsys):
    errors_by_seed(tmp_path, "original", {1: 10.0})
    errors_by_seed(tmp_path, "mine", {2: 10.0})
    command = ["report", "any", "--results", str(tmp_path), "--against"]
    assert main([*command, "theirs"]) == 2
    assert "has records: original, mine; got 'theirs'" in (
        capsys.readouterr().err
    )
    assert main([*command, "original"]) == 2
    assert "no other run has network, learning rate and seed" in (
        capsys.readouterr().err
    )
    assert main(["report", "--against", "original"]) == 2
    assert "--against needs the name of an exper" in capsys.readouterr().err


def test_every_cost_is_that_of_the_line_of_our_report_drawn_in_the_paper(
    capsys,
):
    drawn = {}
    for experiment in EXPERIMENTS.values():
        main(["report", experiment, "--json"])
        for line in json.loads(capsys.readouterr().out):
            if line["tail"] == " ".join(find_row(line["row"]).pre):
                errors = line["median"], len(line["errors_pct"])
                place = line["data_label"], line["depth"], line["row"]
                assert drawn.setdefault(place, errors) == errors
    rows = {*printed_rows(1), *printed_rows(2)}
    ours = [c for pair in product(rows, rows) for c in costs(*pair) if c.n]
    assert {cost.row for cost in ours} == rows
    for cost in ours:
        place = cost.data, cost.depth
        assert drawn[*place, cost.row] == (cost.error_pct, cost.n)
        assert drawn[*place, cost.other] == (cost.other_pct, cost.other_n)
