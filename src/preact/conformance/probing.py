"""Probe any residual network, whoever wrote it."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from math import inf

import torch
from torch import Tensor, nn

from preact.conformance.anatomy import Anatomy, take_apart
from preact.conformance.case import Case, are_different
from preact.conformance.checks import answers
from preact.conformance.graph import Graph
from preact.conformance.measure import (
    Run,
    judge,
    measure,
    one_pass,
    runner,
    sow,
    tells,
)
from preact.conformance.report import Report
from preact.conformance.trace import Refusal
from preact.conformance.untouched import untouched
from preact.spec import find_row

BATCH = 2  # two images: BN has statistics, and one can be told from another
SEED = 0
RETRIES = 6  # passes to find out whether modes differ, or chance


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
    >>> from preact import Network, cifar_plan
    >>> from preact.conformance import probe
    >>> plan = cifar_plan("original", depth=20, convs=2)
    >>> network = Network(plan, seed=0)  # or any other torch.nn.Module
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
    case = taken_apart(module, checked_image(image), inputs, row)
    return Report(
        network=name or type(module).__name__,
        image=case.image,
        unit=case.unit,
        row=case.row,
        meant=row,
        units=len(case.units),
        stages=tuple(count for _, count in case.stages),
        additions=case.training.additions,
        parameters=case.parameters,
        multiply_adds=case.multiply_adds,
        findings=tuple(answers(case)),
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


def taken_apart(
    module: nn.Module,
    shape: tuple[int, ...],
    inputs: Sequence[Tensor] | None,
    row: str,
) -> Case:
    """Look at a network, whatever it does instead of answering.

    Raises
    ------
    ValueError
        In one sentence, if it raises or leaves.
    """
    if inputs is not None:
        if not inputs or not all(isinstance(x, Tensor) for x in inputs):
            raise ValueError(
                f"inputs must be one or more tensors; got {inputs!r:.60}"
            )
        shape = tuple(inputs[0].shape[1:])
    try:
        with (
            untouched(module),
            torch.compiler.set_stance("force_eager"),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")  # its own, where they are errors
            given = inputs or [images(module, shape)]
            return look(module, tuple(given), shape, row)
    except (KeyboardInterrupt, Refusal):
        raise
    except BaseException as error:  # a network may raise what it wants
        reason = " ".join(str(error).split())[:200]
        mode = "training" if module.training else "evaluation"
        raise ValueError(
            f"the network must take {BATCH} inputs of "
            f"{'x'.join(map(str, shape))} in {mode} mode, time and again; "
            f"it answered: {type(error).__name__}: {reason}"
        ) from error


def look(
    module: nn.Module,
    inputs: tuple[Tensor, ...],
    shape: tuple[int, ...],
    row: str,
) -> Case:
    """Trace it twice in both modes, and measure.

    Raises
    ------
    Refusal
        If there is no residual unit, or nothing to run.
    """
    if any(p.is_meta for p in module.parameters()):
        raise Refusal("the network must have weights; it is on device meta")
    module.train()
    run = runner(module, inputs, SEED)
    training, graphs, _ = read(module, inputs, run)
    if not training.additions:
        raise Refusal(
            "the network must add two signals somewhere, as a residual unit "
            "does; no addition was found"
        )
    if not training.units:
        raise Refusal(
            f"none of the network's {training.additions} additions has a "
            "shortcut beside a branch with weights; no residual unit was found"
        )
    measured = measure(training, run)
    module.eval()
    evaluation, passes, drift = read(module, inputs, run)
    differs = are_different(training, evaluation)
    if differs:
        module.train()
        graphs += [one_pass(module, inputs)[0] for _ in range(RETRIES)]
        for graph in graphs:
            training.graph.note_chance(graph)
        training = take_apart(training.graph)
        differs = are_different(training, evaluation)
    steady = all(
        mode.graph.is_like(graph)
        for mode, traced in ((training, graphs), (evaluation, passes))
        for graph in traced
    )
    used = frozenset().union(*(g.used for g in (*graphs, *passes)))
    case = Case(
        image=shape,
        meant=row,
        values={n: p.detach() for n, p in module.named_parameters()},
        training=training,
        evaluation=evaluation,
        measured=measured,
        used=used,
        steady=steady,
        drift=drift,
    )
    if not differs:
        return case
    module.eval()
    other = measure(evaluation, run)
    there = replace(case, training=evaluation, measured=other)
    return replace(case, other=there)


def read(
    module: nn.Module, inputs: tuple[Tensor, ...], run: Run
) -> tuple[Anatomy, list[Graph], float]:
    """Trace two passes in one mode, and take the first apart.

    Returns
    -------
    Anatomy, list of Graph, float
        And how far the two results differ. Random numbers are not drawn
        alike: whoever evaluates an image twice does not seed either.
    """
    sow(SEED)
    (graph, first), (again, second) = (
        one_pass(module, inputs) for _ in range(2)
    )
    graph.note_chance(again)
    anatomy = take_apart(graph)
    if judge(anatomy, run):
        anatomy = take_apart(graph)
    return anatomy, [graph, again], distance(first, second)


def distance(first: list[Tensor], second: list[Tensor]) -> float:
    """How far results differ, relative to the largest; 0 if by rounding."""
    if [x.shape for x in first] != [y.shape for y in second]:
        return inf
    most = 0.0
    for x, y in zip(first, second, strict=True):
        if x.numel() and x.is_floating_point() and tells(x):
            by = ((x - y).abs().max() / x.abs().max()).item()
            rounded = min(100 * torch.finfo(x.dtype).eps, 0.05)
            most = max(most, by if not by <= rounded else 0.0)
    return most


def assert_identity_shortcuts(
    module: nn.Module, image: Sequence[int] = (3, 32, 32), *, row: str = ""
) -> None:
    """Fail unless every shortcut that keeps the shape is the identity.

    For a test of your own; the stream between the units must be free of
    normalization too, or the shortcuts are no identities end to end.

    Parameters
    ----------
    module : torch.nn.Module
        Any network; it is left as it was.
    image : sequence of int
        Shape of one input without the batch; of an image channels, height and
        width.
    row : str
        Key of `preact.spec.ROWS` that is meant; "" if none is.

    Raises
    ------
    AssertionError
        With the first unit where it is not so.
    ValueError, TypeError
        As `probe`.

    Examples
    --------
    >>> from preact import Network, cifar_plan
    >>> from preact.conformance import assert_identity_shortcuts
    >>> def network(row):
    ...     return Network(cifar_plan(row, depth=20, convs=2), seed=0)
    >>> assert_identity_shortcuts(network("full-preactivation"), (3, 8, 8))
    >>> try:
    ...     assert_identity_shortcuts(network("dropout-shortcut"), (3, 8, 8))
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
