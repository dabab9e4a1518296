"""Each specimen of the zoo, probed once for all tests."""

from functools import cache

from preact.book.bugs.zoo import MUTANTS, RIGHT
from preact.conformance import probe

ZOO = {**RIGHT, **MUTANTS}


@cache
def report_of(name):
    specimen = ZOO[name]
    return probe(specimen.make(), specimen.image, row=specimen.meant)
