"""Probe any residual network, whoever wrote it."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from preact.conformance.anatomy import Anatomy, take_apart
from preact.conformance.case import Case
from preact.conformance.checks import CHECKS
from preact.conformance.measure import judge, measure, runner
from preact.conformance.report import Report
from preact.conformance.trace import trace
from preact.conformance.untouched import untouched
from preact.spec import find_row

BATCH = 2  # two images: BN has statistics, and one can be told from another
SEED = 0


def probe(
    module: nn.Module,
    image: Sequence[int] = (3, 32, 32),
    *,
    inputs: Sequence[Tensor] | None = None,
    row: str = "",
    name: str = "",
) -> Report:
    """Run a network a few times and report which residual unit it is.

    Parameters
    ----------
    module : nn.Module
        Any network, or part of one. It is left as it was: parameters,
        buffers, modes, hooks, gradients and random numbers.
    image : sequence of int
        Shape of one input without the batch: channels, height, width of an
        image, or tokens and width of a transformer's block.
    inputs : sequence of Tensor, optional
        What to call the module with, instead of random images; the batch is
        the first dimension of each, and should be 2 or more.
    row : str
        The row of `preact.spec.ROWS` that it is meant to be, if any: to be
        another one is then a fault.
    name : str
        What the report calls it; by default its class.

    Returns
    -------
    Report
        One finding for each property; what cannot be seen is
        `Verdict.UNKNOWN`, never a guess.

    Raises
    ------
    TypeError
        If `module` is no module.
    ValueError
        If it does not take such an input, or adds no two signals; or there
        is no such row.

    Examples
    --------
    >>> from preact.conformance import probe
    >>> from preact.conformance.zoo import RIGHT
    >>> network = RIGHT["original"].make()  # any torch.nn.Module
    >>> report = probe(network, image=(3, 8, 8))
    >>> report.row, report["identity-shortcut"].verdict.value
    ('original', 'yes')
    """
    if not isinstance(module, nn.Module):
        raise TypeError(
            f"module must be a torch.nn.Module; got {type(module).__name__}"
        )
    if row:
        find_row(row)
    shape = checked_image(image)
    if inputs is None:
        inputs = [images(module, shape)]
    else:
        shape = tuple(inputs[0].shape[1:])
    with untouched(module), torch.compiler.set_stance("force_eager"):
        case = look(module, tuple(inputs), shape, row)
    findings = [check(case) for check in CHECKS]
    return Report(
        network=name or type(module).__name__,
        image=shape,
        unit=case.unit,
        row=case.row,
        meant=row,
        units=len(case.units),
        stages=tuple(count for _, count in case.stages),
        parameters=case.parameters,
        multiply_adds=case.multiply_adds,
        findings=tuple(one for one in findings if one is not None),
    )


def checked_image(image: Sequence[int]) -> tuple[int, ...]:
    """Refuse what is no shape."""
    shape = tuple(image)
    if not 1 <= len(shape) <= 4 or not all(
        type(side) is int and side > 0 for side in shape
    ):
        raise ValueError(
            "image must be one to four positive whole numbers, such as "
            f"(3, 32, 32); got {image!r}"
        )
    return shape


def images(module: nn.Module, shape: tuple[int, ...]) -> Tensor:
    """Two random images of the module's precision, on its device."""
    first = next(
        (p for p in module.parameters() if p.is_floating_point()), None
    )
    device = first.device if first is not None else torch.device("cpu")
    dtype = first.dtype if first is not None else torch.float32
    random = torch.Generator().manual_seed(SEED)
    drawn = torch.randn((BATCH, *shape), generator=random)
    return drawn.to(device, dtype)


def look(
    module: nn.Module,
    inputs: tuple[Tensor, ...],
    shape: tuple[int, ...],
    row: str,
) -> Case:
    """Trace it in both modes, and measure.

    Raises
    ------
    ValueError
        If there is no residual unit.
    """
    run = runner(module, inputs, SEED)
    training = _take(module.train(), inputs, shape)
    if judge(training, run):
        training = take_apart(training.graph)
    if not training.additions:
        raise ValueError(
            "the network must add two signals somewhere, as a residual unit "
            "does; no addition was found"
        )
    if not training.units:
        raise ValueError(
            f"none of the network's {training.additions} additions has a "
            "shortcut beside a branch with weights; no residual unit was found"
        )
    measured = measure(training, run)
    evaluation = _take(module.eval(), inputs, shape)
    judge(evaluation, runner(module, inputs, SEED))
    return Case(
        image=shape,
        meant=row,
        values=dict(module.named_parameters()),
        training=training,
        evaluation=evaluation,
        measured=measured,
    )


def _take(
    module: nn.Module, inputs: tuple[Tensor, ...], shape: tuple[int, ...]
) -> Anatomy:
    """Trace one pass and take it apart."""
    torch.manual_seed(SEED)
    try:
        with torch.set_grad_enabled(module.training):
            graph = trace(module, inputs)
    except Exception as error:
        mode = "training" if module.training else "evaluation"
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ValueError(
            f"the network must take {BATCH} inputs of "
            f"{'x'.join(map(str, shape))} in {mode} mode; "
            f"it answered: {reason}"
        ) from error
    return take_apart(graph)


def assert_identity_shortcuts(
    module: nn.Module, image: Sequence[int] = (3, 32, 32), *, row: str = ""
) -> None:
    """Fail unless every shortcut that keeps the shape is the identity.

    For a test of your own; the stream between the units must be free of
    normalization too, or the shortcuts are no identities end to end.

    Raises
    ------
    AssertionError
        With the first unit where it is not so.
    ValueError, TypeError
        As `probe`.

    Examples
    --------
    >>> from preact.conformance import assert_identity_shortcuts
    >>> from preact.conformance.zoo import MUTANTS, RIGHT
    >>> right, wrong = RIGHT["pre-activation"], MUTANTS["halved-shortcut"]
    >>> assert_identity_shortcuts(right.make(), (3, 8, 8))
    >>> try:
    ...     assert_identity_shortcuts(wrong.make(), (3, 8, 8))
    ... except AssertionError as error:
    ...     str(error)[:22]
    'identity-shortcut: no,'
    """
    report = probe(module, image, row=row)
    for name in ("identity-shortcut", "clear-stream", "gradient"):
        finding = report[name]
        places = ", ".join(finding.places[:3]) or "all units"
        assert finding.verdict == "yes", (
            f"{name}: {finding.verdict}, {finding.reason} "
            f"({finding.source}); {places}; "
            f"{dict(finding.evidence)}"
        )
