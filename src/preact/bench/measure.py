"""Times of a training step and of a forward pass, taken by turns.

Chapter `08-training`.
"""

import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any

import torch

from preact.bench.contestants import Contestant
from preact.bench.errors import FACTOR, Compared, compare
from preact.bench.timed_network import Facts, TimedNetwork, timed
from preact.bench.worker_process import WorkerProcess
from preact.fast import fast
from preact.plan import NetworkPlan, cifar_plan


@dataclass
class Measured:
    """A contestant, and the seconds of each round.

    Parameters
    ----------
    name : str
        Of the contestant: package and settings.
    peer : bool
        Whether it is another package as shipped.
    facts : Facts
        Parameters, bytes per image, launches and seconds of the first step.
    train_s : list of float
        Seconds of a training step, in each round.
    forward_s : list of float
        Seconds of a forward pass in evaluation, in each round.

    Examples
    --------
    >>> from preact.bench import Measured
    >>> from preact.bench.timed_network import Facts
    >>> facts = Facts(1_703_258, 2.5, None, 25_000_000, 0, bn_batch=32)
    >>> mine = Measured("mine", False, facts, [0.2, 0.1, 0.4], [0.05])
    >>> mine.summary()["train_ms_min"], mine.summary()["train_ms_median"]
    (100.0, 200.0)
    """

    name: str
    peer: bool
    facts: Facts
    train_s: list[float] = field(default_factory=list)
    forward_s: list[float] = field(default_factory=list)

    def summary(self) -> dict[str, Any]:
        """Minima and medians, as a record has them."""
        return {
            "name": self.name,
            "peer": self.peer,
            "parameters": self.facts.parameters,
            "train_ms_min": 1e3 * min(self.train_s),
            "train_ms_median": 1e3 * statistics.median(self.train_s),
            "forward_ms_min": 1e3 * min(self.forward_s),
            "forward_ms_median": 1e3 * statistics.median(self.forward_s),
            "kept_bytes_per_image": self.facts.kept_bytes,
            "peak_bytes_per_image": self.facts.peak_bytes,
            "first_step_s": self.facts.first_step_s,
            "launches": self.facts.launches,
            "bn_batch": self.facts.bn_batch,
        }


def checked_depth(plan: NetworkPlan) -> int:
    """Layers at which a plan's unit is compared: more would be chaotic."""
    return 29 if plan.convs == 3 else 20


def check(plan: NetworkPlan, device: torch.device) -> list[Compared]:
    """Compare the fast network with float64 before any time is taken.

    On the plan's unit at `checked_depth` layers, since deeper networks are
    chaotic in any precision, and on four small images.

    Parameters
    ----------
    plan : NetworkPlan
        The network.
    device : torch.device
        Where it is computed.

    Returns
    -------
    list of Compared
        Errors of logits, gradients and statistics, and PyTorch's own.

    Raises
    ------
    ArithmeticError
        If one is larger than PyTorch's own explains.

    Examples
    --------
    Two seconds, so no test runs it here:

    >>> import torch
    >>> from preact import cifar_plan
    >>> from preact.bench import check
    >>> plan = cifar_plan("full-preactivation", depth=110, convs=2)
    >>> rows = check(plan, torch.device("cpu"))  # doctest: +SKIP
    >>> [row.part for row in rows]  # doctest: +SKIP
    ['logits', 'gradients', 'statistics']
    """
    shallow = cifar_plan(
        plan.spec,
        depth=checked_depth(plan),
        convs=plan.convs,
        image=(plan.image[0], 16, 16),
    )
    # In float32, where a mistake cannot pass for rounding.
    rows = compare(fast, shallow, device)
    for row in rows:
        if not row.agrees:
            raise ArithmeticError(
                f"{row.part} of the fast network must be within {FACTOR} "
                f"times PyTorch's own error of float64, {row.pytorch:.2g}; "
                f"got {row.ours:.2g}: times of it would mean nothing"
            )
    return rows


