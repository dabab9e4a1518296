"""Kernels prove themselves on a GPU before anybody relies on them.

The first time that a kind of GPU is met, small networks take a forward and a
backward pass in three ways: by the kernels, by PyTorch on the same device in
the same precision, and in float64. The kernels are used if they err no more
than PyTorch does, up to a factor that the draws of a network explain. The
outcome is kept beside the C kernels, under a hash of GPU, driver, PyTorch,
Triton and the kernels' own source.

Chapter `08-training`.
"""

import hashlib
import json
import logging
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.fast.cpu.build import trusted_cache
from preact.nn.network import Network
from preact.plan import NetworkPlan, cifar_plan
from preact.spec import TABLE_2

FACTOR = 8  # by which errors of two correct ways differ, at most
NETWORKS = (14, 2), (20, 3)  # depths and convolutions per unit
DRAWS = 5  # a ReLU within rounding of zero spoils one, not the median
Precision = Literal["float32", "tf32", "bfloat16", "float16"]
EPS: dict[Precision, float] = {
    "float32": 2.0**-23,
    "tf32": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float16": 2.0**-10,
}
HALF = {"bfloat16": torch.bfloat16, "float16": torch.float16}
Parts = tuple[Tensor, ...]
View = Callable[[Network], nn.Module]
log = logging.getLogger("preact")


class Compared(NamedTuple):
    """Errors relative to float64's largest number, medians over draws.

    Attributes
    ----------
    network : str
        Such as "ResNet-20-3 at 16x16".
    precision : {"float32", "tf32", "bfloat16", "float16"}
    part : {"logits", "gradients", "statistics"}
    ours, pytorch : float
    """

    network: str
    precision: Precision
    part: str
    ours: float
    pytorch: float

    @property
    def agrees(self) -> bool:
        """Whether ours errs no more; NaN never agrees."""
        return self.ours <= FACTOR * max(self.pytorch, EPS[self.precision])


def compare(
    view: View,
    plan: NetworkPlan,
    *,
    device: torch.device,
    precision: Precision,
    images: int = 8,
    draws: int = DRAWS,
) -> list[Compared]:
    """Compare a view of a network with PyTorch and with float64.

    Parameters
    ----------
    view : function
        From a network to what computes the same in another way.
    plan : NetworkPlan
        Of at most 29 layers: deeper networks are chaotic in any precision.
    precision : {"float32", "tf32", "bfloat16", "float16"}
        float32 proper, TF32 in matrix products and convolutions, which
        other devices than GPUs do not know, or a half, by autocast.

    Returns
    -------
    list of Compared
        One for logits, gradients and statistics each.
    """
    errors: dict[str, tuple[list[float], list[float]]] = {}
    for seed in range(draws):
        with torch.random.fork_rng(devices=[]):
            exact, plain, ours = (Network(plan, seed) for _ in range(3))
        wanted_parts = _learn(
            exact.double(), torch.device("cpu"), None, images
        )
        networks = (view(ours.to(device)), plain.to(device))
        tries = [_learn(n, device, precision, images) for n in networks]
        for part, wanted in wanted_parts.items():
            ends = errors.setdefault(part, ([], []))
            for end, got in zip(ends, tries, strict=True):
                end.append(_error(got[part], wanted))
    name = (
        f"ResNet-{plan.depth}-{plan.convs} at {plan.image[1]}x{plan.image[2]}"
    )
    return [
        Compared(name, precision, part, *map(statistics.median, both))
        for part, both in errors.items()
    ]


def _learn(
    network: nn.Module,
    device: torch.device,
    precision: Precision | None,
    images: int,
) -> dict[str, Parts]:
    """One forward and backward pass of the same images."""
    parameters = list(network.parameters())
    rng = torch.Generator().manual_seed(0)
    plan: NetworkPlan = network.plan  # type: ignore[assignment]
    x = torch.randn(images, *plan.image, generator=rng, dtype=torch.float64)
    y = torch.randint(0, plan.classes, (images,), generator=rng)
    x = x.to(device, parameters[0].dtype)
    x = x.contiguous(memory_format=torch.channels_last)
    half, tf32 = HALF.get(precision or ""), precision == "tf32"
    with (
        _matmul(tf32=tf32),
        torch.inference_mode(False),
        torch.enable_grad(),
        torch.autocast(device.type, half, enabled=half is not None),
        torch.backends.cudnn.flags(enabled=True, allow_tf32=tf32),
    ):
        logits = network(x)
        loss = nnf.cross_entropy(logits.to(x.dtype), y.to(device))
        gradients = torch.autograd.grad(loss, parameters)
    return {
        "logits": (logits.detach(),),
        "gradients": gradients,
        "statistics": tuple(network.buffers()),
    }


