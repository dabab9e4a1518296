"""The playground: two networks of the reader's choice learn to read digits.

The page trains them; in a notebook the kernel trains units of one's own. Its
networks, digits and recipe are those of chapter 01's race, its maps are
drawn as the cover's, and what was recorded of the same unit, tail and rate at
110 layers is a click away.

Page `playground`.
"""

from functools import partial
from html import escape
from urllib.parse import urlencode

from preact.book.engine import PIXELS, answer
from preact.book.explorers import ROWS, Explorer, engine_rows, mount
from preact.book.page import section, words
from preact.book.runs import EXPERIMENTS, rate_of, tail_of
from preact.book.why.race import BATCH, RECIPE, STEPS, WIDTH, WINDOW
from preact.records.compare import load_records
from preact.spec import UnitSpec

RATES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
DEPTH = 110  # of the recorded networks
UNITS = 50  # at most, in a page
# Factors on the shortcut, and the rows of Table 1 that have them.
FACTORS = {
    "1": None,
    "0.9": None,
    "0.5": "constant-scaling-0.5-1",
    "0": "constant-scaling-0-1",
}
START = ("original", "full-preactivation")
SHARED_WORDS = (
    *("explorer.row", "explorer.tail", "explorer.units", "explorer.seed"),
    *("explorer.none", "number.percent"),
    *("punctuation.list", "punctuation.semicolon"),
)
# Where the book asks what one difference does.
SECTIONS = {
    "row": "06-activations.html",
    "shortcut": "03-gradient.html#gradient-lambda",
    "tail": "01-why.html#why-rates",
    "units": "07-depth.html",
    "lr": "01-why.html#why-rates",
    "seed": "01-why.html#why-rates",
}


def playground(units: int = UNITS, **own: UnitSpec | str) -> Explorer:
    """Let the reader choose two networks and watch them learn.

    Parameters
    ----------
    units : int
        Of the deepest network that can be chosen.
    **own : UnitSpec or str
        More to choose from, by name: units, or rows of the paper's tables.
        A page knows only a constant on the shortcut, so in a notebook the
        kernel trains, and where there are more than 50 units.

    Examples
    --------
    It reads all records, so no test runs it here; a cell shows it:

    >>> from preact.book import setup
    >>> from preact.book.playground import playground
    >>> strings = setup("en")
    >>> playground()  # doctest: +SKIP

    >>> from preact.spec import RELU, UnitSpec
    >>> mine, gate = UnitSpec(pre=(RELU,)), "shortcut-only-gating-b-6"
    >>> playground(200, mine=mine, gate=gate)  # doctest: +SKIP
    """
    say = words()
    shared = {key.split(".")[1]: say.table[key] for key in SHARED_WORDS}
    data = {
        "words": section("playground") | shared,
        "rows": engine_rows(**own),
        "most": units,
        "choices": {
            "shortcut": {factor: f"× {factor}" for factor in FACTORS}
            | {"1": say("playground.identity"), "0": say("playground.plain")},
            "tail": {
                "derived": say("explorer.derived"),
                "none": say("explorer.none"),
                "BN": say("explorer.final_bn"),
            },
            "lr": {rate: rate for rate in map(str, RATES)},
        },
        "start": dict(zip("ab", (*own, *START), strict=False)),
        "inputs": PIXELS,
        "width": WIDTH,
        "batch": BATCH,
        "steps": STEPS,
        "window": WINDOW,
        "recipe": {
            "momentum": RECIPE["momentum"],
            "weightDecay": RECIPE["weight_decay"],
        },
        "records": records(),
        "chapters": {
            setting: (say("playground.chapter", n=int(place[:2])), place)
            for setting, place in SECTIONS.items()
        },
    }
    still = escape(say("playground.without_script"))
    title = say("playground.title")
    shown = mount("playground", title, data, f"<p>{still}</p>")
    if own or units > UNITS:
        shown.work = partial(answer, {**ROWS, **own})
    return shown


def records() -> dict[str, tuple[int, float, float, str]]:
    """What was recorded at 110 layers, by factor, row, tail and rate.

    Runs, least and greatest test error in percent, and where they are.
    """
    errors: dict[tuple[str, str], dict[int, float]] = {}
    factors = {row: factor for factor, row in FACTORS.items() if row}
    for run in load_records():
        rate, kind = rate_of(run), (run.row, "1")
        place = "#card-digits_table_1"
        if run.experiment == "digits_table_1" and run.row in factors:
            kind = ("original", factors[run.row])
        elif run.depth == DEPTH and run.experiment in EXPERIMENTS:
            query = f"{DEPTH}|{run.row}|{tail_of(run)}|{rate}"
            place = f"?{urlencode({'runs.runs': query})}#runs-explore"
        else:
            continue
        key = "|".join((kind[1], kind[0], run.tail, str(rate)))
        seeds = errors.setdefault((key, place), {})
        seeds.setdefault(run.seed, round(run.test_error_pct, 1))
    return {
        key: (
            len(seeds),
            min(seeds.values()),
            max(seeds.values()),
            f"runs.html{place}",
        )
        for (key, place), seeds in errors.items()
    }
