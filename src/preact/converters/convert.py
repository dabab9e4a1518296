"""From a state dictionary to a plan and its network, and back."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Literal

import torch
from torch import Tensor

from preact.converters.infer import (
    Strides,
    Weights,
    find_layout,
    infer_plan,
    spec_of,
)
from preact.converters.names import LAYOUTS, Layout
from preact.nn import Network
from preact.nn.state import check_kinds, check_numbers, check_shapes
from preact.plan import BatchNorm, Conv, NetworkPlan
from preact.plan.checks import check_choice
from preact.plan.network import PlacedLayer

Package = Literal["pytorchcv", "torch-resnet", "torchvision", "timm"]
COUNTER = "num_batches_tracked"  # ours have none
PLAIN = re.compile(r"resnet\d+(\..*)?")  # of timm, and what trained it


def from_weights(
    package: Package,
    weights: Weights,
    *,
    stride_on: Strides = "3x3",
    name: str | None = None,
) -> Network:
    """Build the network that a package's state dictionary belongs to.

    Parameters
    ----------
    package : {"pytorchcv", "torch-resnet", "torchvision", "timm"}
        Whose names the weights bear: pytorchcv's of `preresnet*_cifar10` and
        its kin, `resnet*_cifar10`, `preresnet50` and `resnet50` up to 200;
        torch-resnet's of `PreActResNet*` and `ResNet*` after `set_head` with
        a `Linear`; torchvision's of `resnet18` to 152; timm's of the same
        and of `resnetv2_18` to 152, without `d`, `t`, `gn` or `bit`.
    weights : mapping of str to Tensor
        As its `state_dict()` gives them.
    stride_on : {"first", "3x3"}
        The convolution of a bottleneck that strides, which weights do not
        tell: "first" for pytorchcv's `resnet50`, `preresnet101` and so on,
        "3x3" for those with a `b` behind the number and for all others.
    name : str, optional
        timm's name of the model, needed for its `resnet18` to 152:
        `resnetaa50` and `resnetblur50` blur without weights, which therefore
        do not tell them from `resnet50`. They are refused.

    Returns
    -------
    Network
        In evaluation mode, in the dtype of the weights.

    Raises
    ------
    TypeError
        If they are no mapping.
    ValueError
        If a name or a shape is not that of such a network, or a number is
        not finite or of another kind than the others; the first odd one is
        in the message.

    Examples
    --------
    >>> from preact.converters import from_weights, to_weights
    >>> from preact.nn import Network
    >>> from preact.plan import Conventions, cifar_plan
    >>> rules = Conventions(projection="conv BN")
    >>> plan = cifar_plan("original", depth=20, convs=2, conventions=rules)
    >>> theirs = to_weights("pytorchcv", Network(plan, seed=0))
    >>> again = from_weights("pytorchcv", theirs)
    >>> again.plan == plan, again.training
    (True, False)
    """
    check_choice("package", package, tuple(LAYOUTS))
    if not isinstance(weights, Mapping):
        raise TypeError(
            f"{package}: weights must be a state dictionary; got "
            f"{type(weights).__name__}: a module gives it by .state_dict(), "
            "a file by torch.load(path, weights_only=True)"
        )
    layout = find_layout(package, weights)
    plan = infer_plan(package, layout, weights, stride_on)
    network = Network(plan, seed=0)
    names = dict(_tensor_names(layout, plan))
    own = network.state_dict()
    wanted = {theirs: tuple(own[ours].shape) for theirs, ours in names.items()}
    if layout.head_is_conv:
        head = f"{layout.classifier}.weight"
        wanted[head] = (*wanted[head], 1, 1)
    found = {k: v for k, v in weights.items() if not k.endswith(COUNTER)}
    try:
        check_shapes(found, wanted, f"a ResNet-{plan.depth} of `{plan.spec}`")
        check_kinds(found)
        check_numbers(found)
    except ValueError as error:
        raise ValueError(f"{package}: {error}") from error
    network.to(next(iter(found.values())).dtype)
    network.load_state_dict(
        {
            ours: found[theirs].reshape(own[ours].shape)
            for theirs, ours in names.items()
        }
    )
    if package == "timm" and not plan.tail and not PLAIN.fullmatch(name or ""):
        raise ValueError(
            "timm: name must be that of a plain ResNet, such as 'resnet50' or "
            "'resnet50.a1_in1k', since weights do not tell it from "
            f"'resnetaa50', which blurs; got {name!r}"
        )
    return network.eval()


def to_weights(package: Package, network: Network) -> dict[str, Tensor]:
    """Return a network's weights under a package's names.

    Parameters
    ----------
    package : {"pytorchcv", "torch-resnet", "torchvision", "timm"}
        Whose `load_state_dict` shall take them, strictly.
    network : Network
        Ours, in any mode.

    Returns
    -------
    dict of str to Tensor
        The network's own tensors, and a zero for each counter of batches.

    Raises
    ------
    TypeError
        If it is no `Network`.
    ValueError
        If the package has no such network; says where it differs first.

    Examples
    --------
    >>> from preact.converters import to_weights
    >>> from preact.nn import Network
    >>> from preact.plan import Conventions, cifar_plan
    >>> rules = Conventions(projection="conv BN")
    >>> plan = cifar_plan("original", depth=20, convs=2, conventions=rules)
    >>> list(to_weights("pytorchcv", Network(plan, seed=0)))[:2]
    ['features.init_block.conv.weight', 'features.init_block.bn.weight']
    """
    check_choice("package", package, tuple(LAYOUTS))
    if not isinstance(network, Network):
        raise TypeError(
            f"network must be a preact.Network; got {type(network).__name__}"
        )
    plan, own = network.plan, network.state_dict()
    layout = _find_fitting(package, plan)
    if plan.spec != spec_of(layout):
        raise ValueError(
            f"{package} has no such network: its units are "
            f"`{spec_of(layout)}`; got `{plan.spec}`"
        )
    try:
        names = dict(_tensor_names(layout, plan))
        weights = {theirs: own[ours] for theirs, ours in names.items()}
        wanted = infer_plan(package, layout, weights, _stride_on(plan))
    except KeyError as error:
        raise ValueError(f"{package} has no layer {error}") from error
    difference = _difference(wanted, plan)
    if difference:
        raise ValueError(f"{package} has no such network: {difference}")
    counters = {
        name.replace("running_mean", COUNTER): torch.tensor(0)
        for name in weights
        if name.endswith("running_mean")
    }
    if layout.head_is_conv:
        head = f"{layout.classifier}.weight"
        weights[head] = weights[head][:, :, None, None]
    return weights | counters


def _find_fitting(package: str, plan: NetworkPlan) -> Layout:
    """The layout whose ends are those of a plan."""
    stem = plan.stem[0]
    kernel = stem.kernel if isinstance(stem, Conv) else None
    has_norm = any(isinstance(layer, BatchNorm) for layer in plan.stem)
    for layout in LAYOUTS[package]:
        if (
            kernel in layout.stem_kernels
            and has_norm == (layout.stem_norm is not None)
            and bool(plan.tail) == (layout.tail is not None)
        ):
            return layout
    raise ValueError(
        f"{package} has no such network: none with a stem of "
        f"`{' '.join(map(str, plan.stem))}` and a tail of "
        f"`{' '.join(map(str, plan.tail))}`"
    )


def _tensor_names(
    layout: Layout, plan: NetworkPlan
) -> Iterator[tuple[str, str]]:
    """Their name and ours of every tensor of a network."""
    places = {
        i: (stage, unit)
        for stage, units in enumerate(plan.stages)
        for unit, i in enumerate(units)
    }
    for placed in plan.placed_layers:
        for suffix in placed.layer.tensors:
            theirs = _layer_name(layout, plan, placed, places)
            yield f"{theirs}.{suffix}", f"{placed.name}.{suffix}"


def _layer_name(
    layout: Layout,
    plan: NetworkPlan,
    placed: PlacedLayer,
    places: Mapping[int, tuple[int, int]],
) -> str:
    """What the package calls one of our layers; a KeyError if it has none."""
    part, *rest = placed.name.split(".")
    is_conv = isinstance(placed.layer, Conv)
    if part != "units":
        name = {
            "stem": layout.stem_conv if is_conv else layout.stem_norm,
            "tail": layout.tail,
            "classifier": layout.classifier,
        }[part]
        if name is None:
            raise KeyError(placed.name)
        return name
    stage, unit = places[int(rest[0])]
    prefix = layout.unit.format(
        stage=stage + 1, unit=unit + 1, stage0=stage, unit0=unit
    )
    path, index = rest[1], int(rest[2])
    # In `weights` each convolution stands at a multiple of three, its BN
    # behind it.
    after = index // 3 + 1
    k = {
        "pre": 1,
        "weights": after + (not is_conv and layout.tail is not None),
        "post": plan.convs,
    }.get(path)
    if k is not None:
        return prefix + (layout.conv if is_conv else layout.norm).format(k=k)
    name = layout.projection if is_conv else layout.projection_norm
    if path != "shortcut" or name is None:
        raise KeyError(placed.name)
    return prefix + name


def _stride_on(plan: NetworkPlan) -> Strides:
    """The convolution that strides in a plan of bottlenecks."""
    first = plan.convs == 3 and plan.units[0].stride_on == 0
    return "first" if first else "3x3"


def _difference(wanted: NetworkPlan, plan: NetworkPlan) -> str | None:
    """Where a plan first differs from the wanted one, if it does."""
    for part in ("stem", "tail", "units"):
        theirs, ours = getattr(wanted, part), getattr(plan, part)
        for i, (a, b) in enumerate(zip(theirs, ours, strict=False)):
            if a == b:
                continue
            for field in fields(a):
                x, y = getattr(a, field.name), getattr(b, field.name, None)
                if x != y:
                    return (
                        f"{field.name} of {part}.{i} must be {x!s}; got {y!s}"
                    )
        if len(theirs) != len(ours):
            return f"{part} must have {len(theirs)} parts; got {len(ours)}"
    return None
