"""What is compared: the packages a user would pick, and ours.

The peers come with `pip install --no-deps -r requirements-peers.txt`: one of
them asks for a torchvision that it does not need for these networks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec

from torch import nn

from preact.fast import Memory, fast, with_memory
from preact.nn import Network
from preact.plan import NetworkPlan

PEERS = {"pytorchcv": "pytorchcv", "torch-resnet": "torch_resnet"}
OURS: list[tuple[str, bool, Memory]] = [  # all of these with channels last
    ("preact, channels_last, keep", False, "keep"),
    ("preact, channels_last, recompute", False, "recompute"),
    ("preact, channels_last, segment", False, "segment"),
    ("preact, fast", True, "recompute"),  # so records have named it
    ("preact, fast, keep", True, "keep"),
    ("preact, fast, segment", True, "segment"),
]


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """A network to be timed, and whether it is another package's.

    Another process must be able to call what builds it.
    """

    name: str
    peer: bool
    build: Callable[[], nn.Module]
    channels_last: bool = False


def contestants(plan: NetworkPlan) -> Iterator[Contestant]:
    """Peers that are installed and have this network, then ours.

    Each as shipped and with channels last, as a user would have it. The peers
    have ResNet-164 and 1001 of full pre-activation units.
    """
    for name, build in _peers(plan).items():
        one = Contestant(name=f"{name}, as shipped", peer=True, build=build)
        yield one
        yield replace(one, name=f"{name}, channels_last", channels_last=True)
    yield Contestant(
        name="preact", peer=False, build=partial(Network, plan, seed=0)
    )
    for name, fused, memory in OURS:
        yield Contestant(
            name=name,
            peer=False,
            build=partial(_ours, plan, fused, memory),
            channels_last=True,
        )


def _ours(plan: NetworkPlan, fused: bool, memory: Memory) -> Network:
    """Our network, run in some way."""
    network = Network(plan, seed=0)
    return with_memory(fast(network, fused=True) if fused else network, memory)


def _with_head(make: Callable[..., nn.Module], classes: int) -> nn.Module:
    """torch-resnet's network, which ends in features, and a classifier."""
    return nn.Sequential(make(small_images=True), nn.Linear(256, classes))


def missing_peers() -> list[str]:
    """Names of the peers that are not installed."""
    return [name for name, root in PEERS.items() if find_spec(root) is None]


def _peers(plan: NetworkPlan) -> dict[str, Callable[[], nn.Module]]:
    """Builders of this network in other packages."""
    names = {164: "preresnet164bn_cifar10", 1001: "preresnet1001_cifar10"}
    missing = missing_peers()
    builders: dict[str, Callable[[], nn.Module]] = {}
    if plan.depth not in names:
        return builders
    if "pytorchcv" not in missing:
        zoo = import_module("pytorchcv.models.preresnet_cifar")
        builders["pytorchcv"] = getattr(zoo, names[plan.depth])
    if "torch-resnet" not in missing:
        make = getattr(
            import_module("torch_resnet"), f"PreActResNet{plan.depth}"
        )
        builders["torch-resnet"] = partial(_with_head, make, plan.classes)
    return builders
