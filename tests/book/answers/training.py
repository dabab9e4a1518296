"""Answers to the exercises of a chapter: right ones, wrong ones."""

import math


def right_join(a, b):
    (n, m, s), (k, u, t) = a, b
    mean = m + (u - m) * k / (n + k)
    return n + k, mean, s + t + (u - m) ** 2 * n * k / (n + k)


def apart_forgotten(a, b):
    (n, m, s), (k, u, t) = a, b
    return n + k, m + (u - m) * k / (n + k), s + t


def through_squares(a, b):
    (n, m, s), (k, u, t) = a, b
    mean = (n * m + k * u) / (n + k)
    squares = (s + n * m**2) + (t + k * u**2) - (n + k) * mean**2
    return n + k, mean, squares


def mean_of_means(a, b):
    n, _, squares = right_join(a, b)
    return n, (a[1] + b[1]) / 2, squares


def wrong_number(a, b):
    _, mean, squares = right_join(a, b)
    return a[0], mean, squares


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


def not_a_number(work, wait, clock, rounds=5):
    return math.nan


ANSWERS = {
    "training-1": ([84.28, 84.3], [42.1, 168.6, 0.66]),
    "training-2": ([8.257536, 8.26], [2.06, 24.77, 33.03]),
    "training-3": ([14.9, 14.8997], [18.2, 10.5, 222.0]),
    "training-4": (
        [right_join],
        [apart_forgotten, through_squares, mean_of_means, wrong_number],
    ),
    "training-5": (
        [right_seconds],
        [with_compiling, only_launches, disturbed, not_a_number],
    ),
    "training-6": ([161.2, 161.175], [128, 0.16, 53.7]),
}
OWN_SENTENCES = {
    ("training-4", apart_forgotten): "apart",
    ("training-4", through_squares): "digits",
    ("training-5", with_compiling): "compiled",
    ("training-5", only_launches): "launched",
    ("training-5", disturbed): "mean",
}
