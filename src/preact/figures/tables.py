"""Tables as HTML: the paper's numbers beside ours, and counted networks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from preact.figures.variants import row_name
from preact.plan import NetworkPlan
from preact.spec import ROWS
from preact.strings import LANGUAGES, Strings

if TYPE_CHECKING:  # lines are handed in: no figure depends on records
    from preact.records.compare import Line

FIXED = "\N{NO-BREAK SPACE}"
LEFT = 'style="text-align:start"'  # Jupyter's own is the right side
NOTHING = "–"  # a network has no such number, or nobody has said it
HELD_OUT = re.compile(r"(\S+) training images held out")
NUMBER = re.compile(r"[-−+]?\d")  # how a cell begins that is read as one
PHRASE = 7  # characters beyond which one that is no number may break
SENTENCE = 40  # characters from which on a cell is read as words
WIDE = "\u2e80"  # from here on a character is as wide as two
NAME = 20  # columns of letters that a name fills, which does not part


class Table:
    """An HTML table that Jupyter and the book show as it is.

    Parameters
    ----------
    head : sequence of str
        Heads of the columns.
    body : sequence of rows
        Each as many texts as `head`.
    caption : str
        What the table shows.

    Examples
    --------
    >>> from preact.figures import Table
    >>> table = Table(["unit", "error"], [["original", "6.61"]], "in %")
    >>> table  # as a table in a notebook
    unit  error
    original  6.61
    >>> print(table.markdown().rstrip())
    in %
    <BLANKLINE>
    | unit | error |
    | --- | ---: |
    | original | 6.61 |
    """

    def __init__(
        self, head: Sequence[str], body: Sequence[Sequence[str]], caption: str
    ) -> None:
        self.head, self.body, self.caption = head, body, caption

    def _repr_html_(self) -> str:
        words = [
            "" if of_numbers(column) else f' class="{_kind(column)}" {LEFT}'
            for column in zip(*self.body, strict=True)
        ] or [""] * len(self.head)
        head = "".join(
            f'<th scope="col"{kind}>{in_phrases(typeset(h))}</th>'
            for h, kind in zip(self.head, words, strict=True)
        )
        rows = "".join(
            "<tr>"
            + "".join(
                f"<td{kind or _said(cell)}>{typeset(cell)}</td>"
                for cell, kind in zip(row, words, strict=True)
            )
            + "</tr>"
            for row in self.body
        )
        return (
            f'<table class="preact-table"><caption>{escape(self.caption)}'
            f"</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )

    def markdown(self) -> str:
        """Write the table for a README; the caption stands above.

        What a record says is text here, never Markdown, HTML or a new cell.
        """
        head, *body = (map(as_text, line) for line in (self.head, *self.body))
        columns = zip(*self.body, strict=True)
        rule = ["---:" if of_numbers(one) else "---" for one in columns]
        lines = [head, rule or ["---"] * len(self.head), *body]
        table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"{as_text(self.caption)}\n\n{table}\n"

    def __repr__(self) -> str:
        lines = [self.head, *self.body]
        return "\n".join("  ".join(line) for line in lines)


def of_numbers(column: Sequence[str]) -> bool:
    """Tell a column of numbers, with a word here and there, from words."""
    said = [cell for cell in column if cell and cell not in stand_ins()]
    numbers = sum(1 for cell in said if NUMBER.match(cell))
    return (
        any(column)
        and numbers >= len(said) - numbers
        and max(map(len, column)) < SENTENCE
    )


def _kind(column: Sequence[str]) -> str:
    """Tell a column of names, each in one line, from one of any words."""
    wide = max(sum(1 + (c > WIDE) for c in cell) for cell in column)
    return "words names" if wide <= NAME else "words"


@cache
def stand_ins() -> frozenset[str]:
    """Return what stands in the place of a number, in every language."""
    return frozenset(
        Strings(language)(f"table.{key}")
        for language in LANGUAGES
        for key in ("fail", "not_run")
    ) | {NOTHING}


def _said(cell: str) -> str:
    """Mark a cell of several words that stands in a column of numbers."""
    many = len(cell) > PHRASE and not NUMBER.match(cell)
    return ' class="said"' if many else ""


def as_text(words: str) -> str:
    """Escape what Markdown, HTML or a table would read as markup."""
    line = escape(" ".join(words.split()), quote=False)
    # an underscore within a word is none of Markdown's
    markup = r"[\\`*\[\]|~#]|(?<![^\W_])_|_(?![^\W_])"
    return re.sub(markup, r"\\\g<0>", line)


def unbroken(words: str) -> str:
    """Keep "b = −1", "1 − g(x)", "± 0.4" and "1.70 M" on one line."""
    words = re.sub(r" ([=×−]) ", rf"{FIXED}\1{FIXED}", words)
    words = re.sub(r" (?=−\d)|(?<=\d) (?=M\b|[\u4e00-\u9fff])", FIXED, words)
    return words.replace("± ", f"±{FIXED}")


def typeset(words: str) -> str:
    """Write words as HTML; "ResNet-110" stays whole, "timm:vgg" may part."""
    html = re.sub(
        r"（?\b[^\W\d_]+-\d+\b）?",
        r'<span class="whole">\g<0></span>',
        escape(unbroken(words)),
    )
    return re.sub(r"(?<=[a-z])[:_](?=\w)", r"\g<0><wbr>", html)


def in_phrases(head: str) -> str:
    """Say where a head of Chinese may part: behind "的", not in a word."""
    return re.sub(r"的(?=\w)", "的<wbr>", head)


def errors_table(lines: Sequence[Line], strings: Strings) -> Table:
    """Our errors, all seeds of a row in one line, beside the paper's.

    Test errors of the last iteration in percent, or differences of them.
    Where the paper has no error of any line, it has no column; parameters
    have one where a unit is of one's own or they differ by more than 1 %.
    What a unit of one's own is stands in the caption.

    Parameters
    ----------
    lines : sequence of Line
        From `preact.records.compare`.
    strings : Strings
        The words of the page's language.

    Examples
    --------
    >>> from preact.figures import errors_table
    >>> from preact.records.compare import compare, load_records
    >>> from preact.strings import Strings
    >>> lines = compare(load_records("digits_table_2"))
    >>> table = errors_table(lines, Strings("en"))
    >>> table.body[0]
    ['original', 'nothing', '69.72 (fail)', '72.61 ± 7.22', '5', '6.61']
    >>> table.body[-2][2:]
    ['90.28 (4 diverged)', '89.17 ± 3.08', '5', '']
    """
    labels = list(dict.fromkeys(line.data_label for line in lines))
    beside = any(line.paper_has for line in lines)
    many = len({(line.depth, line.convs) for line in lines}) > 1
    rates = len({line.lr for line in lines}) > 1
    own = any(line.row not in ROWS for line in lines)
    sized = own or differ_in_size(lines)
    fail, nothing = strings("table.fail"), strings("table.no_tail")
    against = lines[0].against
    signed = "+.2f" if against else ".2f"
    body = []
    for line in lines:
        half = line.half_interval
        spread = "" if half is None else f" ± {half:.2f}"
        if line.n == 2:  # too few for an interval
            both = ", ".join(f"{x:{signed}}" for x in sorted(line.errors_pct))
            spread = f" ({both})"
        median = f"{line.median:{signed}}"
        if line.diverged or line.fails:
            note = strings("table.diverged", n=line.diverged)
            note = note if line.diverged else fail
            median = strings("number.aside", value=median, note=note)
        theirs = ""
        if line.paper_has:
            theirs = (
                fail if line.paper_pct is None else f"{line.paper_pct:.2f}"
            )
        data = data_name(line.data_label, strings).strip()
        body.append(
            [
                *([f"ResNet-{line.depth}"] if many else []),
                *([data] if len(labels) > 1 else []),
                line_name(line, strings),
                line.tail or nothing,
                *([line.against_tail or nothing] if against else []),
                *([f"{line.parameters:,}"] if sized else []),
                *([f"{line.lr:g}"] if rates else []),
                median,
                f"{line.mean:{signed}}{spread}" if line.n > 1 else "",
                str(line.n),
                *([theirs] if beside else []),
            ]
        )
    head = [*([strings("table.network")] if many else [])]
    head += [strings("table.data")] if len(labels) > 1 else []
    names = ["row", "tail", *["parameters"] * sized, *["lr"] * rates]
    names += ["our_median" if beside else "median_alone"]
    names += ["our_interval", "seeds" if against else "runs"]
    head += [strings(f"table.{name}") for name in names]
    if against:
        other = row_name(against, strings)
        end = head.index(strings("table.tail")) + 1
        head.insert(end, strings("table.other_tail", row=other))
    head += [paper_column(lines, strings)] if beside else []
    named = strings.join([data_name(label, strings) for label in labels])
    cut = {line.cut_short for line in lines}
    if against:
        caption = strings("table.against", data=named, row=other)
        if any(line.tail != line.against_tail for line in lines):
            caption += strings("table.other_ends")
    else:
        caption = strings("table.measured", data=named)
    caption += rates_used(lines, strings)
    units = {x.row: x.spec for x in lines if x.row not in ROWS and x.spec}
    for row, spec in units.items():
        caption += strings("table.own", row=row, unit=spec)
    if not against:
        key = "fails" if cut == {False} else "some_short"
        caption += strings(f"table.{'short' if cut == {True} else key}")
    for key, told in {
        "diverges": any(line.diverged for line in lines),
        "interval": any(line.half_interval is not None for line in lines),
        "both": any(line.n == 2 for line in lines),
    }.items():
        caption += strings(f"table.{key}") if told else ""
    return Table(head, body, caption)


def differ_in_size(lines: Iterable[Line]) -> bool:
    """Say whether networks differ by more than 1 % of their parameters."""
    sizes = [line.parameters for line in lines]
    return max(sizes) > 1.01 * min(sizes)


def rates_used(lines: Sequence[Line], strings: Strings) -> str:
    """Say at which learning rate all was trained, if it was one."""
    rates = {line.lr for line in lines}
    lr = rates.pop()
    return "" if rates or lr is None else strings("table.rate", lr=f"{lr:g}")


def paper_column(lines: Sequence[Line], strings: Strings) -> str:
    """Say which of the paper's errors stand in the last column."""
    names = list(dict.fromkeys(line.paper_data for line in lines))
    names = [name for name in names if name]
    if names == ["ImageNet"]:
        return strings("table.paper_top1")
    return strings("table.paper_median", data=strings.join(names))


