"""A view of a network: its very modules, and another way of running units."""

import platform
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from preact.fast.eager import is_eager, is_plain
from preact.fast.fused import can_read, run_fused
from preact.fast.memory import Memory, run_in_memory, run_plain
from preact.nn.network import Network
from preact.records.speed import fused_pays

Kernels = Literal["C", "PyTorch"]


class NetworkView(Network):
    """A network's own modules, parameters and buffers, run in another way.

    Nothing is copied and nothing is remembered: train, load, swap, hook,
    freeze, move or convert a part of either, and it is so in both. Only
    hooks on the network as a whole are each one's own.

    Parameters
    ----------
    network : Network
    fused : bool
        Whether the C kernels run units, wherever they can.
    memory : {"keep", "recompute", "unit", "segment"}
        See `with_memory`.

    Examples
    --------
    >>> from preact import Network, cifar_plan
    >>> from preact.fast import fast
    >>> plan = cifar_plan("full-preactivation", depth=11, convs=3)
    >>> network = Network(plan, seed=0)
    >>> fast(network).units is network.units
    True
    """

    viewed: Network

    def __init__(
        self, network: Network, *, fused: bool, memory: Memory
    ) -> None:
        nn.Module.__init__(self)
        self.__dict__["viewed"] = network  # is no module of the view
        self.plan, self.fused, self.memory = network.plan, fused, memory
        self.training = network.training
        # The very dictionaries: who swaps a part of one, swaps it in both.
        self._modules = network._modules
        self._parameters = network._parameters
        self._buffers = network._buffers

    @property
    def preprocess(self) -> Callable[[Tensor], Tensor] | None:
        """What the network has."""
        return self.viewed.preprocess

    @preprocess.setter
    def preprocess(self, given: Callable[[Tensor], Tensor] | None) -> None:
        self.viewed.preprocess = given

    @property
    def make(self) -> str | None:
        """What the network has."""
        return self.viewed.make

    @make.setter
    def make(self, given: str | None) -> None:
        self.viewed.make = given

    def run_units(self, x: Tensor) -> Tensor:
        """Hand x_0 from unit to unit."""
        if x.ndim != 4 or not x.numel() or not is_eager(x):
            return super().run_units(x)
        fused = self.fused and can_read(x.device, x.dtype)
        run = run_fused if fused else run_plain
        return run_in_memory(self.memory, run, list(self.units), x)


def fast(network: Network, *, fused: bool | None = None) -> NetworkView:
    """Return a view that computes the same function faster.

    Its layout is channels last. On a CPU in float32, BN and ReLU are one C
    kernel and the branch of a unit one operation: units are fused. Wherever
    a unit or a call is not what these compute, the unit's own forward runs.
    Dropout draws another mask for the same seed than in a network of
    PyTorch's own layout, because the draw follows the layout.

    On a GPU it is the layout and PyTorch's own operations, no more.

    Parameters
    ----------
    network : Network
        Its weights of convolutions are laid out with channels last; where
        that is undone (by `load_state_dict(assign=True)`, say), PyTorch's
        own operations run.
    fused : bool, optional
        Whether to fuse units; None does so on processors on which it was
        measured to pay, see `preact.records.speed.fused_pays`.

    Returns
    -------
    NetworkView
        With the same names in its `state_dict`. Without a C compiler it
        runs PyTorch's own operations, and logs the reason once.

    Raises
    ------
    TypeError
        If it is no `Network`, but another module that may hold one, or has
        a hook or a compiled call as a whole.

    Examples
    --------
    >>> import torch
    >>> from preact import Network, cifar_plan
    >>> from preact.fast import fast
    >>> plan = cifar_plan("full-preactivation", depth=11, convs=3)
    >>> network = Network(plan, seed=0).eval()
    >>> x = torch.ones(2, 3, 32, 32)
    >>> torch.allclose(fast(network)(x), network(x), rtol=1e-3, atol=1e-4)
    True
    """
    _check_network(network, "fast")
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if fused is None:
        fused = fused_pays(processor_name())
    memory: Memory = getattr(network, "memory", "keep")
    return NetworkView(network, fused=fused, memory=memory)


def with_memory(network: Network, memory: Memory) -> NetworkView:
    """Return a view that keeps so much between forward and backward.

    Parameters
    ----------
    network : Network
        Ours; the view runs its very modules.
    memory : {"keep", "recompute", "unit", "segment"}
        All activations; all but the outputs of BN-ReLU in front of a
        convolution, which are computed again from what BN read; the input of
        each unit; the input of every sqrt(L)-th unit.

    Raises
    ------
    TypeError, ValueError
        If it is no `Network`, or `memory` none of these.

    Examples
    --------
    >>> import torch
    >>> from preact import Network, cifar_plan
    >>> from preact.fast import with_memory
    >>> plan = cifar_plan("full-preactivation", depth=11, convs=3)
    >>> network, x = Network(plan, seed=0), torch.ones(2, 3, 8, 8)
    >>> torch.equal(with_memory(network, "recompute")(x), network(x))
    True
    """
    _check_network(network, "with_memory")
    if memory not in get_args(Memory):
        names = ", ".join(map(repr, get_args(Memory)))
        raise ValueError(f"memory must be one of {names}; got {memory!r}")
    fused = isinstance(network, NetworkView) and network.fused
    return NetworkView(network, fused=fused, memory=memory)


def kernels_of(
    network: Network, device: torch.device, dtype: torch.dtype
) -> Kernels:
    """Name what computes units on a device, x_0 being of a dtype."""
    fused = isinstance(network, NetworkView) and network.fused
    return "C" if fused and can_read(device, dtype) else "PyTorch"


@cache
def processor_name() -> str:
    """What the processor calls itself."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [
        line.split(":")[1].strip() for line in lines if "model name" in line
    ]
    return names[0] if names else platform.processor() or "CPU"


def _check_network(network: object, function: str) -> None:
    """Refuse what a view would not compute as it is."""
    if type(network) not in (Network, NetworkView):
        raise TypeError(
            f"{function} needs a preact.nn.Network itself, before anything "
            f"is wrapped around it; got {type(network).__name__}"
        )
    assert isinstance(network, Network)
    if not is_plain(network):
        raise TypeError(
            f"{function} cannot take along a hook, a compiled call or a "
            "`forward` set on the network as a whole: give them to what "
            f"{function} returns"
        )
