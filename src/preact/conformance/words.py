"""A report in words of one language."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from preact.conformance.report import Finding, Property, Report, Verdict
from preact.figures.variants import row_name
from preact.records.costs import Cost, costs
from preact.strings import Strings

VERDICTS = {
    Verdict.NO: "probe.no",
    Verdict.UNKNOWN: "probe.unknown",
    Verdict.YES: "probe.yes",
}
"""What is wrong stands first."""
CITED = {"Eq.": "equation", "Fig.": "figure", "Sec.": "section"}
POWER = re.compile(r"[\d.]+e[+-]\d+")
SHOWN = 4  # places of one finding; the others are counted
Skipped = Collection[str]


def judged_lines(
    report: Report,
    strings: Strings,
    every: bool = False,
    skipped: Skipped = (),
) -> Iterator[tuple[Verdict | None, str]]:
    """Write a report, each line with the answer that it gives, if any.

    First what the network is, then what is wrong, then what could not be
    told, then the rest in one line, or with `every` in full; so are doubts
    of one reason. The last line names the properties that are `skipped`.
    """
    for line in head_lines(report, strings):
        yield None, line
    reasons = Counter(finding.reason for finding in report.findings)
    short: dict[tuple[Verdict, str], list[str]] = {}
    for finding, (first, *rest) in findings_in_order(report, strings):
        is_right = finding.verdict is Verdict.YES
        if every or not (is_right or reasons[finding.reason] > 1):
            yield finding.verdict, first
            yield from ((None, line) for line in rest)
            continue
        why = "" if is_right else evidence_sentence(finding, strings)
        names = short.setdefault((finding.verdict, why), [])
        names.append(str(finding.property))
    for (verdict, why), names in short.items():
        line = strings("punctuation.colon").join(
            [strings(VERDICTS[verdict]), strings.join(names)]
        )
        stop = strings("punctuation.semicolon") * bool(why)
        yield verdict, line + stop + why
    yield None, count_line(report, strings, skipped)


def head_lines(report: Report, strings: Strings) -> Iterator[str]:
    """What was probed and what not, which row it is, and what that costs."""
    image = "x".join(map(str, report.image))
    yield strings("probe.header", network=report.network, image=image)
    yield strings("probe.unit", unit=report.unit or "?")
    row = report[Property.ROW]
    if row.row and row.verdict is Verdict.YES:
        yield from _source_lines(row, strings, report.meant)
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


def findings_in_order(
    report: Report, strings: Strings
) -> Iterator[tuple[Finding, list[str]]]:
    """Findings in words: no, could not tell, yes."""
    order = [*VERDICTS]
    for finding in sorted(
        report.findings, key=lambda finding: order.index(finding.verdict)
    ):
        yield finding, [*finding_lines(finding, strings, report.meant)]


def count_line(report: Report, strings: Strings, skipped: Skipped = ()) -> str:
    """How many answers there are of each kind, and which do not count."""
    yes, no, unknown = report.counts.values()
    line = strings("probe.counts", yes=yes, no=no, unknown=unknown)
    if not skipped:
        return line
    names = strings.join(sorted({*skipped}))
    aside = strings("probe.skipped", names=names)
    return line + strings("punctuation.semicolon") + aside


def finding_lines(
    finding: Finding, strings: Strings, meant: str
) -> Iterator[str]:
    """Write one finding: question, answer, evidence, source, cost, fix.

    The cost is told with the row itself, beside the row that is `meant`.
    """
    yield strings(
        "probe.answer",
        mark=f"[{finding.property}]",
        question=strings(f"probe_ask.{finding.property}"),
        verdict=strings(VERDICTS[finding.verdict]),
        said=evidence_sentence(finding, strings),
    )
    if finding.places:
        shown = [*finding.places[:SHOWN]]
        if more := len(finding.places) - len(shown):
            shown.append(strings("probe.more", count=more))
        yield "  " + strings("probe.where", places=strings.join(shown))
    if finding.verdict is Verdict.NO or finding.row:
        yield from _source_lines(finding, strings, meant)
    if finding.verdict is Verdict.NO:
        yield "  " + strings("probe.fix", fix=fix(finding, strings))


def evidence_sentence(finding: Finding, strings: Strings) -> str:
    """Write the evidence in a sentence."""
    evidence = typeset(finding.evidence, strings)
    return strings(f"probe_said.{finding.reason}", **evidence)


def fix(finding: Finding, strings: Strings) -> str:
    """The one-line repair of what a finding denies."""
    evidence = typeset(finding.evidence, strings)
    return strings(f"probe_fix.{finding.reason}", **evidence)


def typeset(evidence: Mapping[str, Any], strings: Strings) -> dict[str, Any]:
    """Write the powers of ten of a finding as the book does."""
    return {
        name: strings.two_digits(float(value))
        if POWER.fullmatch(str(value))
        else value
        for name, value in evidence.items()
    }


def _source_lines(
    finding: Finding, strings: Strings, meant: str
) -> Iterator[str]:
    """The place in the paper, and what the row costs."""
    cited = [_cite(place, strings) for place in finding.source.split(", ")]
    if finding.row:
        cited.append(row_name(finding.row, strings))
    source = strings("punctuation.comma").join(cited)
    yield "  " + strings("probe.source", source=source)
    if finding.property is Property.ROW:
        for cost in costs(finding.row, meant):
            yield "  " + _cost_line(cost, strings)


def _cite(place: str, strings: Strings) -> str:
    """A place of a paper, such as "Fig. 4(b)", in the language."""
    kind, _, number = place.partition(" ")
    if kind.lower() == "appendix":
        return strings("probe.appendix")
    if kind not in CITED:  # the name of another paper
        return place
    return strings(f"probe.{CITED[kind]}", number=number)


def _cost_line(cost: Cost, strings: Strings) -> str:
    """A row's error beside another one's; None is the paper's "fail"."""
    error, other_error = (
        strings("probe.fails") if pct is None else strings.percent(pct, 2)
        for pct in (cost.error_pct, cost.other_pct)
    )
    return strings(
        "probe.ours" if cost.n else "probe.paper",
        data=cost.data,
        depth=cost.depth,
        name=row_name(cost.row, strings),
        error=error,
        other=row_name(cost.other, strings),
        other_error=other_error,
        n=cost.n,
        other_n=cost.other_n,
        lr=cost.lr,
    )
