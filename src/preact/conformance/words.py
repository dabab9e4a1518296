"""A report in words of one language."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from preact.conformance.cost import Cost, costs
from preact.conformance.report import Finding, Report, Verdict
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


def lines(report: Report, strings: Strings) -> Iterator[str]:
    """Write a report, a line at a time."""
    yield strings(
        "probe.header",
        network=report.network,
        image="x".join(map(str, report.image)),
    )
    yield strings("probe.unit", unit=report.unit or "?")
    yield strings(
        "probe.size",
        units=report.units,
        stages="+".join(map(str, report.stages)),
        parameters=f"{report.parameters:,}",
        multiply_adds=f"{report.multiply_adds / 1e6:,.2f}",
    )
    told: set[str] = set()
    for finding in sorted(report.findings, key=_faults_first):
        costly = "" if finding.row in told else finding.row
        yield from finding_lines(finding, strings, costly, report.meant)
        told.add(finding.row)
    count, asked = len(report.faults), len(report.findings)
    if count:
        yield strings("probe.faults", count=count, all=asked)
    else:
        yield strings("probe.faultless", all=asked)


def _faults_first(finding: Finding) -> int:
    """Order: no, could not tell, yes."""
    return [Verdict.NO, Verdict.UNKNOWN, Verdict.YES].index(finding.verdict)


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
        cited = [cite(place, strings) for place in finding.source.split(", ")]
        if finding.row:
            cited.append(row_name(finding.row, strings))
        source = strings("punctuation.comma").join(cited)
        yield "  " + strings("probe.source", source=source)
    for cost in costs(costly, meant):
        yield "  " + cost_line(cost, strings)
    if finding.verdict is Verdict.NO:
        yield "  " + strings("probe.fix", fix=fix(finding, strings))


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
