"""Published records and the tables made from them."""

import re

import torch

from book.tools import results
from preact.data import load
from preact.data.images import ImageSet
from preact.experiment import read_experiment
from preact.experiment.matrix import planned_runs
from preact.figures import errors_table
from preact.plan.data_sets import DATA_SETS
from preact.records import read_curve, read_record
from preact.records.compare import compare, load_records
from preact.records.files import PUBLISHED
from preact.spec import BN, RELU, ROWS, UnitSpec
from preact.strings import LANGUAGES, Strings
from preact.train import Execution, Recipe, Run
from preact.typed import parse

PATHS = sorted(PUBLISHED.rglob("seed-*.json"))
NAMES = sorted({path.relative_to(PUBLISHED).parts[0] for path in PATHS})


def test_the_readmes_table_is_that_of_the_records():
    text = results.README.read_text("utf-8")
    assert results.BLOCK.search(text)
    assert results.updated(text) == text


def test_the_readmes_picture_is_that_of_the_records():
    assert results.cover() == results.COVER.read_text("utf-8")


# Made where the history had not come along: `code_sha256` says their code.
AWAY = ("first_1001",)


def test_every_published_record_is_whole_and_of_unchanged_code():
    assert len(load_records()) == len(PATHS) > 0
    for record in load_records():
        assert record.git.commit
        assert not record.git.dirty or record.experiment in AWAY


def test_every_published_record_stands_where_its_fields_say():
    for path in PATHS:
        record = read_record(path)
        place = path.relative_to(PUBLISHED).parts
        experiment, data, network, row, seed = place
        assert record.experiment == experiment, path
        assert record.data == data, path
        stages = record.config.get("stages", 3)
        own = "" if stages == 3 else f"-stages-{stages}"
        assert network == f"resnet-{record.depth}-{record.convs}{own}", path
        assert re.split(r"\.(?:tail|lr)-", row)[0] == record.row, path
        assert seed == f"seed-{record.seed}.json", path
        curve = read_curve(path)
        assert curve["iteration"][-1] == record.iterations, path
        assert curve["test_error_pct"][-1] == record.test_error_pct, path
        units = (record.depth - 2) // record.convs
        assert len(record.profiles[0].signal_rms) == units + 1, path


def test_the_configuration_of_every_published_record_can_be_made_again():
    tails = {"": (), "BN": (BN,), "ReLU": (RELU,), "BN ReLU": (BN, RELU)}
    for path in PATHS:
        record = read_record(path)
        run = Run(
            row=record.row,
            depth=record.depth,
            convs=record.convs,
            stages=record.config.get("stages", 3),
            width=record.width,
            recipe=parse(Recipe, record.config["recipe"]),
            data=labelled(record),
            seed=record.seed,
            tail=tails[record.tail],
            unit=own_unit(record),
            execution=parse(Execution, record.config["execution"]),
        )
        assert run.config == record.config, path
        assert run.config_sha256 == record.config_sha256, path


def own_unit(record):
    """A unit that the paper has not, as the record's configuration has it."""
    if record.row in ROWS:
        return None
    places = ("pre", "post", "after")
    written = record.config["unit"]
    return UnitSpec(**{place: tuple(written[place]) for place in places})


def labelled(record):
    """One black image of each split, under the name of the record's data."""
    known = DATA_SETS[record.data.partition("-held-out")[0]]
    images = torch.zeros(1, *known.shape, dtype=torch.uint8)
    label = torch.zeros(1, dtype=torch.int64)
    data = ImageSet(
        name=record.data,
        label=record.data_label,
        classes=10,
        train_images=images,
        train_labels=label,
        test_images=images,
        test_labels=label,
    )
    data.__dict__["sha256"] = record.data_sha256  # a cached property
    return data


def test_an_experiment_on_digits_is_recorded_in_full():
    for name in [name for name in NAMES if name.startswith("digits")]:
        experiment = read_experiment(name)
        wanted = {
            planned.path
            for planned in planned_runs(experiment, load("digits"))
        }
        there = {p.relative_to(PUBLISHED) for p in PATHS}
        assert wanted == {p for p in there if p.parts[0] == name}


def test_every_experiment_can_be_shown_in_every_language():
    for name in NAMES:
        lines = compare(load_records(name))
        for language in LANGUAGES:
            table = errors_table(lines, Strings(language))
            assert len(table.body) == len(lines)
            assert "<table" in table._repr_html_()
