"""Answers to the exercises of a chapter: right ones, wrong ones."""

ANSWERS = {
    "depth-2": ([0.7335], [1.467, 1.076, 0.5]),
    "depth-4": ([3], [1, 2, 4]),
}
