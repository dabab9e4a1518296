"""Probe any residual network, whoever wrote it."""

import random
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from math import inf

import numpy as np
import torch
from torch import Tensor, nn

from preact.conformance.anatomy import Anatomy, take_apart
from preact.conformance.checks import answers
from preact.conformance.graph import Graph
from preact.conformance.measure import distance, judge, measure, tells
from preact.conformance.network import TracedNetwork
from preact.conformance.report import Report
from preact.conformance.trace import Refusal, See, Zero, trace
from preact.conformance.words import evidence_sentence
from preact.spec import find_row
from preact.strings import Strings
from preact.typed import raised

BATCH = 2  # two images: BN has statistics, and one can be told from another
SEED = 0
RETRIES = 6  # passes to find out whether modes differ, or chance


def probe(
    module: nn.Module,
    image: Sequence[int] = (3, 32, 32),
    *,
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
    shape = tuple(image)
    if not 1 <= len(shape) <= 4 or not all(
        type(side) is int and side > 0 for side in shape
    ):
        raise ValueError(
            "image must be one to four positive whole numbers, such as "
            f"(3, 32, 32); got {image!r}"
        )
    network = _traced(module, shape, row)
    return Report(
        network=name or type(module).__name__,
        image=network.image,
        unit=network.unit,
        row=network.row,
        meant=row,
        units=len(network.units),
        stages=network.counts,
        additions=network.additions,
        parameters=network.parameters,
        multiply_adds=network.multiply_adds,
        findings=tuple(answers(network)),
    )


def _traced(
    module: nn.Module, shape: tuple[int, ...], row: str
) -> TracedNetwork:
    """Look at a network; whatever it raises becomes one sentence."""
    try:
        with (
            preserve_state(module),
            torch.compiler.set_stance("force_eager"),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")  # its own, where they are errors
            return _look(module, images(module, shape), row)
    except (KeyboardInterrupt, Refusal):
        raise
    except BaseException as error:  # a network may raise what it wants
        mode = "training" if module.training else "evaluation"
        raise ValueError(
            f"the network must take a batch of {BATCH} inputs of "
            f"{'x'.join(map(str, shape))} (`--image` gives another shape) in "
            f"{mode} mode, each time anew; it raised {raised(error)}"
        ) from error


@contextmanager
def preserve_state(module: nn.Module) -> Iterator[None]:
    """Put back modes, buffers, gradients and random numbers at the end.

    Parameters are only read. Buffers are the same tensors with the same
    values as before, even where the network replaced them.
    """
    modules = list(module.modules())
    modes = [one.training for one in modules]
    buffers = [
        {
            name: (buffer, None if buffer is None else buffer.detach().clone())
            for name, buffer in one._buffers.items()
        }
        for one in modules
    ]
    gradients = [(p, p.grad) for p in module.parameters()]
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    fused = torch.backends.mha.get_fastpath_enabled()
    devices = {p.device for p, _ in gradients if p.device.type == "cuda"}
    try:
        # In evaluation, a whole transformer layer would be one operation.
        torch.backends.mha.set_fastpath_enabled(False)
        with torch.random.fork_rng(sorted(devices, key=str)):
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fused)
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002
        with torch.no_grad():
            for one, mode, kept in zip(modules, modes, buffers, strict=True):
                one.training = mode
                for name, (buffer, value) in kept.items():
                    if buffer is not None and value is not None:
                        buffer.copy_(value)
                    one._buffers[name] = buffer
        for parameter, gradient in gradients:
            parameter.grad = gradient


def images(module: nn.Module, shape: tuple[int, ...]) -> Tensor:
    """Two random images of the module's precision, on its device."""
    floats = [p for p in module.parameters() if p.is_floating_point()]
    like = floats[0] if floats else torch.empty(0)
    generator = torch.Generator().manual_seed(SEED)
    return torch.randn((BATCH, *shape), generator=generator).to(like)


def _seed_all() -> None:
    """Seed all random numbers that a network may draw."""
    torch.manual_seed(SEED)
    random.seed(SEED)
    np.random.seed(SEED)  # noqa: NPY002


def _look(module: nn.Module, x: Tensor, row: str) -> TracedNetwork:
    """Look at a network in training, then in evaluation."""
    for name, p in module.named_parameters():
        if p.is_meta:
            raise Refusal(
                "the network must have weights; it is on device meta"
            )
        if not p.isfinite().all():
            raise Refusal(
                f"the network must have finite weights; {name} has others"
            )
    training = _read(module.train(), x, row)
    if not training.units:
        raise Refusal(
            f"none of the network's {training.additions} additions has a "
            "shortcut beside a branch with weights; no residual unit was found"
        )
    # Which row is meant is asked of training: a BN that somebody has written
    # by hand is a shift and a scale in evaluation.
    evaluation = _read(module.eval(), x, "")
    if len(training.units) != len(evaluation.units):  # unless by chance
        module.train()
        graphs = [trace(module, x)[0] for _ in range(RETRIES)]
        if not all(map(training.graph.is_like, graphs)):
            training = replace(training, steady=False)
    return replace(training, evaluation=evaluation)


def _read(module: nn.Module, x: Tensor, row: str) -> TracedNetwork:
    """Trace two passes in one mode, and measure.

    Random numbers are not drawn alike: whoever evaluates an image twice does
    not seed either.
    """
    _seed_all()
    graph, first = trace(module, x)
    again, second = trace(module, x)
    graph.note_chance(again)

    def run(see: See, zero: Zero) -> Graph:
        """Trace it with the same random numbers."""
        _seed_all()
        return trace(module, x, see, zero)[0]

    anatomy = take_apart(graph)
    if judge(anatomy, run):
        anatomy = take_apart(graph)
    return TracedNetwork(
        **{one.name: getattr(anatomy, one.name) for one in fields(Anatomy)},
        image=tuple(x.shape[1:]),
        meant=row,
        values={n: p.detach() for n, p in module.named_parameters()},
        measured=measure(anatomy, run),
        used=frozenset(graph.used | again.used),
        steady=graph.is_like(again),
        drift=_drift(first, second),
    )


def _drift(first: list[Tensor], second: list[Tensor]) -> float:
    """How far results differ, relative to the largest; 0 if by rounding."""
    if [x.shape for x in first] != [y.shape for y in second]:
        return inf
    most = 0.0
    for x, y in zip(first, second, strict=True):
        if x.is_floating_point() and tells(x):
            by = distance(y, x)
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
        evidence = evidence_sentence(finding, Strings("en"))
        places = ", ".join(finding.places[:3]) or "all units"
        assert finding.verdict == "yes", (
            f"{name}: {finding.verdict}, {evidence} "
            f"({finding.source}); {places}"
        )
