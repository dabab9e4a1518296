"""Mutants: networks with one mistake each, and right ones beside them.

Some of the mistakes are from public code or issues, which `seen` names; the
others we wrote as plausible variations. The table of what each of them breaks
is `MUTANTS`; a test holds the probe to it, answer by answer.
"""

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from preact.book.bugs.zoo import boundaries, interior, layers
from preact.book.bugs.zoo.right import OriginalNet, PreNet
from preact.book.bugs.zoo.styles import STYLES
from preact.conformance.report import Property as P

__all__ = ["MUTANTS", "RIGHT", "Specimen"]
PRE, ORIGINAL = "full-preactivation", "original"


@dataclass(frozen=True, kw_only=True)
class Specimen:
    """A network and what is wrong with it.

    Parameters
    ----------
    make : callable
        Makes the network, for 3x32x32 images unless `image` says otherwise.
    meant : str
        The row that its author meant.
    breaks : frozenset of Property
        The questions whose answer is no; all others are answered yes, or
        cannot be.
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
    meant: str = PRE
    breaks: frozenset[P] = frozenset()
    seen: str = ""
    image: tuple[int, int, int] = (3, 32, 32)


def mutant(
    make: Callable[[], nn.Module], *breaks: P, meant: str = PRE, seen: str = ""
) -> Specimen:
    """Describe a mutant."""
    return Specimen(
        make=make, meant=meant, breaks=frozenset(breaks), seen=seen
    )


RIGHT = {
    "pre-activation": Specimen(make=PreNet),
    "original": Specimen(make=OriginalNet, meant=ORIGINAL),
    **{
        name: Specimen(make=make, meant=meant)
        for name, (make, meant) in STYLES.items()
    },
}
"""Right networks in other people's ways of writing, by name."""

MUTANTS = {
    "activated-shortcut": mutant(
        interior.ActivatedShortcut,
        P.ROW,
        P.STREAM,
        seen="ilya-30u30-book, chapter 9",
    ),
    "relu-after-sum": mutant(interior.ReluAfterSum, P.ROW, P.STREAM),
    "conv-on-every-shortcut": mutant(
        interior.ConvOnEveryShortcut,
        P.ROW,
        P.SHORTCUT,
        seen="torch-resnet, FullProjection",
    ),
    "halved-shortcut": mutant(interior.HalvedShortcut, P.ROW, P.SHORTCUT),
    "averaged-sum": mutant(interior.AveragedSum, P.ROW, P.STREAM),
    "dropped-shortcut": mutant(interior.DroppedShortcut, P.ROW, P.SHORTCUT),
    "added-twice": mutant(interior.AddedTwice, P.ROW, P.SHORTCUT),
    "detached-shortcut": mutant(interior.DetachedShortcut, P.GRADIENT),
    "gated-shortcut": mutant(
        interior.GatedShortcut, P.ROW, P.SHORTCUT, meant=ORIGINAL
    ),
    "ends-in-relu": mutant(interior.EndsInRelu, P.ROW, P.SIGN, meant=ORIGINAL),
    "no-relu-inside": mutant(interior.NoReluInside, P.ROW),
    "relu-in-place": mutant(
        interior.ReluInPlace, P.ROW, meant="relu-only-preactivation"
    ),
    "one-odd-unit": mutant(
        interior.OneOddUnit, P.SAME, P.SIZE, seen="fb.resnet.torch #36"
    ),
    "shared-units": mutant(interior.SharedUnits, P.OWN, P.SIZE),
    "no-final-activation": mutant(
        boundaries.NoFinalActivation,
        P.LAST,
        P.SIZE,
        seen="pytorch-cifar #137, uvadlc_notebooks #107",
    ),
    "forgotten-final-activation": mutant(
        boundaries.ForgottenFinalActivation, P.LAST, P.UNUSED
    ),
    "pooled-first": mutant(boundaries.PooledFirst, P.LAST),
    "doubled-stem": mutant(
        boundaries.DoubledStem,
        P.FIRST,
        P.SIZE,
        seen="cs-kd, pytorch-cifar100",
    ),
    "bare-stem": mutant(boundaries.BareStem, P.FIRST, P.SIZE, meant=ORIGINAL),
    "raw-projection": mutant(
        boundaries.RawProjection,
        P.WIDTH,
        seen="pytorch-cifar #9, pytorch-classification",
    ),
    "own-activation": mutant(
        boundaries.OwnActivation, P.WIDTH, P.SIZE, seen="uvadlc_notebooks"
    ),
    "activated-projection": mutant(
        boundaries.ActivatedProjection, P.WIDTH, meant=ORIGINAL
    ),
    "missing-projection": mutant(
        boundaries.MissingProjection, P.WIDTH, P.SIZE
    ),
    "no-stride": mutant(boundaries.NoStride, P.STAGES, P.SIZE),
    "narrow-first-stage": mutant(
        boundaries.NarrowFirstStage,
        P.STAGES,
        P.SIZE,
        seen="hysts/pytorch_image_classification",
    ),
    "biased-convs": mutant(
        layers.BiasedConvs, P.BIAS, P.SIZE, seen="pytorch-cifar100"
    ),
    "per-image-norm": mutant(
        layers.PerImageNorm,
        P.ROW,
        P.NORM,
        seen="15_identity_mappings_resnet.ipynb",
    ),
    "hand-made-per-image": mutant(layers.HandMadePerImage, P.ROW, P.NORM),
    "no-running-statistics": mutant(layers.NoRunningStatistics, P.EVALUATION),
    "hand-made-batch-norm": mutant(layers.HandMadeBatchNorm, P.EVALUATION),
    "frozen-norm": mutant(layers.FrozenNorm, P.STATISTICS),
    "forgetful-norm": mutant(layers.ForgetfulNorm, P.STATISTICS),
    "dropout-in-evaluation": mutant(layers.DropoutInEvaluation, P.EVALUATION),
}
"""Networks with one mistake each, by the mistake's name."""
