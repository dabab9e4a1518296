"""The explorer of runs holds all of them, and finds what Python finds."""

from engine.calls import evaluate, needs_node
from preact.book.runs import EXPERIMENTS, recorded, run_explorer
from preact.records.compare import load_records


def test_the_explorer_holds_every_run_once_failed_ones_included():
    runs = recorded()
    keys = {
        (r.depth, r.row, r.tail, r.config["recipe"]["lr"], r.seed)
        for name in EXPERIMENTS
        for r in load_records(name)
        if name != "digits_rates" or r.depth > 20
    }
    assert len(runs) == len(keys)
    assert sum(run["error"] > 80 for run in runs) > 10
    assert {run["rate"] for run in runs} == {0.1, 0.03, 0.01}
    page = run_explorer().markup
    assert len(page) < 400_000
    assert page.count("<tr>") > 20  # the table that stands without a script


@needs_node
def test_a_query_finds_the_runs_that_python_finds():
    queries = [
        {},
        {"depth": 1001},
        {"depth": 110, "row": "original", "rate": 0.01},
        {"row": "nobody"},
    ]
    runs = recorded()
    answers = evaluate(
        "{ groupsOf, matching }",
        "src/preact/book/runs/explorer.js",
        """({ runs, queries }) => queries.map((query) => {
            const found = matching(runs, query);
            return { count: found.length, groups: groupsOf(found).length };
        })""",
        {"runs": runs, "queries": queries},
    )
    for query, got in zip(queries, answers, strict=True):
        wanted = [r for r in runs if query.items() <= r.items()]
        assert got["count"] == len(wanted)
        groups = {(r["depth"], r["row"], r["tail"], r["rate"]) for r in wanted}
        assert got["groups"] == len(groups)
