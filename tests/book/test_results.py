"""Published records and the tables made from them."""

import json

import pytest

from book.tools import results
from paths import ROOT
from preact.data import load
from preact.experiment import planned_runs, read_experiment
from preact.figures import measured
from preact.records.compare import PUBLISHED, compare, load_records
from preact.strings import LANGUAGES, Strings

PATHS = sorted(PUBLISHED.rglob("seed-*.json"))
NAMES = sorted({path.relative_to(PUBLISHED).parts[0] for path in PATHS})


def test_the_readmes_tables_are_those_of_the_records():
    text = results.README.read_text("utf-8")
    assert results.BLOCK.search(text)
    assert results.updated(text) == text


def test_a_stale_table_is_noticed():
    text = results.README.read_text("utf-8")
    stale = text.replace("| 5 |", "| 6 |", 1)
    assert stale != text
    assert results.updated(stale) == text


def test_every_published_record_is_whole_and_of_unchanged_code():
    assert len(load_records()) == len(PATHS) > 0
    for record in load_records():
        assert record["git"]["commit"]
        assert not record["git"]["dirty"]


@pytest.mark.parametrize("path", PATHS, ids=lambda p: "-".join(p.parts[-5:]))
def test_a_published_record_stands_where_its_fields_say(path):
    record = json.loads(path.read_text("utf-8"))
    experiment, data, network, row, seed = path.relative_to(PUBLISHED).parts
    assert record["experiment"] == experiment
    assert record["data"] == data
    assert network == f"resnet-{record['depth']}-{record['convs']}"
    assert row.split(".tail")[0] == record["row"]
    assert seed == f"seed-{record['seed']}.json"
    curve = path.with_suffix(".csv").read_text("utf-8").splitlines()
    last = dict(zip(curve[0].split(","), curve[-1].split(","), strict=True))
    assert int(last["iteration"]) == record["iterations"]
    assert float(last["test_error_pct"]) == record["test_error_pct"]
    assert (
        len(record["profiles"][0]["signal_rms"])
        == (record["depth"] - 2) // record["convs"] + 1
    )


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name.startswith("digits")]
)
def test_an_experiment_on_digits_is_recorded_in_full(name):
    experiment = read_experiment(ROOT / "experiments" / f"{name}.toml")
    wanted = {
        planned.path for planned in planned_runs(experiment, load("digits"))
    }
    there = {p.relative_to(PUBLISHED) for p in PATHS}
    assert wanted == {p for p in there if p.parts[0] == name}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_can_be_shown_in_every_language(name, language):
    table = measured(compare(load_records(name)), Strings(language))
    assert len(table.body) == len(compare(load_records(name)))
    assert "<table" in table._repr_html_()
