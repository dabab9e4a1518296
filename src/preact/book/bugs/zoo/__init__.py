"""Mutants: networks with one mistake each, and right ones beside them.

Some of the mistakes are from public code or issues, which `seen` names; the
others we wrote as plausible variations. The table of what each of them breaks
is `MUTANTS`; a test holds the probe to it, answer by answer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import nn

from preact.book.bugs.zoo import mistakes as m
from preact.book.bugs.zoo.right import OriginalNet, PreNet, conv1x1
from preact.book.bugs.zoo.styles import Inlined, with_identity
from preact.conformance.report import Property as P

__all__ = ["MUTANTS", "RIGHT", "Specimen"]
PRE, ORIGINAL = "full-preactivation", "original"


@dataclass(frozen=True)
class Specimen:
    """A network and what is wrong with it.

    Parameters
    ----------
    make : callable
        Makes the network, for 3x32x32 images unless `image` says otherwise.
    breaks : frozenset of Property
        The questions whose answer is no; all others are answered yes, or
        cannot be.
    meant : str
        The row that its author meant.
    seen : str
        The public code or issue that has the mistake; "" if we wrote it as a
        variation.
    image : (int, int, int)
        Channels, height and width of an image that the network takes.

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
    breaks: frozenset[P] = frozenset()
    meant: str = PRE
    seen: str = ""
    image: tuple[int, int, int] = (3, 32, 32)


def mutant(
    make: Callable[[], nn.Module], *breaks: P, **facts: Any
) -> Specimen:
    """Describe a mutant."""
    return Specimen(make, frozenset(breaks), **facts)


RIGHT = {
    "pre-activation": Specimen(PreNet),
    "original": Specimen(OriginalNet, meant=ORIGINAL),
    "inlined": Specimen(Inlined, meant=ORIGINAL),
    "identity-modules": Specimen(with_identity),
}
"""Right networks in other people's ways of writing, by name."""

MUTANTS = {
    "activated-shortcut": mutant(
        *(m.ActivatedShortcut, P.ROW, P.STREAM),
        seen="ilya-30u30-book, chapter 9",
    ),
    "relu-after-sum": mutant(m.ReluAfterSum, P.ROW, P.STREAM),
    "conv-on-every-shortcut": mutant(
        m.built(
            unit={"forward": m.conv_on_every_shortcut}, projection=conv1x1
        ),
        *(P.ROW, P.SHORTCUT),
        seen="torch-resnet, FullProjection",
    ),
    "halved-shortcut": mutant(m.HalvedShortcut, P.ROW, P.SHORTCUT),
    "averaged-sum": mutant(m.AveragedSum, P.ROW, P.STREAM),
    "dropped-shortcut": mutant(
        m.built(unit={"forward": m.dropped_shortcut}), P.ROW, P.SHORTCUT
    ),
    "added-twice": mutant(m.AddedTwice, P.ROW, P.SHORTCUT),
    "detached-shortcut": mutant(m.DetachedShortcut, P.GRADIENT),
    "gated-shortcut": mutant(
        m.built(
            OriginalNet, {"forward": m.gated_shortcut}, gate=m.closed_gate
        ),
        *(P.ROW, P.SHORTCUT),
        meant=ORIGINAL,
    ),
    "ends-in-relu": mutant(m.EndsInRelu, P.ROW, P.SIGN, meant=ORIGINAL),
    "no-relu-inside": mutant(
        m.built(unit={"branch": m.no_relu_inside}), P.ROW
    ),
    "relu-in-place": mutant(
        m.built(
            OriginalNet,
            {"forward": m.relu_in_place},
            {"forward": m.activated_at_the_end},
        ),
        P.ROW,
        meant="relu-only-preactivation",
    ),
    "one-odd-unit": mutant(
        m.edited(m.one_odd_unit), P.SAME, P.SIZE, seen="fb.resnet.torch #36"
    ),
    "shared-units": mutant(m.edited(m.shared_units), P.OWN, P.SIZE),
    "no-final-activation": mutant(
        *(m.NoFinalActivation, P.LAST, P.SIZE),
        seen="pytorch-cifar #137, uvadlc_notebooks #107",
    ),
    "forgotten-final-activation": mutant(
        m.built(net={"forward": m.NoFinalActivation.forward}),
        *(P.LAST, P.UNUSED),
    ),
    "pooled-first": mutant(m.built(net={"forward": m.pooled_first}), P.LAST),
    "doubled-stem": mutant(
        m.DoubledStem, P.FIRST, P.SIZE, seen="cs-kd, pytorch-cifar100"
    ),
    "bare-stem": mutant(
        m.edited(
            m.bare_stem,
            m.built(OriginalNet, net={"forward": m.NoFinalActivation.forward}),
        ),
        *(P.FIRST, P.SIZE),
        meant=ORIGINAL,
    ),
    "raw-projection": mutant(
        *(m.RawProjection, P.WIDTH),
        seen="pytorch-cifar #9, pytorch-classification",
    ),
    "own-activation": mutant(
        m.built(
            unit={"forward": m.RawProjection.unit.forward},
            projection=m.own_projection,
        ),
        *(P.WIDTH, P.SIZE),
        seen="uvadlc_notebooks",
    ),
    "activated-projection": mutant(
        m.edited(m.activated_projections, OriginalNet),
        P.WIDTH,
        meant=ORIGINAL,
    ),
    "missing-projection": mutant(
        m.built(
            unit={"forward": m.missing_projection}, projection=nn.Identity
        ),
        *(P.WIDTH, P.SIZE),
    ),
    "no-stride": mutant(m.edited(m.no_stride), P.STAGES, P.SIZE),
    "narrow-first-stage": mutant(
        *(m.edited(m.narrow_first_stage), P.STAGES, P.SIZE),
        seen="hysts/pytorch_image_classification",
    ),
    "biased-convs": mutant(
        *(m.edited(m.biased_convs), P.BIAS, P.SIZE),
        seen="pytorch-cifar100",
    ),
    "per-image-norm": mutant(
        m.norms(partial(nn.GroupNorm, 1), "bn1", "bn2"),
        *(P.ROW, P.NORM),
        seen="15_identity_mappings_resnet.ipynb",
    ),
    "hand-made-per-image": mutant(
        m.norms(partial(m.HandMadeNorm, (1, 2, 3)), "bn1", "bn2"),
        *(P.ROW, P.NORM),
    ),
    "no-running-statistics": mutant(
        m.norms(partial(nn.BatchNorm2d, track_running_stats=False), "bn1"),
        P.EVALUATION,
    ),
    "hand-made-batch-norm": mutant(
        m.norms(partial(m.HandMadeNorm, (0, 2, 3)), "bn2"), P.EVALUATION
    ),
    "frozen-norm": mutant(m.norms(m.FrozenNorm, "bn1", "bn2"), P.STATISTICS),
    "forgetful-norm": mutant(
        m.norms(partial(nn.BatchNorm2d, momentum=0.0), "bn1"), P.STATISTICS
    ),
    "dropout-in-evaluation": mutant(m.DropoutInEvaluation, P.EVALUATION),
}
"""Networks with one mistake each, by the mistake's name."""
