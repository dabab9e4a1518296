"""What is known of a network of the zoo."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from preact.conformance.report import Property


@dataclass(frozen=True)
class Specimen:
    """A network and what is wrong with it.

    Parameters
    ----------
    make : callable
        Makes the network, for 3x32x32 images.
    meant : str
        The row that its author meant.
    breaks : frozenset of Property
        The questions whose answer is no; all others are answered yes, or
        cannot be.
    seen : str
        The public code or issue that has the mistake; "" if we wrote it as a
        variation.

    Examples
    --------
    >>> from preact.book.bugs.zoo import MUTANTS
    >>> mutant = MUTANTS["raw-projection"]
    >>> mutant.meant, [str(question) for question in mutant.breaks]
    ('full-preactivation', ['width-change'])
    >>> mutant.seen
    'pytorch-cifar #9, pytorch-classification'
    """

    make: Callable[[], nn.Module]
    meant: str
    breaks: frozenset[Property] = frozenset()
    seen: str = ""
