"""Answers to the exercises of a chapter: right ones, wrong ones."""

import math


def right_seconds(work, wait, clock, rounds=5):
    work()
    wait()
    least = math.inf
    for _ in range(rounds):
        start = clock()
        work()
        wait()
        least = min(least, clock() - start)
    return least


def with_compiling(work, wait, clock, rounds=5):
    start = clock()
    for _ in range(rounds):
        work()
        wait()
    return (clock() - start) / rounds


def only_launches(work, wait, clock, rounds=5):
    work()
    wait()
    times = []
    for _ in range(rounds):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def disturbed(work, wait, clock, rounds=5):
    work()
    wait()
    start = clock()
    for _ in range(rounds):
        work()
        wait()
    return (clock() - start) / rounds


ANSWERS = {
    "training-1": ([84.28, 84.3], [42.1, 168.6, 0.66]),
    "training-2": ([8.257536, 8.26], [2.06, 24.77, 33.03]),
    "training-3": ([14.9, 14.8997], [18.2, 10.5, 222.0]),
    "training-4": ([44], [43.71, 10, 22, 88]),
    "training-5": (
        [right_seconds],
        [with_compiling, only_launches, disturbed],
    ),
}
OWN_SENTENCES = {
    ("training-5", with_compiling): "compiled",
    ("training-5", only_launches): "launched",
    ("training-5", disturbed): "mean",
}
