"""Answers to the exercises of a chapter: right ones, wrong ones."""

import numpy as np
from torch import nn


def repaired(x, F):
    return x + F(np.where(x > 0, x, 0))


def as_it_was(x, F):
    a = np.maximum(x, 0, out=x)
    return x + F(a)


def both_activated(x, F):
    a = np.maximum(x, 0)
    return a + F(a)


def after_the_sum(x, F):
    return np.maximum(x + F(x), 0)


def over(*axes):
    def norm(x):
        kept = {"axis": axes, "keepdims": True}
        return (x - x.mean(**kept)) / np.sqrt(x.var(**kept) + 1e-5)

    return norm


def without_root(x):
    kept = {"axis": (0, 2, 3), "keepdims": True}
    return (x - x.mean(**kept)) / (x.var(**kept) + 1e-5)


def silent(unit, x):
    return (unit(x, lambda a: 0 * a) == x).all()


def tangent(unit, x):
    return np.allclose(unit(x, np.tanh), x + np.tanh(x))


def close(unit, x):
    return np.allclose(unit(x, np.zeros_like), x)


def loose(unit, x):
    return np.allclose(unit(x, np.zeros_like), x, rtol=0.05)


def positive(unit, x):
    x = np.abs(x)
    return np.array_equal(unit(x, np.zeros_like), x)


def by_number(unit, x):
    return unit(x, np.zeros_like) == x


def trusting(unit, x):
    return True


class Block(nn.Module):
    """The unit of the page, with a bias and a last ReLU if asked for."""

    def __init__(self, width, bias, relu):
        super().__init__()
        self.norms = nn.ModuleList(nn.BatchNorm2d(width) for _ in range(2))
        self.convs = nn.ModuleList(
            nn.Conv2d(width, width, 3, padding=1, bias=bias) for _ in range(2)
        )
        self.relu = relu

    def forward(self, x):
        out = x
        for norm, conv in zip(self.norms, self.convs, strict=True):
            out = conv(norm(out).relu())
        return (x + out).relu() if self.relu else x + out


def network(*, bias=False, relu=False, tail=True, units=4):
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1, bias=False),
        *(Block(16, bias, relu) for _ in range(units)),
        *([nn.BatchNorm2d(16), nn.ReLU()] if tail else []),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 10),
    )


ANSWERS = {
    "bugs-1": ([0.98676, 0.9868], [0.5, 0.99, 1 - 0.5 / 52, 0.5 ** (1 / 54)]),
    "bugs-2": ([repaired], [as_it_was, both_activated, after_the_sum]),
    "bugs-3": (
        [over(0, 2, 3)],
        [over(1, 2, 3), over(2, 3), over(0, 1, 2, 3), without_root],
    ),
    "bugs-4": (
        [silent],
        [tangent, close, loose, positive, by_number, trusting],
    ),
    "bugs-5": ([7], [6, 8, 9, 17]),
    "bugs-6": (
        [network()],
        [
            network(bias=True),
            network(relu=True),
            network(tail=False),
            network(units=3),
            Block,
        ],
    ),
}
OWN_SENTENCES = {
    ("bugs-2", as_it_was): "changed",
    ("bugs-2", both_activated): "original",
    ("bugs-3", ANSWERS["bugs-3"][1][0]): "image",
    ("bugs-3", ANSWERS["bugs-3"][1][1]): "alone",
    ("bugs-3", ANSWERS["bugs-3"][1][2]): "all",
    ("bugs-4", tangent): "full",
    ("bugs-4", close): "tiny",
    ("bugs-4", loose): "scaled",
    ("bugs-4", positive): "original",
}
