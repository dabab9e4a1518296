"""Answers to the exercises of a chapter: right ones, wrong ones."""

ANSWERS = {
    "depth-1": ([2**0.5], [2, 1.005, 10.05, 11]),
    "depth-2": ([0.7335], [1.467, 1.076, 0.5]),
    "depth-3": ([3], [1, 2, 4]),
}
