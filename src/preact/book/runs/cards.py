"""How every recorded experiment was made: cards, from the records alone."""

import re
import statistics
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

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
from preact.records.compare import (
    PUBLISHED,
    Line,
    compare,
    deviations,
    load_records,
)
from preact.records.speed import load_times
from preact.strings import Strings
from preact.train import find_recipe

CODE = re.compile("`([^`]+)`")
SHORT = 12  # digits of a hash that tell it from all others here
COPY = Deviation(
    from_="CIFAR-10",
    to="a JPEG copy of it, PSNR about 30 dB",
    why="all that could be had there",
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
    bench = [path.stem for path in sorted((PUBLISHED / "bench").glob("*"))]
    return [
        *(_training(name, runs) for name, runs in sorted(groups.items())),
        _transformers("transformer", read_runs(), ""),
        _transformers(
            "transformer_rates", read_runs(RATES_FOLDER), "--rates "
        ),
        *map(_bench, bench),
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
    recipe, how = first.config["recipe"], first.config["execution"]
    rates = (f"{run.config['recipe']['lr']:g}" for run in runs)
    trained = say(
        "card.recipe",
        data=data_name(first.data_label, say).strip(),
        iterations=f"{recipe['iterations']:,}",
        batch=recipe["batch"],
        lr=say.join([*dict.fromkeys(rates)]),
    )
    kind = "fast" if how.get("fast") else "plain"
    copied = "JPEG" in first.data_label
    short = copied and recipe["iterations"] < find_recipe("paper").iterations
    failures = say(
        "card.failures_short" if short else "card.failures",
        runs=len(runs),
        seeds=say.join([str(s) for s in sorted({run.seed for run in runs})]),
        failed=sum(map(fails, runs)),
        diverged=sum(run.outcome == "diverged" for run in runs),
    )
    facts = [
        ("trained", trained),
        ("computed", say(f"card.{kind}", precision=how["precision"])),
        ("runs", failures),
        *_made(runs),
        ("data_hash", first.data_sha256[:SHORT]),
    ]
    return Card(
        name,
        say(f"card_title.{name}"),
        f"preact ablate {name}",
        facts,
        _errors(compare(runs), short),
        # Without the recipe's options, which the file's own words sum up.
        [COPY] * copied
        + [d for d in deviations(runs) if not d.why.startswith("asked for")],
    )


def fails(run: Record) -> bool:
    """Whether the paper would say "fail"."""
    return run.outcome != "finished" or run.test_error_pct > FAIL_ERROR_PCT


def _made(runs: Sequence[Record | Run]) -> list[tuple[str, str]]:
    """Say on what machines, in what time and by what code."""
    seconds = [run.wall_s for run in runs]
    return [
        ("hardware", _hardware(runs)),
        ("time", _time(seconds)),
        ("code", _code(runs)),
    ]


def _hardware(runs: Iterable[Record | Run]) -> str:
    """Name each kind of machine once."""
    say = words()
    kinds = dict.fromkeys(
        say(
            "card.machine",
            device=run.device,
            threads=run.threads,
            torch=run.torch,
            python=run.python,
        )
        for run in runs
    )
    return say("punctuation.semicolon").join(kinds)


def _time(seconds: Sequence[float]) -> str:
    """From the shortest to the longest, and all together."""
    say = words()
    low, high = f"{min(seconds):.0f}", f"{max(seconds):.0f}"
    each = low if low == high else say("card.range", low=low, high=high)
    return say("card.seconds", each=each, total=f"{sum(seconds) / 60:.0f}")


def _code(runs: Iterable[Record | Run]) -> str:
    """Commits and hashes of the code that ran, and if it was changed."""
    say, versions = words(), {}
    for run in runs:
        commit = (run.git.commit or "?")[:SHORT]
        digest = (run.code_sha256 or "")[:SHORT]
        text = say("card.commit", commit=commit)
        if digest:
            text += say("punctuation.comma") + say("card.sha", sha=digest)
        if run.git.dirty:
            text += say("punctuation.comma") + say("card.dirty")
        versions[text] = True
    return say("punctuation.semicolon").join(versions)


def _errors(lines: Sequence[Line], short: bool) -> Table:
    """Every network: how many runs, median, spread, failures.

    The limit of failure means nothing for a short training on photographs.
    """
    say = words()
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
        for line in lines
    ]
    head = ("network", "row", "tail", "lr", "runs")
    own = ("median", "spread") if short else ("median", "spread", "failed")
    return Table(
        [
            *(say(f"table.{key}") for key in head),
            *(say(f"card.{key}") for key in own),
        ],
        body,
        say("card.percent_short" if short else "card.percent"),
    )


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
    seeds = [str(seed) for seed in sorted({run.seed for run in runs})]
    rates = sorted({run.config["lr"] for run in runs}, reverse=True)
    head = ("placement", "layers", "draw")
    own = ("median", "spread", "letters")
    trained = say(
        "card.characters",
        iterations=f"{first.config['iterations']:,}",
        batch=first.config["batch"],
        lr=say.join([f"{lr:g}" for lr in rates]),
    )
    failures = say(
        "card.failures_letters",
        runs=len(runs),
        seeds=say.join(seeds),
        failed=sum(map(learns_only_letters, runs)),
        diverged=sum(run.test_loss is None for run in runs),
    )
    command = "python -m preact.book.afterlife.train"
    return Card(
        name,
        say(f"card_title.{name}"),
        f"{command} {options}{' '.join(seeds)}",
        [
            ("trained", trained),
            ("runs", failures),
            *_made(runs),
            ("data_hash", first.text_sha256[:SHORT]),
        ],
        Table(
            [
                *(say(f"card.{key}") for key in head),
                *(say(f"table.{key}") for key in ("lr", "runs")),
                *(say(f"card.{key}") for key in own),
            ],
            body,
            say("card.nats", letters=f"{recorded_letters():.2f}"),
        ),
    )


def _bench(name: str) -> Card:
    """One record of `preact bench`."""
    say, record = words(), load_times(name)
    assert record, name
    depth = name.split("-")[1]
    commit = say("card.commit", commit=record["git"]["commit"][:SHORT])
    body = [
        [
            _contestant(row["name"]),
            f"{row['train_ms_median']:.0f}",
            f"{row['train_ms_min']:.0f}",
            f"{row['forward_ms_median']:.0f}",
        ]
        for row in record["rows"]
    ]
    machine = say(
        "card.bench_machine",
        device=record["device"],
        threads=record["threads"],
        torch=record["torch"],
    )
    keys = ("contestant", "train_median", "train_least", "forward_median")
    return Card(
        name=f"bench-{name}",
        title=say(
            "card_title.bench", depth=depth, device=record["device"].split()[0]
        ),
        command=f"preact bench --depth {depth} --batch {record['batch']}",
        facts=[
            ("runs", say("card.rounds", rounds=record["rounds"])),
            ("hardware", machine),
            ("code", commit),
            ("gradient_error", say.power(record["gradient_error"], 1)),
        ],
        table=Table([say(f"card.{k}") for k in keys], body, say("card.ms")),
    )


def _contestant(name: str) -> str:
    """Name a network as the page's language does."""
    package, *how = name.split(", ")
    say = words()
    known = say.table
    said = [known.get(f"card.as_{one.replace(' ', '_')}", one) for one in how]
    return say("punctuation.comma").join([package, *said])


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
        label = escape(say("card.deviation"))
        listed += f"<dt>{label}</dt>"
    for one in card.deviations:
        departure = CODE.sub(
            r"<code>\1</code>", escape(say(f"deviation.{one.why}"))
        )
        listed += f"<dd>{departure}</dd>"
    return (
        f"<details><summary><code>{card.name}</code> {escape(card.title)}"
        f'</summary><dl id="card-{card.name}">{listed}</dl>'
        f"{card.table._repr_html_()}"
        "</details>"
    )
