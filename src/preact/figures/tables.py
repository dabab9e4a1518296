"""Tables as HTML: the paper's numbers beside ours, and counted networks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from preact.figures.variants import row_name
from preact.paper import SEARCHED, Result
from preact.plan import NetworkPlan
from preact.spec import ROWS
from preact.strings import Strings

if TYPE_CHECKING:  # lines are handed in: no figure depends on records
    from preact.records.compare import Line
    from preact.records.speed import Step

NUMBER = re.compile(r"[-−+]?\d")  # how a cell begins that is read as one


class Table:
    """An HTML table that Jupyter and the book show as it is."""

    def __init__(
        self, head: Sequence[str], body: Sequence[Sequence[str]], caption: str
    ) -> None:
        self.head, self.body, self.caption = head, body, caption

    def _repr_html_(self) -> str:
        words = [
            ' class="words"' if not any(map(NUMBER.match, column)) else ""
            for column in zip(*self.body, strict=True)
        ] or [""] * len(self.head)
        head = "".join(
            f'<th scope="col"{kind}>{escape(h)}</th>'
            for h, kind in zip(self.head, words, strict=True)
        )
        rows = "".join(
            "<tr>"
            + "".join(
                f"<td{kind}>{escape(cell)}</td>"
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
        lines = [head, ["---"] * len(self.head), *body]
        table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"{as_text(self.caption)}\n\n{table}\n"

    def __repr__(self) -> str:
        lines = [self.head, *self.body]
        return "\n".join("  ".join(line) for line in lines)


def as_text(words: str) -> str:
    """Escape what Markdown, HTML or a table would read as markup."""
    line = escape(" ".join(words.split()), quote=False)
    # an underscore within a word is none of Markdown's
    markup = r"[\\`*\[\]|~#]|(?<![^\W_])_|_(?![^\W_])"
    return re.sub(markup, r"\\\g<0>", line)


def paper_beside_ours(
    results: Sequence[Result],
    ours: Mapping[tuple[str, int], str],
    strings: Strings,
) -> Table:
    """Join the paper's CIFAR-10 errors to ours, one line a row of ours.

    The paper's one row of six biases is six lines.

    Parameters
    ----------
    results : sequence of Result
        Rows of Table 1 or 2.
    ours : (row, depth) to text
        Our medians, empty where nothing has been run.
    """
    depths = sorted({r.depth for r in results})
    theirs = {
        (row, r.depth): r.error_pct
        for r in results
        for row in SEARCHED.get(r.row, [r.row])
    }
    body = []
    for row in dict.fromkeys(row for row, _ in theirs):
        line = [row_name(row, strings), str(ROWS[row])]
        for depth in depths:
            error = theirs[row, depth]
            line.append(
                strings("table.fail") if error is None else f"{error:.2f}"
            )
            line.append(ours.get((row, depth), strings("table.not_run")))
        body.append(line)
    head = [strings("table.row"), strings("table.unit")]
    for depth in depths:
        network = f"ResNet-{depth}"
        head.append(strings("table.paper", network=network))
        head.append(strings("table.ours", network=network))
    return Table(head, body, strings("table.median"))


def errors_table(lines: Sequence[Line], strings: Strings) -> Table:
    """Our errors, all seeds of a row in one line, beside the paper's.

    Parameters
    ----------
    lines : sequence of Line
        From `preact.records.compare`.
    """
    labels = list(dict.fromkeys(line.data_label for line in lines))
    many = len({(line.depth, line.convs) for line in lines}) > 1
    fail = strings("table.fail")
    body = []
    for line in lines:
        spread = "" if line.std is None else f" ± {line.std:.2f}"
        median = f"{line.median:.2f}"
        if line.fails:
            median = strings("number.aside", value=median, note=fail)
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
                line.tail or strings("table.no_tail"),
                median,
                f"{line.mean:.2f}{spread}",
                str(line.n),
                theirs,
            ]
        )
    head = [*([strings("table.network")] if many else [])]
    head += [strings("table.data")] if len(labels) > 1 else []
    names = ("row", "tail", "our_median", "our_mean", "runs")
    head += [strings(f"table.{name}") for name in names]
    head.append(paper_column(lines, strings))
    named = strings.join([data_name(label, strings) for label in labels])
    return Table(head, body, strings("table.measured", data=named))


def paper_column(lines: Sequence[Line], strings: Strings) -> str:
    """Say which of the paper's errors stand in the last column."""
    names = list(dict.fromkeys(line.paper_data for line in lines))
    names = [name for name in names if name]
    if names == ["ImageNet"]:
        return strings("table.paper_top1")
    data = strings.join(names) or strings("table.paper_none")
    return strings("table.paper_median", data=data)


