"""Seeds of networks that nobody has looked at, other ones for each master."""

import os

from numpy.random import SeedSequence

MASTER = int(os.environ.get("PREACT_SEED", "0"))


def draw_seeds(n, skip=0):
    """Return n seeds: never those of a chapter, which count from 0.

    The same master seed, `make claims SEED=7`, gives the same ones; `skip`
    leaves out the first, for a second draw in the same test.
    """
    drawn = SeedSequence(MASTER).generate_state(skip + n)
    return [1000 + int(seed) % (2**31 - 1000) for seed in drawn[skip:]]