@contextmanager
def _matmul(*, tf32: bool) -> Iterator[None]:
    """Matrix products with or without TF32; afterwards as before."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = tf32
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


def _error(ours: Sequence[Tensor], exact: Sequence[Tensor]) -> float:
    """Of the worst tensor, relative to its largest number."""
    errors = [
        (a.cpu().double() - b).abs().max() / b.abs().max()
        for a, b in zip(ours, exact, strict=True)
        if b.is_floating_point()
    ]
    return float(torch.stack(errors).max())  # NaN, if there is one


def prove(view: View, device: torch.device) -> list[Compared]:
    """Compare a view on a device; on a GPU, seconds of compiling."""
    on_gpu = device.type == "cuda"
    kinds: tuple[Precision, ...] = tuple(EPS) if on_gpu else ("float32",)
    # Few pixels are exact: no ReLU is likely to be within rounding of zero.
    # Many are shared out among programs, which few are not.
    sizes = ((16, 4), (32, 32)) if on_gpu else ((16, 4),)
    rows = []
    for (depth, convs), (side, images) in product(NETWORKS, sizes):
        plan = cifar_plan(
            TABLE_2["full-preactivation"],
            depth=depth,
            convs=convs,
            image=(3, side, side),
        )
        for precision in kinds:
            rows += compare(
                view, plan, device=device, precision=precision, images=images
            )
    return rows


def is_proved(view: View, device: torch.device) -> bool:
    """Whether the kernels may be used on a GPU; if not, the log says why."""
    return all(row.agrees for row in proof(view, device)[0])


@cache
def proof(view: View, device: torch.device) -> tuple[list[Compared], str]:
    """Compare a device's kernels, or read what came of it before.

    Parameters
    ----------
    view : function
        From a network to one that runs them.

    Returns
    -------
    rows : list of Compared
    sentence : str
        What they come to; logged as a warning if the kernels are off.
    """
    if device.type != "cuda":
        rows = prove(view, device)
        return rows, verdict(rows, "processor")
    known = about(device)
    rows = outcome(known, partial(_tried, view, device))
    sentence = verdict(rows, known["gpu"])
    if not all(row.agrees for row in rows):
        log.warning(sentence)
    return rows, sentence


def _tried(view: View, device: torch.device) -> list[Compared]:
    """Compare; what cannot be compiled or run does not agree."""
    try:
        return prove(view, device)
    except Exception as error:  # whatever a compiler may throw
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        return [Compared("all networks", "float32", reason, math.nan, 0.0)]


def verdict(rows: Sequence[Compared], name: str) -> str:
    """One sentence about a comparison."""
    wrong = [row for row in rows if not row.agrees]
    if wrong:
        worst = wrong[0]
        return (
            f"the kernels of `fast` are off on this {name}: their error in "
            f"{worst.part} ({worst.network}, {worst.precision}) is "
            f"{worst.ours:.2g}, PyTorch's own {worst.pytorch:.2g}; on a GPU "
            "`fast` then runs PyTorch's operations"
        )
    return (
        f"the kernels of `fast` were compared with float64 on this {name}: "
        f"in {len(rows)} comparisons they err no more than {FACTOR} times as "
        "much as PyTorch"
    )


def about(device: torch.device) -> dict[str, str]:
    """All that an outcome may depend on."""
    source = hashlib.sha256()
    for folder in ("preact.fast", "preact.fast.gpu"):
        for file in sorted(files(folder).iterdir(), key=lambda f: f.name):
            if file.name.endswith(".py"):
                source.update(file.read_bytes())
    return {
        "gpu": torch.cuda.get_device_name(device),
        "capability": str(torch.cuda.get_device_capability(device)),
        "cuda": str(torch.version.cuda),
        "driver": str(getattr(torch._C, "_cuda_getDriverVersion", str)()),
        "torch": torch.__version__,
        "triton": version("triton"),
        "source": source.hexdigest(),
    }


def outcome(
    known: dict[str, str], find_out: Callable[[], list[Compared]]
) -> list[Compared]:
    """Read what was found out before, or find it out and keep it.

    Parameters
    ----------
    known : dict
        All that it depends on.
    """
    text = json.dumps(known, sort_keys=True)
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    folder = trusted_cache()
    path = folder / f"gpu-{name}.json" if folder else None
    rows = _read(path, known)
    if rows is None:
        rows = find_out()
        _write(path, known, rows)
    return rows


def _read(path: Path | None, known: dict[str, str]) -> list[Compared] | None:
    """Outcome kept before; None if there is none, or a damaged one."""
    try:
        kept = json.loads(path.read_text("utf-8")) if path else {}
        if kept["about"] != known:
            return None
        return [Compared(**row) for row in kept["rows"]] or None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(
    path: Path | None, known: dict[str, str], rows: Sequence[Compared]
) -> None:
    """Keep an outcome, whole or not at all."""
    if path is None:
        return
    text = json.dumps({"about": known, "rows": [r._asdict() for r in rows]})
    aside = path.with_suffix(".new")
    try:
        aside.write_text(text, "utf-8")
        aside.replace(path)
    except OSError as error:
        log.warning("the outcome is not kept: %s", error)
