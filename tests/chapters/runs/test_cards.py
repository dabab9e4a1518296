"""Cards of experiments, made from the records alone."""

import re
from functools import cache

import pytest

from preact.book.runs.cards import cards, experiment_cards
from preact.book.runs.full_size import resnet_20
from preact.records import read_record
from preact.records.files import PUBLISHED
from preact.strings import LANGUAGES, Strings
from preact.train import find_recipe


@cache
def english_cards():
    """Read once: they come from all records."""
    return cards()


def test_every_folder_of_results_has_a_card():
    names = {card.name for card in english_cards()}
    folders = {path.name for path in PUBLISHED.iterdir()} - {"bench"}
    assert names == folders | {"transformer", "transformer_rates"}


def test_a_card_counts_the_runs_and_the_failures_of_its_records():
    (card,) = (c for c in english_cards() if c.name == "digits_table_2")
    paths = (PUBLISHED / card.name).rglob("seed-*.json")
    runs = [read_record(path) for path in paths]
    errors = [run.test_error_pct for run in runs]
    diverged = sum(run.outcome == "diverged" for run in runs)
    assert diverged
    assert dict(card.facts)["runs"] == (
        f"{len(runs)}, seeds 1, 2, 3, 4, 5; above 20 %: "
        f"{sum(error > 20 for error in errors)}, of these diverged: "
        f"{diverged}"
    )
    assert sum(int(line[4]) for line in card.table.body) == len(runs)
    lows = [float(row[6].split("\xa0to")[0]) for row in card.table.body]
    assert min(lows) == pytest.approx(min(errors), abs=0.006)


def test_a_card_counts_the_runs_by_a_kernel_that_is_gone():
    for card in english_cards():
        paths = (PUBLISHED / card.name).rglob("seed-*.json")
        count = sum("C" in read_record(path).kernels for path in paths)
        said = dict(card.facts).get("computed", "")
        assert (f"in {count} of the runs" in said) == (count > 0), card.name


def test_a_card_says_command_machine_time_departure_and_code():
    markup = experiment_cards()._repr_html_()
    for card in english_cards():
        said = dict(card.facts)
        assert {"runs", "hardware", "time", "code"} <= said.keys()
        assert f'id="card-{card.name}"' in markup
        assert card.command in markup
    records = {path.parents[3].name for path in PUBLISHED.rglob("seed-*")}
    assert all(card.deviations for card in cards() if card.name in records)


@pytest.mark.parametrize("language", LANGUAGES)
def test_departures_are_said_with_the_numbers_of_the_records(language):
    say = Strings(language)
    for one in {one for card in cards() for one in card.deviations}:
        recorded = f"{one.from_} → {one.to} ({one.why})"
        said = say(f"deviation.{one.why}")
        assert said == recorded or language != "en"
        before, after = (
            re.findall(r"\d[\d,.]*\d|\d", text.replace("×", "x"))
            for text in (recorded, said)
        )
        assert sorted(before) == sorted(after)


def test_resnet_20_follows_the_recipe_to_its_end():
    recipe, (record, run) = find_recipe("paper"), resnet_20()
    assert record.iterations == run["iteration"][-1] == recipe.iterations
    for iteration, lr in zip(run["iteration"], run["lr"], strict=True):
        assert lr == recipe.lr_at(int(iteration) - 1)
