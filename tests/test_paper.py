from pathlib import Path

import pytest

from paths import ROOT
from preact import paper
from preact.spec import ROWS


def test_the_tables_have_the_papers_numbers_of_rows():
    assert [len(paper.results(t)) for t in (1, 2, 3)] == [11, 10, 12]
    methods = [d["rows"] for d in paper.read("table_4")["data_set"]]
    assert [len(rows) for rows in methods] == [12, 11]
    assert len(paper.read("table_5")["row"]) == 7


def test_every_row_of_the_paper_has_a_unit_of_ours():
    joint = {"exclusive-gating-b0-to-b-5"}  # one row of theirs, six of ours
    for table in (1, 2, 3):
        for result in paper.results(table):
            assert result.row in ROWS.keys() | joint


def test_known_errors_are_in_their_places():
    by_key = {(r.depth, r.row): r.error_pct for r in paper.results(2)}
    assert by_key[110, "original"] == 6.61
    assert by_key[164, "full-preactivation"] == 5.46
    fails = [r.row for r in paper.results(1) if r.error_pct is None]
    assert fails == [
        "constant-scaling-0-1",
        "constant-scaling-0.5-1",
        "exclusive-gating-b0-to-b-5",
        "dropout-shortcut",
    ]


def test_tables_1_2_and_3_agree_where_they_print_the_same_run():
    errors = {}
    for table in (1, 2, 3):
        for r in paper.results(table):
            if r.row in ("original", "full-preactivation"):
                key = (r.data, r.depth, r.convs, r.row)
                errors.setdefault(key, set()).add(r.error_pct)
    assert all(len(values) == 1 for values in errors.values())


def test_the_batch_of_64_is_not_the_batch_of_128():
    rows = paper.read("table_4")["data_set"][0]["rows"]
    deep = {r["batch"]: r["error_pct"] for r in rows if "batch" in r}
    assert deep == {128: 4.92, 64: 4.62}


def test_tables_4_and_5_are_not_rows():
    with pytest.raises(ValueError, match="table must be 1, 2 or 3; got 4"):
        paper.results(4)
    with pytest.raises(ValueError, match=r"table must be .* got True"):
        paper.results(True)


def test_a_file_that_the_paper_has_not_is_refused_with_those_it_has():
    with pytest.raises(ValueError, match=r"one of table_1.*; got 'table_6'"):
        paper.read("table_6")
    assert {Path(file).stem for file in paper.FILES} == {
        path.stem for path in (ROOT / "src/preact/paper").glob("*.toml")
    }
