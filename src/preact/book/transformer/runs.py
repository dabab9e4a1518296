"""Transformers measured unit by unit, and the runs that were recorded.

Chapter `10-afterlife`.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import torch
from jaxtyping import Int
from pydantic import Field
from torch import Tensor
from torch.nn.functional import cross_entropy

from preact.book.transformer.model import PLACEMENTS, Transformer
from preact.book.transformer.text import draw_windows, read_text
from preact.records.files import read_json
from preact.records.record import Git, sha256_of
from preact.typed import Name, Positive, Seed, parse, typed
from preact.typed.fields import Sha256, Text

HERE = Path(__file__).parent
WARM_UP = "+warm-up"
RATES = "rates"  # the folder of the runs at several learning rates
TEXT = HERE / "text.json"  # what the recorded runs have read
Numbers = tuple[float | None, ...]


@typed
class Moment:
    """One network on one batch; every list has an entry for x_0, ..., x_L.

    Parameters
    ----------
    iteration : int
        Steps of training before.
    signal_rms : list of float
        Root mean square of x_l.
    gradient_norm : list of float
        Norm of dE/dx_l.
    direct : list of float
        What of dE/dx_L arrives at x_l by the shortcuts alone, as a multiple:
        the first term in the bracket of Eqs. (5) and (8).
    test_loss : float or None
        As that of a `Run`; None if it was not asked for, or is no number.
    """

    iteration: Annotated[int, Field(ge=0)]
    signal_rms: Numbers
    gradient_norm: Numbers
    direct: Numbers
    test_loss: float | None = None


@typed
class TextRead:
    """The text of the runs, which another Python may not have.

    Parameters
    ----------
    letter_entropy : float
        `letter_entropy` of its test part, in nats per character.
    """

    sha256: Sha256
    letter_entropy: float


@typed
class Run:
    """One training run; losses in nats per character.

    Parameters
    ----------
    arm : str
        A placement, or one and "+warm-up".
    train_loss : list of float
        Mean of ten steps each.
    test_loss : float or None
        After training, on the last topics; None is no number.
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
    started_utc: Text
    device: Text
    devices: Positive
    threads: Positive
    processors: Positive | None
    torch: Text
    cuda: Text | None
    deterministic: bool
    python: Text
    preact: Text
    code_sha256: Sha256
    git: Git
    wall_is: Text

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
def recorded() -> tuple[Run, ...]:
    """Read all runs, by arm, layers and seed."""
    runs = [
        parse(Run, read_json(path), str(path))
        for path in HERE.glob("*-seed-*.json")
    ]
    return tuple(sorted(runs, key=lambda run: (run.arm, run.layers, run.seed)))


@cache
def recorded_letters() -> float:
    """Loss of a guess that knows only how frequent a character is.

    In nats, on the test part of the text that the recorded runs have read.
    """
    return parse(TextRead, read_json(TEXT), str(TEXT)).letter_entropy


def chosen(arm: str, layers: int) -> list[Run]:
    """Return the recorded runs of one arm and depth, by seed."""
    return [r for r in recorded() if (r.arm, r.layers) == (arm, layers)]


@cache
def rates() -> tuple[Run, ...]:
    """Read the runs at several learning rates, by name of their files."""
    paths = sorted((HERE / RATES).glob("*-seed-*.json"))
    return tuple(parse(Run, read_json(path), str(path)) for path in paths)


def at_rate(arm: str, layers: int, lr: float, draw: str = "book") -> list[Run]:
    """Return those of one arm, depth, rate and draw, by seed."""
    wanted = {"layers": layers, "lr": lr, "draw": draw}
    runs = [
        r
        for r in rates()
        if r.arm == arm and wanted.items() <= r.config.items()
    ]
    return sorted(runs, key=lambda run: run.seed)


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
    text, wanted = draw_windows(read_text().test, count, 32, generator)
    gradients = {}
    for direct in (True, False):
        streams = network.streams(text, direct)
        logits = network.classifier(network.tail(streams[-1]))
        loss = cross_entropy(logits.flatten(0, 1), wanted.flatten())
        gradients[direct] = torch.autograd.grad(loss, streams)
    last = gradients[False][-1]
    return Moment(
        iteration=iteration,
        signal_rms=shorter(x.square().mean().sqrt() for x in streams),
        gradient_norm=shorter(g.norm() for g in gradients[False]),
        direct=shorter(
            (g * last).sum() / last.square().sum() for g in gradients[True]
        ),
    )


def shorter(values: Iterable[float | Tensor]) -> Numbers:
    """Four digits of each; what is no number is None."""
    numbers = (torch.as_tensor(v).detach().item() for v in values)
    texts = (f"{number:.4g}" for number in numbers)
    return tuple(
        None if re.search("nan|inf", text) else float(text) for text in texts
    )


def loss_on(
    network: Transformer,
    text: Int[Tensor, "N T"],
    wanted: Int[Tensor, "N T"],
) -> Tensor:
    """Mean cross-entropy in nats per character."""
    return cross_entropy(network(text).flatten(0, 1), wanted.flatten())