def compare_times(
    entries: Sequence[Contestant],
    plan: NetworkPlan,
    *,
    batch: int,
    rounds: int,
    device: torch.device,
    progress: Callable[[int], None] = lambda _: None,
) -> list[Measured]:
    """Time all contestants by turns, on the CPU each in its own process.

    The machine's good and bad moments so fall on all of them alike.

    Parameters
    ----------
    entries : sequence of Contestant
        Who runs.
    plan : NetworkPlan
        The network.
    batch : int
        Images in a step.
    rounds : int
        Turns of each; one more before them does not count.
    device : torch.device
        Where it is computed.
    progress : callable
        Called with the number of each turn when it is over; 0 does not count.

    Raises
    ------
    ChildProcessError
        If the process of a contestant ends, for want of memory perhaps.

    Examples
    --------
    Some seconds, so no test runs it here:

    >>> import torch
    >>> from preact import cifar_plan
    >>> from preact.bench import compare_times, contestants
    >>> plan = cifar_plan("full-preactivation", depth=11, convs=3)
    >>> cpu = torch.device("cpu")
    >>> entries = list(contestants(plan, cpu))[-1:]
    >>> (ours,) = compare_times(  # doctest: +SKIP
    ...     entries, plan, batch=4, rounds=2, device=cpu
    ... )
    >>> len(ours.train_s), len(ours.forward_s)  # doctest: +SKIP
    (2, 2)
    """
    shape = (batch, *plan.image)
    with ExitStack() as stack:
        networks: list[TimedNetwork | WorkerProcess] = []
        for entry in entries:
            if device.type == "cpu":
                networks.append(
                    stack.enter_context(closing(WorkerProcess(entry, shape)))
                )
            else:
                networks.append(TimedNetwork(entry, shape, device))
        results = [
            Measured(entry.name, entry.peer, network.prepare())
            for entry, network in zip(entries, networks, strict=True)
        ]
        for turn in range(rounds + 1):
            for one, network in zip(results, networks, strict=True):
                train_s, forward_s = network.turn()
                if turn:
                    one.train_s.append(train_s)
                    one.forward_s.append(forward_s)
            progress(turn)
    return results


# Narrow tensors that a unit reads and writes if every kernel does all it can
# with what it has read; a wide one counts as 4. Forward, by convolution:
# 4 + 1, 1 + 1, 1 + 4 + 4. Backward: the last convolution together with the
# first BN of the unit behind it, 1 + 1 + 4 + 4 + 1 read and 4 + 1 written;
# the 3x3, 3 + 1; the sums of the first, 1 + 1 + 4.
NARROW = (5 + 2 + 9) + (16 + 4 + 6)


def limit_ms(plan: NetworkPlan, batch: int, device: torch.device) -> float:
    """Milliseconds that the fewest bytes of a step in half precision take.

    By the bandwidth of a copy on this GPU: a step cannot be much faster, but
    for what stays in the cache.

    Parameters
    ----------
    plan : NetworkPlan
        Of bottleneck units.
    batch : int
        Images in a step.
    device : torch.device
        Where it is computed.

    Examples
    --------
    >>> import torch
    >>> from preact import cifar_plan
    >>> from preact.bench import limit_ms
    >>> plan = cifar_plan("full-preactivation", depth=1001, convs=3)
    >>> if torch.cuda.is_available():
    ...     assert limit_ms(plan, 64, torch.device("cuda")) > 1
    """
    narrow = sum(
        unit.c_inner * height * width
        for unit, (_, height, width) in zip(
            plan.units, plan.stream_shapes[1:], strict=True
        )
    )
    return 1e3 * 2 * NARROW * narrow * batch / copy_bytes_per_s(device)


def copy_bytes_per_s(device: torch.device) -> float:
    """Bytes read and written in a second by a large copy; best of ten."""
    source = torch.empty(1 << 28, dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    best = min(timed(lambda: target.copy_(source), device) for _ in range(10))
    return 2 * source.nbytes / best
