"""How every recorded experiment was made: cards, from the records alone."""

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from preact.book.afterlife.runs import (
    RATES_FOLDER,
    Run,
    read_runs,
    recorded_letters,
)
from preact.book.explorers import Html
from preact.book.page import words
from preact.figures import Table
from preact.figures.tables import data_name, line_name
from preact.paper import FAIL_ERROR_PCT
from preact.records import Deviation, Record
from preact.records.compare import compare, deviations, load_records
from preact.strings import Strings
from preact.train import find_recipe

CODE = re.compile("`([^`]+)`")
SHORT = 12  # digits of a hash that tell it from all others here
COPY = Deviation(
    from_="CIFAR-10",
    to="a JPEG copy of it, PSNR about 30 dB",
    why="the machine had no access to the official file",
)


class Card(NamedTuple):
    """What one needs to know to make an experiment again.

    `facts` are keys of labels under `card`, and texts; `deviations` those
    from the paper, as the experiment's file has them.
    """

    name: str
    title: str
    command: str
    facts: list[tuple[str, str]]
    table: Table
    deviations: Sequence[Deviation] = ()


def experiment_cards() -> Html:
    """Return all cards, folded, one below the other."""
    made = cards()
    plain = "\n".join(f"{card.name}: {card.command}" for card in made)
    folded = "".join(map(_fold, made))
    return Html(f'<div class="preact-cards">{folded}</div>', plain)


def cards() -> list[Card]:
    """Return a card for every experiment of which there are records."""
    groups: dict[str, list[Record]] = {}
    for record in load_records():
        groups.setdefault(record.experiment, []).append(record)
    return [
        *(_training(name, runs) for name, runs in sorted(groups.items())),
        _transformers("transformer", read_runs(), ""),
        _transformers(
            "transformer_rates", read_runs(RATES_FOLDER), "--rates "
        ),
    ]


def totals() -> tuple[int, int, float]:
    """Count the training runs of all records, the failed ones, and hours."""
    runs, others = load_records(), [*read_runs(), *read_runs(RATES_FOLDER)]
    failed = sum(map(fails, runs)) + sum(map(learns_only_letters, others))
    seconds = [run.wall_s for run in runs] + [run.wall_s for run in others]
    return len(seconds), failed, sum(seconds) / 3600


# ------------------------------------------------------------- the package's
def _training(name: str, runs: Sequence[Record]) -> Card:
    """One experiment of `preact ablate`."""
    say, first = words(), runs[0]
    how = first.config["execution"]
    rates = dict.fromkeys(run.config["recipe"]["lr"] for run in runs)
    data = data_name(first.data_label, say).strip()
    fused = sum("C" in run.kernels for run in runs)
    diverged = sum(run.outcome == "diverged" for run in runs)
    # Of a short training on photographs 20 % is no limit.
    copied, recipe = "JPEG" in first.data_label, first.config["recipe"]
    short = copied and recipe["iterations"] < find_recipe("paper").iterations
    key = "failures_short" if short else "failures"
    facts = [
        ("trained", _trained("recipe", recipe, rates, data)),
        ("computed", _computed(how["precision"], fused)),
        ("runs", _failures(key, runs, map(fails, runs), diverged)),
        *_made(runs),
        ("data_hash", first.data_sha256[:SHORT]),
    ]
    body = [
        [
            f"ResNet-{line.depth}",
            line_name(line, say),
            line.tail or say("table.no_tail"),
            f"{line.lr:g}",
            str(line.n),
            f"{line.median:.2f}",
            _spread(line.errors_pct, say),
            str(sum(error > FAIL_ERROR_PCT for error in line.errors_pct)),
        ][: 7 if short else 8]
        for line in compare(runs)
    ]
    head = [
        f"table.{key}" for key in ("network", "unit", "tail", "lr", "runs")
    ]
    head += ["card.median", "card.spread", *["card.failed"] * (not short)]
    return Card(
        name,
        say(f"card_title.{name}"),
        f"preact ablate {name}",
        facts,
        Table(
            [*map(say, head)],
            body,
            say("card.percent_short" if short else "card.percent"),
        ),
        # Without the recipe's options, which the file's own words sum up.
        [COPY] * copied
        + [d for d in deviations(runs) if not d.why.startswith("asked for")],
    )


def fails(run: Record) -> bool:
    """Whether the paper would say "fail"."""
    return run.outcome != "finished" or run.test_error_pct > FAIL_ERROR_PCT


def _computed(precision: str, fused: int) -> str:
    """Say in which numbers, and how many runs had BN-ReLU in a C kernel."""
    say = words()
    if not fused:
        return precision
    return say("card.fused", precision=precision, count=fused)


def _trained(
    key: str, recipe: Mapping[str, Any], rates: Iterable[float], data: str = ""
) -> str:
    """Say on what, how long and at which rates the runs were trained."""
    say = words()
    return say(
        f"card.{key}",
        data=data,
        iterations=f"{recipe['iterations']:,}",
        batch=recipe["batch"],
        lr=say.join([f"{rate:g}" for rate in rates]),
    )