def data_name(label: str, strings: Strings) -> str:
    """Name a data set; an unknown one by its own label."""
    name, _, held = label.partition(", ")
    if images := HELD_OUT.fullmatch(held):
        whole = data_name(name, strings)
        return whole + strings("data.held_out", images=images[1])
    key = DATA_KEYS.get(label, "other")
    return strings(f"data.{key}", label=label)


def line_name(line: Line, strings: Strings) -> str:
    """Name a line, and what of its settings sets it apart from others."""
    name = row_name(line.row, strings)
    settings = [s for s in line.settings if not s.startswith("lr ")]
    if settings:  # the rate has a column
        name += f" [{'; '.join(settings)}]"
    return name


DATA_KEYS = {
    "scikit-learn digits": "digits",
    "CIFAR-10": "cifar10",
    "CIFAR-10 (JPEG copy)": "cifar10_jpeg",
    "CIFAR-10 (JPEG copy) at 16x16": "cifar10_jpeg_16",
}


def network_table(plans: Mapping[str, NetworkPlan], strings: Strings) -> Table:
    """Units, parameters and millions of multiply-adds of planned networks.

    Parameters
    ----------
    plans : mapping of str to NetworkPlan
        Networks by the names that the table prints.
    strings : Strings
        The words of the page's language.

    Examples
    --------
    >>> from preact import cifar_plan
    >>> from preact.figures import network_table
    >>> from preact.strings import Strings
    >>> plan = cifar_plan("full-preactivation", depth=1001, convs=3)
    >>> network_table({"ResNet-1001": plan}, Strings("en")).body
    [['ResNet-1001', '333', '10,327,706', '1,487.85 M']]
    """
    body = [
        [
            name,
            str(len(plan.units)),
            f"{plan.parameters:,}",
            f"{plan.multiply_adds / 1e6:,.2f} M",
        ]
        for name, plan in plans.items()
    ]
    head = [
        strings("table.network"),
        strings("table.count"),
        strings("table.parameters"),
        strings("table.multiply_adds"),
    ]
    return Table(head, body, strings("table.counted"))
