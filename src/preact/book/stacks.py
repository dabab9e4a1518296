"""Small networks, several seeds at once, whose units can be taken away.

Chapters `07-depth` and `08-paths`.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import batch_norm, cross_entropy

from preact.data import read_digits
from preact.reference.caches import Array
from preact.spec import BN, RELU, Op, Scale, UnitSpec

WIDTH, BATCH = 64, 64


@contextmanager
def single_thread() -> Iterator[None]:
    """Compute with one thread, best for small sums, and then as before."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


class Images(NamedTuple):
    """The digits as rows of 64 numbers, normalized, and their labels."""

    train: Tensor
    train_labels: Tensor
    test: Tensor
    test_labels: Tensor


@cache
def images() -> Images:
    """Read the 8x8 digits once."""
    digits = read_digits()
    train, test = (
        x.float().flatten(1) for x in (digits.train_images, digits.test_images)
    )
    normal = [(x - train.mean()) / train.std() for x in (train, test)]
    return Images(
        normal[0], digits.train_labels, normal[1], digits.test_labels
    )


class Stack:
    """Fully connected units of one shape, of several seeds at once.

    Once frozen, every BN keeps the statistics of the whole network, so that a
    missing unit does not quietly retune the others. The tail stands between
    the last unit and the classifier, a first layer, if there is one, before
    the first unit. All weights come of one seed, with a variance of 2 / 64;
    `last_relu` stands for the ReLU after the addition.
    """

    def __init__(
        self,
        unit: UnitSpec,
        tail: Sequence[Op],
        units: int = 6,
        seeds: int = 4,
        seed: int = 0,
        last_relu: Callable[[Tensor], Tensor] = torch.relu,
        first_layer: bool = False,
    ) -> None:
        torch.manual_seed(seed)
        shape = (units, 2, seeds, WIDTH, WIDTH)
        self.weights = torch.randn(shape) * (2 / WIDTH) ** 0.5
        self.head = (torch.rand(seeds, WIDTH, 10) - 0.5) / 4
        self.first = torch.randn(seeds, WIDTH, WIDTH) / WIDTH**0.5
        self.first_layer = first_layer
        self.unit, self.tail, self.last_relu = unit, tail, last_relu
        self.seeds, self.units = seeds, range(units)
        self.statistics: dict[Hashable, tuple[Tensor, Tensor]] = {}
        self.frozen = False

    def run(self, x: Tensor, order: Iterable[int]) -> Tensor:
        """Return the stream behind some units, in this order."""
        x = x @ self.first if self.first_layer else x
        stem = [op for op in (BN, RELU) if op not in self.unit.pre]
        x = self._place(stem, x, "stem")
        for i in order:
            x = self.step(x, i)
        return x

    def step(self, x: Tensor, i: int) -> Tensor:
        """Return what unit i makes of the stream."""
        assert isinstance(self.unit.on_shortcut, Scale)
        first, second = self.weights[i]
        F = self._place(self.unit.pre, x, (i, "pre")) @ first
        F = self._place((BN, RELU), F, (i, "middle")) @ second
        F = self._place(self.unit.post, F, (i, "post"))
        y = self.unit.on_shortcut.value * x + F
        return self._place(self.unit.after, y, (i, "after"), self.last_relu)

    def logits(self, x: Tensor) -> Tensor:
        """Classify the stream behind the last unit."""
        return self._place(self.tail, x, "tail") @ self.head

    def freeze(self, x: Tensor, order: Iterable[int] | None = None) -> None:
        """Keep the statistics of the whole network, or of some units."""
        self.frozen = False
        units = self.units if order is None else order
        with torch.no_grad():
            self.logits(self.run(x.expand(self.seeds, -1, -1), units))
        self.frozen = True

    def errors(self, x: Tensor) -> Array:
        """Return the test error in percent of streams behind some units."""
        wrong = self.logits(x).argmax(-1) != images().test_labels
        errors: Array = 100 * wrong.double().mean(1).numpy()
        return errors

    def test_errors(self, order: Iterable[int]) -> Array:
        """Return the test error in percent with these units, (seeds,)."""
        test = images().test.expand(self.seeds, -1, -1)
        return self.errors(self.run(test, order))

    def _place(
        self,
        ops: Iterable[Op],
        x: Tensor,
        where: Hashable,
        relu: Callable[[Tensor], Tensor] = torch.relu,
    ) -> Tensor:
        for op in ops:
            x = self._bn(x, where) if op is BN else relu(x)
        return x

    def _bn(self, x: Tensor, where: Hashable) -> Tensor:
        if torch.is_grad_enabled() and not self.frozen:
            seeds, batch, width = x.shape  # a channel for each seed and number
            rows = x.transpose(0, 1).reshape(batch, seeds * width)
            rows = batch_norm(rows, None, None, training=True)
            return rows.view(batch, seeds, width).transpose(0, 1)
        if not self.frozen:
            self.statistics[where] = torch.var_mean(
                x, 1, correction=0, keepdim=True
            )
        variance, mean = self.statistics[where]
        return (x - mean) * (variance + 1e-5).rsqrt()


def train(
    unit: UnitSpec,
    tail: Sequence[Op],
    *,
    steps: int = 100,
    lr: float = 0.1,
    **stack: Any,
) -> Stack:
    """Train a stack on the digits, and freeze it.

    By stochastic gradient descent with a momentum of 0.9, 64 images a step;
    `stack` are the other parameters of `Stack`.
    """
    network, data = Stack(unit, tail, **stack), images()
    trained = [network.weights, network.head]
    trained += [network.first] * network.first_layer
    for weights in trained:
        weights.requires_grad_()
    sgd = torch.optim.SGD(trained, lr=lr, momentum=0.9)
    for _ in range(steps):
        picks = [
            torch.randperm(len(data.train))[:BATCH]
            for _ in range(network.seeds)
        ]
        batch = torch.stack(picks)
        x = network.run(data.train[batch], network.units)
        logits = network.logits(x).flatten(0, 1)
        loss = cross_entropy(logits, data.train_labels[batch].flatten())
        sgd.zero_grad()
        (network.seeds * loss).backward()
        sgd.step()
    for weights in trained:
        weights.requires_grad_(False)
    network.freeze(data.train)
    return network
