"""A report in words of one language."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from preact.conformance.cost import Cost, costs
from preact.conformance.report import Finding, Property, Report, Verdict
from preact.figures.tables import as_text
from preact.strings import Strings

CITED = {
    "Eq.": "equation",
    "Fig.": "figure",
    "Sec.": "section",
    "Appendix": "appendix",
    "appendix": "appendix",
}
POWER = re.compile(r"[\d.]+e[+-]\d+")
SHOWN = 4  # places of one finding; the others are counted


def lines(
    report: Report,
    strings: Strings,
    *,
    every: bool = False,
    skipped: Collection[str] = (),
) -> Iterator[str]:
    """Write a report, a line at a time.

    Parameters
    ----------
    every : bool
        Give the evidence for each yes, too; otherwise they are one line.
    skipped : collection of str
        Properties that do not count, for the last line.
    """
    return (line for _, line in judged_lines(report, strings, every, skipped))


def judged_lines(
    report: Report,
    strings: Strings,
    every: bool = False,
    skipped: Collection[str] = (),
) -> Iterator[tuple[Verdict | None, str]]:
    """The same, each line with the answer that it gives, if it gives one.

    First what the network is, then what is wrong, then what could not be
    told, then the rest.
    """
    for line in head_lines(report, strings):
        yield None, line
    for finding, told in findings_in_order(report, strings):
        if finding.verdict is not Verdict.YES or every:
            verdict: Verdict | None = finding.verdict
            for line in told:
                yield verdict, line
                verdict = None
    right = names_of(report, Verdict.YES)
    if right and not every:
        colon = strings("punctuation.colon")
        yield (
            Verdict.YES,
            strings("probe.yes") + colon + strings.join(right),
        )
    yield None, count_line(report, strings, skipped)


def head_lines(report: Report, strings: Strings) -> Iterator[str]:
    """What was probed and what not, which row it is, and what that costs."""
    yield strings(
        "probe.header",
        network=report.network,
        image="x".join(map(str, report.image)),
    )
    yield strings("probe.unit", unit=report.unit or "?")
    if named := named_row(report):
        yield from source_lines(named, strings, named.row, report.meant)
    yield strings(
        "probe.size",
        units=report.units,
        stages="+".join(map(str, report.stages)),
        parameters=f"{report.parameters:,}",
        multiply_adds=f"{report.multiply_adds / 1e6:,.2f}",
    )
    yield strings(
        "probe.looked", units=report.units, additions=report.additions
    )
    yield strings("probe.unseen")
    if report.unasked:
        yield unasked_line(report, strings)


def unasked_line(report: Report, strings: Strings) -> str:
    """Name the questions that were not asked."""
    return strings("probe.unasked", names=strings.join([*report.unasked]))


def named_row(report: Report) -> Finding | None:
    """The finding that the unit is a row of the paper, if it says so."""
    for finding in report.findings:
        if finding.property is Property.ROW and finding.row:
            return finding if finding.verdict is Verdict.YES else None
    return None


def findings_in_order(
    report: Report, strings: Strings
) -> Iterator[tuple[Finding, list[str]]]:
    """Findings in words: no, could not tell, yes; a row's cost only once."""
    named = named_row(report)
    told = {named.row} if named else set()
    order = [Verdict.NO, Verdict.UNKNOWN, Verdict.YES]
    for finding in sorted(
        report.findings, key=lambda finding: order.index(finding.verdict)
    ):
        costly = "" if finding.row in told else finding.row
        yield (
            finding,
            list(finding_lines(finding, strings, costly, report.meant)),
        )
        told.add(finding.row)


def names_of(report: Report, verdict: Verdict) -> list[str]:
    """The properties with one answer, in the report's order."""
    return [str(f.property) for f in report.findings if f.verdict is verdict]


def count_line(
    report: Report, strings: Strings, skipped: Collection[str] = ()
) -> str:
    """How many answers there are of each kind, and which do not count."""
    counts = report.counts
    line = strings(
        "probe.counts",
        yes=counts[Verdict.YES],
        no=counts[Verdict.NO],
        unknown=counts[Verdict.UNKNOWN],
    )
    if not skipped:
        return line
    names = strings.join(sorted(set(skipped)))
    aside = strings("probe.skipped", names=names)
    return line + strings("punctuation.semicolon") + aside


def markdown(
    report: Report, strings: Strings, skipped: Collection[str] = ()
) -> Iterator[str]:
    """Write a report as Markdown, for a pull request.

    What a network calls its parts is text here, never markup.
    """
    first, *rest = head_lines(report, strings)
    yield f"### {as_markdown(count_line(report, strings, skipped))}"
    yield ""
    yield as_markdown(first)
    yield ""
    for line in rest:
        yield f"- {as_markdown(line.strip())}"
    folded = False
    for finding, told in findings_in_order(report, strings):
        if finding.verdict is Verdict.YES and not folded:
            count = report.counts[Verdict.YES]
            title = strings("probe.yes") + strings("punctuation.colon")
            yield f"\n<details><summary>{title}{count}</summary>"
            folded = True
        yield ""
        yield f"**{finding.property}** " + as_markdown(
            told[0].removeprefix(f"[{finding.property}] ")
        )
        for line in told[1:]:
            yield f"- {as_markdown(line.strip())}"
    if folded:
        yield "\n</details>"