def _failures(
    key: str,
    runs: Sequence[Record | Run],
    failed: Iterable[bool],
    diverged: int,
) -> str:
    """Count the runs, those that failed and those that diverged."""
    say, seeds = words(), sorted({run.seed for run in runs})
    return say(
        f"card.{key}",
        runs=len(runs),
        seeds=say.join([*map(str, seeds)]),
        failed=sum(failed),
        diverged=diverged,
    )


def _made(runs: Sequence[Record | Run]) -> list[tuple[str, str]]:
    """Say on what machines, in what time and by what code, each once."""
    say, seconds = words(), [run.wall_s for run in runs]
    low, high = f"{min(seconds):.0f}", f"{max(seconds):.0f}"
    each = low if low == high else say("card.range", low=low, high=high)
    time = say("card.seconds", each=each, total=f"{sum(seconds) / 60:.0f}")
    machines = dict.fromkeys(say("card.machine", **vars(run)) for run in runs)
    versions = dict.fromkeys(map(_version, runs))
    between = say("punctuation.semicolon")
    return [
        ("hardware", between.join(machines)),
        ("time", time),
        ("code", between.join(versions)),
    ]


def _version(run: Record | Run) -> str:
    """Commit and hash of the code that ran, and whether it was changed."""
    say = words()
    said = [say("card.commit", commit=(run.git.commit or "?")[:SHORT])]
    if run.code_sha256:
        said.append(say("card.sha", sha=run.code_sha256[:SHORT]))
    if run.git.dirty:
        said.append(say("card.dirty"))
    return say("punctuation.comma").join(said)


def _spread(values: Sequence[float], say: Strings) -> str:
    """From the lowest to the highest of several values."""
    low, high = (f"{value:.2f}" for value in (min(values), max(values)))
    return say("card.range", low=low, high=high) if len(values) > 1 else "–"


# ------------------------------------------------------------ the book's own
def learns_only_letters(run: Run) -> bool:
    """Whether a transformer ends no better than letter frequencies."""
    return not run.test_loss or run.test_loss >= recorded_letters()


def _transformers(name: str, runs: Sequence[Run], options: str) -> Card:
    """Chapter 11's transformers."""
    say, first = words(), runs[0]
    groups: dict[tuple[str, ...], list[Run]] = {}
    for run in runs:
        draw = say(f"card.draw_{run.config.get('draw', 'book')}")
        lr = f"{run.config['lr']:g}"
        groups.setdefault((run.arm, str(run.layers), draw, lr), []).append(run)
    body = []
    for kind in sorted(groups, key=lambda kind: (kind[0], int(kind[1]))):
        group = groups[kind]
        losses = [run.test_loss or float("inf") for run in group]
        row = [*kind, str(len(group))]
        row += [f"{statistics.median(losses):.2f}", _spread(losses, say)]
        body.append([*row, str(sum(map(learns_only_letters, group)))])
    rates = sorted({run.config["lr"] for run in runs}, reverse=True)
    failed = map(learns_only_letters, runs)
    diverged = sum(run.test_loss is None for run in runs)
    seeds = " ".join(map(str, sorted({run.seed for run in runs})))
    head = [f"card.{key}" for key in ("placement", "layers", "draw")]
    head += ["table.lr", "table.runs"]
    head += [f"card.{key}" for key in ("median", "spread", "letters")]
    letters = f"{recorded_letters():.2f}"
    return Card(
        name,
        say(f"card_title.{name}"),
        f"python -m preact.book.afterlife.train {options}{seeds}",
        [
            ("trained", _trained("characters", first.config, rates)),
            ("runs", _failures("failures_letters", runs, failed, diverged)),
            *_made(runs),
            ("data_hash", first.text_sha256[:SHORT]),
        ],
        Table([*map(say, head)], body, say("card.nats", letters=letters)),
    )


# ----------------------------------------------------------------- the page
def _fold(card: Card) -> str:
    """One card as a disclosure, without a script; a link into it opens it."""
    say = words()
    facts = [("command", card.command), *card.facts]
    listed = "".join(
        f"<dt>{escape(say(f'card.{key}'))}</dt><dd>{escape(text)}</dd>"
        for key, text in facts
    )
    if card.deviations:
        listed += f"<dt>{escape(say('card.deviation'))}</dt>"
    for one in card.deviations:
        said = escape(say(f"deviation.{one.why}"))
        listed += "<dd>" + CODE.sub(r"<code>\1</code>", said) + "</dd>"
    return (
        f"<details><summary><code>{card.name}</code> {escape(card.title)}"
        f'</summary><dl id="card-{card.name}">{listed}</dl>'
        f"{card.table._repr_html_()}"
        "</details>"
    )
