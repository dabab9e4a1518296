"""What is compared: the packages a user would pick, and ours.

The peers come with `pip install --no-deps -r requirements-peers.txt`: one of
them asks for a torchvision that it does not need for these networks.

Chapter `08-training`.
"""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn

from preact.fast import Memory, fast, with_memory
from preact.nn import Network
from preact.plan import NetworkPlan


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """A network to be timed.

    Parameters
    ----------
    name : str
        Of package and settings, as the table prints it.
    peer : bool
        Whether it is another package as shipped, against which we count.
    build : callable
        Makes the network; another process must be able to call it.
    channels_last : bool
        Layout of its weights and images.
    half : bool
        Convolutions in fp16, the loss scaled.
    on_gpu : {"no", "eager", "all"}
        Whether it is tried there, and in half precision, too.

    Examples
    --------
    >>> from functools import partial
    >>> from preact import Network, cifar_plan
    >>> from preact.bench import Contestant
    >>> plan = cifar_plan("full-preactivation", depth=11, convs=3)
    >>> build = partial(Network, plan, seed=0)
    >>> mine = Contestant(name="mine", peer=False, build=build)
    >>> mine.build().plan.depth, mine.channels_last
    (11, False)
    """

    name: str
    peer: bool
    build: Callable[[], nn.Module]
    channels_last: bool = False
    half: bool = False
    on_gpu: Literal["no", "eager", "all"] = "all"


class WithHead(nn.Module):
    """A network that ends in features, and the classifier it lacks."""

    def __init__(self, features: nn.Module, width: int, classes: int) -> None:
        super().__init__()
        self.features, self.head = features, nn.Linear(width, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.features(x))  # type: ignore[no-any-return]


def _with_head(make: Callable[..., nn.Module], classes: int) -> nn.Module:
    """torch-resnet's network and a classifier."""
    return WithHead(make(small_images=True), 256, classes)


def contestants(
    plan: NetworkPlan, device: torch.device
) -> Iterator[Contestant]:
    """Peers that are installed and have this network, then ours.

    On a GPU also what a skilled user makes of them: half precision with
    channels last.

    Parameters
    ----------
    plan : NetworkPlan
        A ResNet-164 or 1001 of full pre-activation units for CIFAR-10.
    device : torch.device
        Where all of them run.

    Examples
    --------
    >>> import torch
    >>> from preact import cifar_plan
    >>> from preact.bench import contestants
    >>> plan = cifar_plan("full-preactivation", depth=164, convs=3)
    >>> *_, last = contestants(plan, torch.device("cpu"))
    >>> last.name, last.channels_last
    ('preact, fast, segment', True)
    """
    for entry in _contestants(plan):
        if device.type != "cuda" or entry.on_gpu != "no":
            yield entry
        in_half = entry.on_gpu == "all" and entry.channels_last
        if device.type == "cuda" and in_half:
            yield replace(entry, name=f"{entry.name}, fp16", half=True)


def _contestants(plan: NetworkPlan) -> Iterator[Contestant]:
    """All of them in float32, every step of eager calls."""
    memory: Memory
    for layout, name in ((False, "as shipped"), (True, "channels_last")):
        for package, build in _peers(plan).items():
            yield Contestant(
                name=f"{package}, {name}",
                peer=not layout,
                build=build,
                channels_last=layout,
            )

    yield Contestant(name="preact", peer=False, build=partial(_ours, plan))
    for memory in ("keep", "recompute", "segment"):
        yield Contestant(
            name=f"preact, channels_last, {memory}",
            peer=False,
            build=partial(_ours, plan, memory),
            channels_last=True,
            on_gpu="eager" if memory == "segment" else "all",
        )
    yield Contestant(
        name="preact, fast",
        peer=False,
        build=partial(_fast, plan),
        channels_last=True,
        on_gpu="no",
    )
    for memory in ("keep", "segment"):
        yield Contestant(
            name=f"preact, fast, {memory}",
            peer=False,
            build=partial(_fast, plan, memory),
            channels_last=True,
            on_gpu="no",
        )


def _ours(plan: NetworkPlan, memory: Memory = "keep") -> Network:
    """Our network as it is."""
    return with_memory(Network(plan, seed=0), memory)


def _fast(plan: NetworkPlan, memory: Memory = "recompute") -> Network:
    """Our network at its best; records name the frugal one "preact, fast"."""
    return with_memory(fast(Network(plan, seed=0)), memory)


def missing_peers() -> list[str]:
    """Names of the peers that are not installed."""
    return [
        package
        for package, module in (
            ("pytorchcv", "pytorchcv.models.preresnet_cifar"),
            ("torch-resnet", "torch_resnet"),
        )
        if _module(module) is None
    ]


def _peers(plan: NetworkPlan) -> dict[str, Callable[[], nn.Module]]:
    """Builders of this network in other packages."""
    builders: dict[str, Callable[[], nn.Module]] = {}
    zoo = _module("pytorchcv.models.preresnet_cifar")
    names = {164: "preresnet164bn_cifar10", 1001: "preresnet1001_cifar10"}
    if zoo and plan.depth in names:
        builders["pytorchcv"] = getattr(zoo, names[plan.depth])
    other = _module("torch_resnet")
    if other and plan.depth in names:
        make = getattr(other, f"PreActResNet{plan.depth}")
        builders["torch-resnet"] = partial(_with_head, make, plan.classes)
    return builders


def _module(name: str):  # type: ignore[no-untyped-def]
    """Import a module, or return None if its package is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
