"""The text that the transformers read: Python's own documentation.

`pydoc_data.topics`, which `help()` prints, comes with every Python: half a
million characters of English and of grammar, and nothing to download. Each
release of Python has its own, so a record keeps the hash of what it read.

Chapter `10-afterlife`.
"""

import hashlib
from functools import cache
from pydoc_data.topics import topics
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

TEST_SHARE = 0.1  # the last topics, by name


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
