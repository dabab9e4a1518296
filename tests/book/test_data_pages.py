"""Pages made from data: cards, plans of lessons, glossary, all runs."""

import re
from functools import cache

import pytest
import yaml

from book.site.glossary import address, definitions, pages
from book.tools.language import chapters, glossary, sections
from book.tools.lessons import read_lessons, table
from book.tools.myst import directive, tokens
from paths import ROOT
from preact.book import setup
from preact.book.cards import cards, experiment_cards, totals
from preact.records import read_record
from preact.records.compare import PUBLISHED
from preact.strings import LANGUAGES, Strings

CHAPTERS = chapters("en")
WORDS = yaml.safe_load((ROOT / "book/site/ui_strings.yml").read_text("utf-8"))


@pytest.fixture(autouse=True)
def english():
    yield setup("en")
    setup("en")


# ------------------------------------------------------------------- cards
@cache
def english_cards():
    """Read once: they come from all records."""
    return cards()


def test_every_folder_of_results_has_a_card():
    names = {card.name for card in english_cards()}
    folders = {path.name for path in PUBLISHED.iterdir()} - {"bench"}
    times = {f"bench-{path.stem}" for path in PUBLISHED.glob("bench/*.json")}
    assert names == folders | times | {"transformer"}


def test_a_card_counts_the_runs_and_the_failures_of_its_records():
    (card,) = (
        card for card in english_cards() if card.name == "digits_table_2"
    )
    runs = [
        read_record(path)
        for path in (PUBLISHED / card.name).rglob("seed-*.json")
    ]
    diverged = sum(run.outcome == "diverged" for run in runs)
    assert diverged
    assert dict(card.facts)["runs"] == (
        f"{len(runs)}, seeds 1, 2, 3, 4, 5; above 20 %: "
        f"{sum(run.test_error_pct > 20 for run in runs)}, "
        f"diverged: {diverged}"
    )
    assert sum(int(line[3]) for line in card.table.body) == len(runs)
    lows_and_highs = [
        [float(number) for number in line[5].split("\xa0to\xa0")]
        for line in card.table.body
    ]
    assert min(low for low, _ in lows_and_highs) == pytest.approx(
        min(run.test_error_pct for run in runs), abs=0.006
    )


def test_a_card_says_command_machine_time_departure_and_code():
    markup = experiment_cards()._repr_html_()
    for card in english_cards():
        said = dict(card.facts)
        assert {"runs", "hardware", "code"} <= said.keys()
        assert "time" in said or card.name.startswith("bench")
        assert f'id="card-{card.name}"' in markup
        assert card.command in markup
    records = {path.parents[3].name for path in PUBLISHED.rglob("seed-*")}
    assert all(card.deviations for card in cards() if card.name in records)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_says_what_something_is_once(language):
    setup(language)
    for card in experiment_cards().markup.split("<details")[1:]:
        labels = re.findall("<dt>(.*?)</dt>", card)
        assert labels
        assert len(labels) == len(set(labels))


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_are_in_the_pages_language(language):
    setup(language)
    titles = [card.title for card in cards()]
    assert len(set(titles)) == len(titles)
    assert Strings(language)("card.deviation") in experiment_cards().markup


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


def test_the_sum_over_all_cards_is_said_in_the_text():
    runs, failed, hours = totals()
    assert runs == len([*PUBLISHED.rglob("seed-*.json")]) + len(
        [*(ROOT / "src/preact/book/transformer").glob("*-seed-*.json")]
    )
    assert 0 < failed < runs
    assert hours > 1


# ----------------------------------------------------------------- lessons
@pytest.mark.parametrize("hours", ["1", "2", "6"])
def test_the_minutes_of_a_plan_are_its_hours(hours):
    steps = read_lessons()[hours]
    assert sum(step.minutes for step in steps) == 60 * int(hours)
    assert any(step.exercises for step in steps)


def test_plans_name_sections_and_exercises_that_exist():
    labels = {label for text in CHAPTERS.values() for label in sections(text)}
    exercises = {
        made.options["label"]
        for text in CHAPTERS.values()
        for token in tokens(text)
        if (made := directive(token)) and made.name == "exercise"
    }
    for steps in read_lessons().values():
        assert {step.section for step in steps} <= labels
        named = [label for step in steps for label in step.exercises]
        assert set(named) <= exercises
        assert len(set(named)) == len(named)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plan_is_a_table_in_the_pages_language(language):
    words = WORDS[language]
    head, _, *rows = table("2", words).splitlines()
    assert words["@lesson-minutes"] in head
    assert len(rows) == len(read_lessons()["2"]) + 1
    assert rows[-1].startswith("| **120** |")


# ---------------------------------------------------------------- glossary
def test_every_term_has_an_address_of_its_own():
    addresses = [address(term) for term in glossary()["term"]]
    assert len(set(addresses)) == len(addresses)
    assert "term-residual-unit" in addresses


def test_every_definition_is_one_sentence_of_a_term_in_each_language():
    known = {address(term) for term in glossary()["term"]}
    found = [one for group in definitions().values() for one in group]
    assert {f"term-{key}" for key in found} <= known
    assert len(set(found)) == len(found) >= 45
    for group in definitions().values():
        for key, meant in group.items():
            assert meant["at"] in pages(), key
            assert meant.keys() - {"at", "symbol"} == set(LANGUAGES), key
            for language in LANGUAGES:
                said = meant[language]
                assert said[-1] in ".。", key
                assert len(re.findall(r"。|\.(?= [A-Z]|$)", said)) == 1, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_glossary_prints_every_group(language):
    text = chapters(language)["glossary"]
    assert re.findall(r"{terms} (\w+)", text) == [*definitions()]
