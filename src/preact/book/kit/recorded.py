"""What more than one chapter reads in the records.

Chapters `05-shortcuts` and `06-activations`.
"""

from preact.records import Record


def growth_at_start(run: Record) -> float:
    """|g_0| / |g_L| of the very network of a run, at iteration 0."""
    start = next(p for p in run.profiles if p.iteration == 0)
    first, last = start.gradient_norm[0], start.gradient_norm[-1]
    assert first is not None
    assert last is not None
    return first / last