def data_name(label: str, strings: Strings) -> str:
    """Name a data set; an unknown one by its own label."""
    key = DATA_KEYS.get(label, "other")
    return strings(f"data.{key}", label=label)


def line_name(line: Line, strings: Strings) -> str:
    """Name a line: a unit of one's own is printed, unlike settings too."""
    name = row_name(line.row, strings)
    if line.row not in ROWS:
        name += f": {line.spec}"
    if line.settings:
        name += f" [{'; '.join(line.settings)}]"
    return name


DATA_KEYS = {
    "scikit-learn digits": "digits",
    "CIFAR-10": "cifar10",
    "CIFAR-10 (JPEG copy)": "cifar10_jpeg",
}


def times_table(record: Mapping[str, Any], strings: Strings) -> Table:
    """Times of `preact bench`, and how they compare with the better peer.

    Parameters
    ----------
    record : dict
        As `preact bench --record` writes it; on a GPU with kernel launches
        and the time that the fewest bytes would take.
    """
    rows = record["rows"]
    body: list[list[str]] = [[row["name"]] for row in rows]
    for field in ("train_ms_min", "forward_ms_min"):
        best = min((r[field] for r in rows if r["peer"]), default=None)
        for line, row in zip(body, rows, strict=True):
            times = "" if best is None else f"{best / row[field]:.2f}"
            line += [f"{row[field]:.0f}", times]
    for field in ("kept_bytes_per_image", "peak_bytes_per_image"):
        for line, row in zip(body, rows, strict=True):
            n = row[field]
            line.append("" if n is None else f"{n / 1e6:.2f}")
    names = ["step_ms", "times", "forward_ms", "times", "kept_mb", "peak_mb"]
    if "limit_ms" in record:
        names += ["launches", "of_limit"]
        for line, row in zip(body, rows, strict=True):
            share = 100 * record["limit_ms"] / row["train_ms_min"]
            line += [f"{row['launches']:,}", f"{share:.0f}"]
    head = [strings("table.network")]
    head += [strings(f"table.{name}") for name in names]
    named = ("network", "batch", "precision", "threads", "device", "rounds")
    values = {name: record[name] for name in named}
    return Table(head, body, strings("table.timed", **values))


def speed_steps_table(
    steps: Sequence[tuple[Step, Mapping[str, Any] | None]], strings: Strings
) -> Table:
    """What each step toward speed was expected to gain, and gained.

    Parameters
    ----------
    steps : sequence of (Step, record or None)
        The record that judges it; None where it has not been run.
    """
    body = []
    for step, record in steps:
        device, depth = step.record.split("-")
        values = [f"{value:.2f}" for value in step.expected]
        if len(values) == 1:
            expected = strings("speed.at_least", value=values[0])
        else:
            expected = strings("speed.range", low=values[0], high=values[1])
        gained = strings("table.not_run")
        if record:
            gained = f"{step.gained(record):.2f}"
        key = "speed.gpu" if device == "gpu" else "speed.cpu"
        network = strings(key, network=f"ResNet-{depth}")
        name = strings(f"speed.{step.key}")
        body.append([network, name, expected, gained])
    head = [
        strings(f"speed.{name}")
        for name in ("network", "step", "expected", "gained")
    ]
    return Table(head, body, strings("speed.caption"))


def network_table(plans: Mapping[str, NetworkPlan], strings: Strings) -> Table:
    """Units, parameters and multiply-adds of planned networks."""
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
