"""What records say is text in every table, never markup."""

import re

from markdown_it import MarkdownIt

from preact.figures import errors_table, network_table
from preact.figures.tables import Table
from preact.figures.variants import in_words
from preact.plan import cifar_plan
from preact.records.compare import Line
from preact.spec import ROWS
from preact.strings import LANGUAGES, TRANSLATIONS, Strings

MARKUP = [
    "a | b",
    "a\nb",
    "a\r\n\n| 1 |",
    '<img src="x" onerror="alert(1)">',
    "<!-- end -->",
    "<!-- errors: digits_table_2 -->",
    "[a](javascript:alert(1))",
    "![a](b.png)",
    "`code` and ``code``",
    "*a* _b_ __c__ **c** ~~d~~ d_e_ _",
    "a \\| b \\",
    "&lt;b&gt; &amp;",
    "# heading",
]


def words(text):
    return " ".join(text.split())


def test_a_readmes_table_shows_markup_as_text():
    for text in MARKUP:
        table = Table(["head", text], [["left", text], [text, "right"]], text)
        parser = MarkdownIt("gfm-like", {"linkify": False})
        tokens = parser.parse(table.markdown())
        cells, shape = [], []
        for token in tokens:
            shape.append(token.type)
            if token.type == "inline":
                kinds = {child.type for child in token.children}
                assert kinds <= {"text", "text_special"}
                cells.append(
                    "".join(child.content for child in token.children)
                )
        shown = words(text)
        assert cells == [shown, "head", shown, "left", shown, shown, "right"]
        assert shape.count("tr_open") == 3
        assert "html_block" not in shape


def test_a_pages_table_shows_markup_as_text():
    for text in MARKUP:
        html = Table(["head"], [[text]], text)._repr_html_()
        tags = set(re.findall(r"</?(\w+)", html))
        parts = {"table", "caption", "thead", "tbody", "tr", "th", "td"}
        assert tags - {"wbr"} == parts
        assert "<!--" not in html


def line(**fields):
    return Line(
        **{
            "row": "original",
            "spec": "",
            "tail": "",
            "depth": 20,
            "convs": 2,
            "width": 16,
            "parameters": 270_000,
            "data_label": "CIFAR-10",
            "errors_pct": (8.0,),
            "paper_data": "",
            "paper_has": False,
            "paper_pct": None,
        }
        | fields
    )


def test_data_without_a_translated_name_keeps_its_own():
    for label in ("CIFAR-10 (unofficial files)", "mine <b>"):
        table = errors_table([line(data_label=label)], Strings("zh-Hans"))
        assert label in table.caption


def test_a_sentence_that_begins_with_a_number_is_no_number():
    reasons = ["4 biases in all, which a BN behind takes away", "none"]
    table = Table(["errors", "why"], [["3.2", r] for r in reasons], "")
    html = table._repr_html_()
    assert html.count('<td class="words" style') == 2
    assert html.count("<td>3.2</td>") == 2


def test_the_network_table_prints_counts():
    plan = cifar_plan("full-preactivation", depth=1001, convs=3)
    html = network_table({"ResNet-1001": plan}, Strings("en"))._repr_html_()
    assert "<td>10,327,706</td><td>1,487.85\xa0M</td>" in html


def test_a_paper_without_any_of_the_errors_has_no_column():
    strings = Strings("zh-Hans")
    theirs = {"paper_data": "CIFAR-10", "paper_has": True, "paper_pct": 8.75}
    with_paper = errors_table([line(**theirs), line()], strings)
    without = errors_table([line(paper_data="CIFAR-10"), line()], strings)
    ours = with_paper.head.index(strings("table.our_median"))
    with_paper.head[ours] = strings("table.median_alone")
    assert without.head == with_paper.head[:-1]
    assert without.body[0] == with_paper.body[0][:-1]
    assert with_paper.body[0][-1] == "8.75"


def test_a_caption_names_one_learning_rate_and_what_diverged():
    strings = Strings("zh-Hans")
    lines = [line(lr=0.1), line(lr=0.1, diverged=2)]
    table = errors_table(lines, strings)
    assert strings("table.rate", lr="0.1") in table.caption
    assert strings("table.diverges") in table.caption
    assert "8.00" == table.body[0][2]
    assert strings("table.diverged", n=2) in table.body[1][2]
    two = errors_table([line(lr=0.1), line(lr=0.01)], strings)
    assert "0.1" not in two.caption


def test_parameters_have_a_column_where_units_are_own_or_differ_in_size():
    strings = Strings("en")
    lines = [line(), line(parameters=271_000)]
    assert "parameters" not in errors_table(lines, strings).head
    for other in (line(row="mine"), line(parameters=300_000)):
        table = errors_table([*lines, other], strings)
        column = table.head.index("parameters")
        assert table.body[0][column] == "270,000"


def test_fail_is_explained_as_it_is_used():
    for language in LANGUAGES:
        strings = Strings(language)
        bad = line(errors_pct=(50.0,))
        short = line(errors_pct=(50.0,), cut_short=True)
        for lines, key in (
            ([bad], "fails"),
            ([short], "short"),
            ([bad, short], "some_short"),
        ):
            caption = errors_table(lines, strings).caption
            assert strings(f"table.{key}") in caption


def test_what_stands_behind_a_mean_is_explained():
    strings = Strings("en")
    for errors, key in (
        ((8.0, 9.0, 9.5), "interval"),
        ((8.0, 9.0), "both"),
        ((8.0,), ""),
    ):
        caption = errors_table([line(errors_pct=errors)], strings).caption
        for one in ("interval", "both"):
            assert (strings(f"table.{one}") in caption) == (one == key)


def typeset(spec):
    """Write the words of a specification with signs for minus."""
    return str(spec).replace("1-g", "1 − g").replace(" -", " −")


def test_a_unit_is_written_in_words_as_the_package_writes_it():
    for spec in ROWS.values():
        assert in_words(spec, Strings("en")) == typeset(spec)
        for language in TRANSLATIONS:
            said = in_words(spec, Strings(language))
            assert not re.search(" on |initial|dropout", said), said