def as_markdown(line: str) -> str:
    r"""Escape a line; what stands in backticks stays code.

    Examples
    --------
    >>> from preact.conformance.words import as_markdown
    >>> as_markdown("a*b in <layer>: add `x + F`")
    'a\\*b in &lt;layer&gt;: add `x + F`'
    """
    first, *rest = re.split("( ?`[^`]*` ?)", line)
    code, text = rest[::2], map(as_text, rest[1::2])
    pairs = zip(code, text, strict=True)
    return as_text(first) + "".join(a + b for a, b in pairs)


def finding_lines(
    finding: Finding, strings: Strings, costly: str, meant: str = ""
) -> Iterator[str]:
    """Write one finding: question, answer, evidence, source, cost, fix.

    Parameters
    ----------
    costly : str
        The row whose cost is told here; "" if it was told before.
    meant : str
        The row that it is told beside, if a table of the paper has both.
    """
    verdict = {
        Verdict.YES: strings("probe.yes"),
        Verdict.NO: strings("probe.no"),
        Verdict.UNKNOWN: strings("probe.unknown"),
    }[finding.verdict]
    question = strings(f"probe_ask.{finding.property}")
    sentence = strings(
        f"probe_said.{finding.reason}", **typeset(finding.evidence, strings)
    )
    yield strings(
        "probe.answer",
        mark=f"[{finding.property}]",
        question=question,
        verdict=verdict,
        said=sentence,
    )
    if finding.places:
        yield "  " + strings("probe.where", places=_places(finding, strings))
    if finding.verdict is Verdict.NO or finding.row:
        yield from source_lines(finding, strings, costly, meant)
    if finding.verdict is Verdict.NO:
        yield "  " + strings("probe.fix", fix=fix(finding, strings))


def source_lines(
    finding: Finding, strings: Strings, costly: str, meant: str
) -> Iterator[str]:
    """The place in the paper, and what the row costs."""
    cited = [cite(place, strings) for place in finding.source.split(", ")]
    if finding.row:
        cited.append(row_name(finding.row, strings))
    source = strings("punctuation.comma").join(cited)
    yield "  " + strings("probe.source", source=source)
    for cost in costs(costly, meant):
        yield "  " + cost_line(cost, strings)


def cite(place: str, strings: Strings) -> str:
    """A place of a paper, such as "Fig. 4(b)", in the language."""
    kind, _, number = place.partition(" ")
    if kind not in CITED:  # the name of another paper
        return place
    return strings(f"probe.{CITED[kind]}", number=number)


def fix(finding: Finding, strings: Strings) -> str:
    """The one-line repair of what a finding denies."""
    return strings(
        f"probe_fix.{finding.reason}", **typeset(finding.evidence, strings)
    )


def typeset(evidence: Mapping[str, Any], strings: Strings) -> dict[str, Any]:
    """Write the powers of ten of a finding as the book does.

    Examples
    --------
    >>> from preact.conformance.words import typeset
    >>> from preact.strings import Strings
    >>> typeset({"wrong": 17, "product": "2.2e-09"}, Strings("en"))
    {'wrong': 17, 'product': '2.2 × 10⁻⁹'}
    """
    return {
        name: strings.two_digits(float(value))
        if POWER.fullmatch(str(value))
        else value
        for name, value in evidence.items()
    }


def _places(finding: Finding, strings: Strings) -> str:
    """The first places, and how many more there are."""
    shown = list(finding.places[:SHOWN])
    more = len(finding.places) - len(shown)
    if more:
        shown.append(strings("probe.more", count=more))
    return strings.join(shown)


def row_name(row: str, strings: Strings) -> str:
    """A row's name in the language; a gate's bias is a value in it."""
    for kind in ("exclusive-gating", "shortcut-only-gating"):
        if row.startswith(kind):
            bias = row.removeprefix(kind).removeprefix("-b") or "?"
            return strings(f"row.{kind}", bias=bias)
    return strings(f"row.{row}")


def cost_line(cost: Cost, strings: Strings) -> str:
    """A row's error beside another one's."""
    values = {
        "data": cost.data,
        "depth": cost.depth,
        "name": row_name(cost.row, strings),
        "error": _error(cost.error_pct, strings),
        "other": row_name(cost.other, strings),
        "other_error": _error(cost.other_pct, strings),
    }
    if cost.n:
        return strings("probe.ours", **values, n=cost.n, other_n=cost.other_n)
    return strings("probe.paper", **values)


def _error(error_pct: float | None, strings: Strings) -> str:
    """An error in percent, or the paper's word."""
    if error_pct is None:
        return strings("probe.fails")
    return strings.percent(error_pct, 2)
