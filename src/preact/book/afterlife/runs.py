"""Transformers on a text: measured unit by unit, and as they were recorded.

They read `pydoc_data.topics`, which `help()` prints and every Python has: half
a million characters of English and of grammar, and nothing to download. Each
release of Python has its own, so a record keeps the hash of what it read.
"""

import hashlib
import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from pydoc_data.topics import topics
from typing import Annotated, Any, NamedTuple

import torch
from jaxtyping import Int
from pydantic import Field
from torch import Tensor
from torch.nn.functional import cross_entropy

from preact.book.afterlife.model import PLACEMENTS, Transformer
from preact.records.files import read_json
from preact.records.record import Git, sha256_of
from preact.typed import Name, Positive, Seed, Sha256, parse, typed
from preact.typed import Text as Words

RECORDED = Path(__file__).parent / "recorded"
DEPTHS = (4, 12)  # of the runs that are compared
RATES_FOLDER = "rates"  # of the runs at several learning rates
TEXT = RECORDED / "text.json"  # which text they have read
TEST_SHARE = 0.1  # of the text, the last topics by name
LENGTH = 32  # characters read at once
Numbers = tuple[float | None, ...]


# ----------------------------------------------------------------- the text
class Text(NamedTuple):
    """Characters as numbers: which they are, and two parts of the text."""

    characters: str
    train: Int[Tensor, " train"]
    test: Int[Tensor, " test"]
    sha256: str


@cache
def read_text() -> Text:
    """Read all topics, in the order of their names."""
    whole = "\n\n".join(topics[name] for name in sorted(topics))
    characters = "".join(sorted(set(whole)))
    number = {c: i for i, c in enumerate(characters)}
    numbers = torch.tensor([number[c] for c in whole])
    cut = round((1 - TEST_SHARE) * len(numbers))
    sha256 = hashlib.sha256(whole.encode()).hexdigest()
    return Text(characters, numbers[:cut], numbers[cut:], sha256)


def draw_windows(
    numbers: Int[Tensor, " total"],
    count: int,
    length: int,
    generator: torch.Generator,
) -> tuple[Int[Tensor, "N T"], Int[Tensor, "N T"]]:
    """Draw places of the text: what is read, and the next characters."""
    last = len(numbers) - length
    starts = torch.randint(last, (count, 1), generator=generator)
    windows = numbers[starts + torch.arange(length + 1)]
    return windows[:, :-1], windows[:, 1:]


def letter_entropy(numbers: Int[Tensor, " total"]) -> float:
    """Loss in nats of a guess that knows only how frequent a character is."""
    counts = torch.bincount(numbers).double()
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * shares.log()).sum())


# ----------------------------------------------------------------- measured
@typed
class Moment:
    """One network on one batch; every list has an entry for x_0, ..., x_L.

    `signal_rms` is that of x_l, `gradient_norm` that of dE/dx_l. `direct` is
    what of dE/dx_L arrives at x_l by the shortcuts alone, as a multiple: the
    first term in the bracket of Eqs. (5) and (8).
    """

    iteration: Annotated[int, Field(ge=0)]
    signal_rms: Numbers
    gradient_norm: Numbers
    direct: Numbers
    test_loss: float | None = None


def fresh(
    placement: str, layers: int, seed: int, *, default: bool = False
) -> Transformer:
    """Draw a transformer; one seed, equal weights in all placements.

    With `default` as PyTorch draws them.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        characters = len(read_text().characters)
        chosen = PLACEMENTS[placement]
        return Transformer(characters, layers, chosen, default=default)


def measure(
    network: Transformer, seed: int, *, iteration: int = 0, count: int = 16
) -> Moment:
    """Measure signal, gradient and direct term by unit.

    On `count` windows of the test text, drawn by the seed. Nothing of the
    network is changed.
    """
    generator = torch.Generator().manual_seed(seed)
    text, wanted = draw_windows(read_text().test, count, LENGTH, generator)
    gradients = {}
    for direct in (True, False):
        streams = network.streams(text, direct)
        logits = network.classifier(network.tail(streams[-1]))
        loss = cross_entropy(logits.flatten(0, 1), wanted.flatten())
        gradients[direct] = torch.autograd.grad(loss, streams)
    last = gradients[False][-1]
    return Moment(
        iteration=iteration,
        signal_rms=four_digits(x.square().mean().sqrt() for x in streams),
        gradient_norm=four_digits(g.norm() for g in gradients[False]),
        direct=four_digits(
            (g * last).sum() / last.square().sum() for g in gradients[True]
        ),
    )


def four_digits(values: Iterable[Any]) -> Numbers:
    """Round to four digits; what is no number is None."""
    numbers = [torch.as_tensor(v).detach().item() for v in values]
    return tuple(
        float(f"{n:.4g}") if math.isfinite(n) else None for n in numbers
    )


# ----------------------------------------------------------------- recorded
@typed
class Run:
    """One training run; losses in nats per character.

    `arm` is a placement, or one and "+warm-up"; a `train_loss` the mean of
    ten steps; `test_loss` that on the last topics, after training.
    """

    arm: Name
    layers: Positive
    seed: Seed
    config: dict[str, Any]
    config_sha256: Sha256
    text_sha256: Sha256
    parameters: Positive
    train_loss: Numbers
    test_loss: float | None
    moments: tuple[Moment, ...]
    wall_s: float
    started_utc: Words
    device: Words
    devices: Positive
    threads: Positive
    processors: Positive | None
    torch: Words
    cuda: Words | None
    deterministic: bool
    python: Words
    preact: Words
    code_sha256: Sha256
    git: Git
    wall_is: Words

    def __post_init__(self) -> None:
        if sha256_of(self.config) != self.config_sha256:
            raise ValueError(
                "config_sha256 must be the hash of config; got "
                f"{self.config_sha256}: one of them was changed by hand"
            )

    def at(self, iteration: int) -> Moment:
        """Return what was measured after so many steps."""
        (moment,) = (m for m in self.moments if m.iteration == iteration)
        return moment


@cache
def read_runs(folder: str = "") -> tuple[Run, ...]:
    """Read runs by arm, layers and seed.

    All placements at one learning rate; of `RATES_FOLDER` two at several, for
    longer.
    """
    paths = sorted((RECORDED / folder).glob("*-seed-*.json"))
    runs = [parse(Run, read_json(path), str(path)) for path in paths]
    return tuple(sorted(runs, key=lambda run: (run.arm, run.layers, run.seed)))


def runs_of(arm: str, layers: int) -> list[Run]:
    """Return the runs of one arm and depth, by seed."""
    return [r for r in read_runs() if (r.arm, r.layers) == (arm, layers)]


def at_rate(arm: str, layers: int, lr: float, draw: str = "book") -> list[Run]:
    """Return the longer runs of one arm, depth, rate and draw, by seed."""
    wanted = {"layers": layers, "lr": lr, "draw": draw}
    runs = [run for run in read_runs(RATES_FOLDER) if run.arm == arm]
    return [run for run in runs if wanted.items() <= run.config.items()]


@cache
def recorded_letters() -> float:
    """Loss of a guess that knows only how frequent a character is.

    In nats, on the test part of the text that the recorded runs have read.
    """
    return float(read_json(TEXT)["letter_entropy"])
