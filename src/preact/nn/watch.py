"""One probe for the residual stream of any list of modules.

x_l and dE/dx_l between the modules, and the share of shortcut paths that are
open; by hooks, so a network need not have a plan, nor be ours. The twin of
`preact.reference.propagate`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from preact.plan.open_paths import Closing, OpenPaths

Reading = Callable[[Tensor], Any]
RELUS = ("Relu", "Threshold", "Hardtanh")  # as autograd calls them


class Watched:
    """What L modules in a row were seen to do in one pass.

    Each list holds None where the pass has not come.

    Attributes
    ----------
    streams : list of L + 1
        Readings of x_0, ..., x_L.
    gradients : list of L + 1
        Readings of dE/dx_0, ..., dE/dx_L.
    open_share : list of L + 1 floats or scalar tensors
        As `preact.propagation.Profile`; NaN where it cannot be told.

    Examples
    --------
    >>> from torch import nn
    >>> from preact.nn import watch
    >>> with watch([nn.Identity(), nn.ReLU()]) as watched:
    ...     pass
    >>> watched.streams  # x_0, x_1, x_2: no pass has come
    [None, None, None]
    """

    def __init__(self, units: int) -> None:
        self.streams: list[Any] = [None] * (units + 1)
        self.gradients: list[Any] = [None] * (units + 1)
        self.open_share: list[Any] = [None] * (units + 1)


def copied(x: Tensor) -> Tensor:
    """Read everything: a copy that later work in place does not change."""
    return x.detach().clone()


@contextmanager
def watch(
    units: Sequence[nn.Module],
    *,
    closes: Sequence[Closing] | None = None,
    signal: Reading = copied,
    gradient: Reading = copied,
) -> Iterator[Watched]:
    """Watch the modules while the block runs one forward and backward pass.

    Parameters
    ----------
    units : modules
        Each maps one tensor x_l to one tensor x_{l+1}, in this order, once.
    closes : sequence of Closing, optional
        What in each unit ends the path of a coordinate. None asks autograd:
        a unit whose last operation is a ReLU closes what it sets to zero.
        A compiled unit hides it, and must be told of; in a pass
        without gradients nothing can be told, and the share is NaN.
    signal, gradient : callables
        What is kept of x_l, and of dE/dx_l: by default a copy.

    Yields
    ------
    Watched
        Filled by the first pass. Where units run again on the way back, to
        save memory, only the gradient is read once more. All hooks are gone
        when the block is over, whatever happens in it.

    Raises
    ------
    ValueError
        If there is no unit, or `closes` has not one for each.
    TypeError
        If a unit is given or returns anything but one tensor (in the pass).

    Examples
    --------
    >>> import torch
    >>> from preact.nn import watch
    >>> units = [torch.nn.Linear(8, 8) for _ in range(3)]
    >>> with watch(units) as watched:
    ...     torch.nn.Sequential(*units)(torch.ones(2, 8)).sum().backward()
    >>> len(watched.streams), watched.gradients[-1].unique()
    (4, tensor([1.]))
    """
    if not units:
        raise ValueError("units must be one module or more; got none")
    if closes and len(closes) != len(units):
        raise ValueError(
            f"closes must be one for each of {len(units)} units; got "
            f"{len(closes)}"
        )
    watched = Watched(len(units))
    paths: list[OpenPaths] = []

    def see(i: int, x: Tensor, closes: Closing = "nothing") -> None:
        if watched.streams[i] is None:
            share = paths[0].after_unit(x.detach(), closes)
            watched.streams[i], watched.open_share[i] = signal(x), share
        if x.requires_grad:
            x.register_hook(partial(hear, i))

    def hear(i: int, dx: Tensor) -> None:
        watched.gradients[i] = gradient(dx)

    def begin(_unit: nn.Module, args: tuple[Any, ...]) -> tuple[Any, ...]:
        x = _one_tensor(args[0] if len(args) == 1 else args, "unit 0 reads")
        if torch.is_grad_enabled() and not x.requires_grad:
            x = x.detach().requires_grad_()  # raw images: nobody else asks
        paths[:1] = paths[:1] or [OpenPaths(tuple(x.shape))]
        see(0, x)
        return (x,)

    def end_unit(i: int, _unit: nn.Module, _args: object, out: object) -> None:
        x = _one_tensor(out, f"unit {i} returns")
        see(i + 1, x, closes[i] if closes else _last_operation(x))

    with ExitStack() as hooks:
        first = units[0].register_forward_pre_hook(begin)
        hooks.callback(first.remove)
        for i, unit in enumerate(units):
            hook = unit.register_forward_hook(partial(end_unit, i))
            hooks.callback(hook.remove)
        yield watched


def _last_operation(x: Tensor) -> Closing:
    """Read from autograd's graph whether a ReLU made x."""
    if x.grad_fn is None:  # an identity, or a pass without gradients
        return "nothing" if x.requires_grad else "unseen"
    return "zeros" if x.grad_fn.name().startswith(RELUS) else "nothing"


def _one_tensor(value: object, what: str) -> Tensor:
    """Return a tensor. Raise TypeError for anything else."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"a watched unit maps one tensor to one tensor; {what} a "
            f"{type(value).__name__}"
        )
    return value
