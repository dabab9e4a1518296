"""Each specimen of the zoo, probed once for all tests; a report in words."""

from functools import cache

from preact.book.bugs.zoo import MUTANTS, RIGHT
from preact.conformance import probe
from preact.conformance.words import judged_lines
from preact.strings import Strings

ZOO = {**RIGHT, **MUTANTS}


@cache
def report_of(name):
    specimen = ZOO[name]
    return probe(specimen.make(), row=specimen.meant)


def lines(report, language="en", **options):
    told = judged_lines(report, Strings(language), **options)
    return [line for _, line in told]
