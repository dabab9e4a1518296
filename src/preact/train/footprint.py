"""How much memory a training step needs, measured; what to do without it.

Chapter `08-training`.
"""

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, get_args

# PyTorch's profiler tells every start and stop of its own; not to our users.
os.environ.setdefault("KINETO_LOG_LEVEL", "6")

import torch
from torch.profiler import ProfilerActivity, profile

from preact.fast import Memory, with_memory
from preact.nn import Network
from preact.plan import NetworkPlan
from preact.train.precision import HALF
from preact.train.run import Run

# What PyTorch's CPU allocator says without memory, and oneDNN.
REFUSALS = ("allocate memory", "could not create a primitive")
T = TypeVar("T")
IMAGES = 2  # a batch just large enough to normalize
LONGEST_S = 600  # that an advice may take
SMALL = 32  # pixels of a side, to be measured as they are


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave Python's garbage collector out of some work.

    A step of a thousand layers makes so many objects that the collector
    runs again and again, and what it finds is never the step's own, which
    goes as soon as nobody needs it. Freed in the midst of a measurement, it
    would be counted as this work's.

    Examples
    --------
    >>> import gc
    >>> from preact.train.footprint import uncollected
    >>> with uncollected():
    ...     gc.isenabled()
    False
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def allocated(work: Callable[[], object]) -> tuple[int, int]:
    """Bytes that some work on the CPU leaves behind, and its peak.

    Counted from PyTorch's own allocator: exact, whatever the system does.
    """
    with profile(
        activities=[ProfilerActivity.CPU], profile_memory=True
    ) as watched:
        result = work()
    now = peak = 0
    for event in watched.profiler.kineto_results.events():
        if event.name() == "[memory]":
            now += event.nbytes()
            peak = max(peak, now)
    del result
    return now, peak


def activation_bytes(plan: NetworkPlan, memory: Memory) -> tuple[int, int]:
    """Bytes for each image of a float32 step, gradients of weights apart.

    Returns
    -------
    kept, peak : int
        What lies between forward and backward pass, and the most at any
        time.
    """
    network = with_memory(Network(plan), memory)
    c, height, width = plan.image
    if min(height, width) < SMALL:
        return network_bytes(network, torch.randn(IMAGES, *plan.image))
    # Bytes are a line in the number of pixels: two small images tell them,
    # where there may be no room for a large one.
    small, large = (
        network_bytes(network, torch.randn(IMAGES, c, height // k, width // k))
        for k in (4, 2)
    )
    kept, peak = (b + (b - a) * 4 for a, b in zip(small, large, strict=True))
    return kept, peak


def network_bytes(
    network: torch.nn.Module, images: torch.Tensor
) -> tuple[int, int]:
    """Bytes for each image of a training step on the CPU: kept, and peak.

    Any network, the gradients of its weights apart.
    """
    network.train()

    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for weight in network.parameters():
        if weight.requires_grad:  # the gradients' own memory comes first
            weight.grad = torch.zeros_like(weight)
    loss: list[torch.Tensor] = []
    with uncollected():
        kept, ahead = allocated(lambda: loss.append(network(images).sum()))
        _, back = allocated(lambda: backward(loss[0]))
    return kept // len(images), max(ahead, kept + back) // len(images)


def peaks(plan: NetworkPlan) -> dict[Memory, int]:
    """Most bytes of activations an image needs, for each option."""
    return {m: activation_bytes(plan, m)[1] for m in get_args(Memory)}


def measure_peaks_in_subprocess(plan: NetworkPlan) -> dict[Memory, int]:
    """Measure in another process: one out of memory has no room for it.

    Empty if there is no room in another process either.
    """
    code = (
        "import pickle, sys; from preact.train.footprint import peaks; "
        "found = peaks(pickle.load(sys.stdin.buffer)); "
        "sys.stdout.buffer.write(pickle.dumps(found))"
    )
    # Nothing may come from the folder where the user stands: -P, and no such
    # entry among the paths, but the one that this package came from.
    home = str(Path(__file__).parents[2])
    here = str(Path.cwd())
    rest = [p for p in sys.path if p and str(Path(p).resolve()) != here]
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", code],
            input=pickle.dumps(plan),
            capture_output=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([*rest, home])},
            check=False,
            timeout=LONGEST_S,
        )
    except subprocess.TimeoutExpired:
        return {}
    if done.returncode:
        return {}
    return pickle.loads(done.stdout)  # type: ignore[no-any-return]


def step_bytes(run: Run, peak: int) -> int:
    """Bytes that one process needs for a step: weights and activations.

    Half precision halves the activations.
    """
    images = run.recipe.batch // run.execution.processes
    width = 0.5 if run.execution.precision in HALF else 1.0
    # A weight is there itself, as gradient and as momentum.
    return int(12 * run.plan.parameters + width * peak * images)


def with_oom_advice(work: Callable[[], T], run: Run, device: str) -> T:
    """Do some work; answer "out of memory" with the option that would fit.

    Raises
    ------
    MemoryError
        In place of PyTorch's own error; names the options and their bytes.
    """
    try:
        return work()
    except torch.OutOfMemoryError:
        pass
    except RuntimeError as error:
        if not any(words in str(error) for words in REFUSALS):
            raise
    gc.collect()  # what the failed step held is free now, the error gone
    raise MemoryError(_advice(run, device))


def _advice(run: Run, device: str) -> str:
    """Compare what each option needs with what there is."""
    peaks = measure_peaks_in_subprocess(run.plan)
    needs = {memory: step_bytes(run, peak) for memory, peak in peaks.items()}
    mine = run.execution.memory
    text = (
        f"out of memory: a step of {run.recipe.batch} images with --memory "
        f"{mine}"
    )
    if not needs:
        others = [f"--memory {m}" for m in get_args(Memory) if m != mine]
        return f"{text} does not fit; try {', '.join(others)}"
    text += f" needs about {_gb(needs[mine])}"
    less = {m: n for m, n in needs.items() if n < needs[mine]}
    if device.startswith("cuda"):
        free, _ = torch.cuda.mem_get_info()
        free += torch.cuda.memory_reserved()
        text += f", {_gb(free)} are there"
        less = {m: n for m, n in less.items() if n < free}
    if not less:
        return text + "; no option needs less: use a smaller network or batch"
    listed = ", ".join(f"--memory {m} ({_gb(n)})" for m, n in less.items())
    return f"{text}; use {listed}"


def _gb(n: int) -> str:
    """Bytes in words."""
    return f"{n / 1e9:.2f} GB"
