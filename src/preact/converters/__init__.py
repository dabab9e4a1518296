"""Weights of other packages in our networks, and ours in theirs.

Networks agree where their plans do: original and full pre-activation units,
for CIFAR and for ImageNet. The plan is read off names and shapes.

Examples
--------
>>> from preact.converters import from_pytorchcv, to_pytorchcv
>>> from preact.nn import Network
>>> from preact.plan import Conventions, cifar_plan
>>> plan = cifar_plan(
...     "full-preactivation",
...     depth=20,
...     convs=2,
...     conventions=Conventions(first_tap="before pre", projection="conv"),
... )
>>> weights = to_pytorchcv(Network(plan, seed=0))
>>> list(weights)[:2]
['features.init_block.weight', 'features.stage1.unit1.body.conv1.bn.weight']
>>> from_pytorchcv(weights).plan.depth
20
"""

import re

from torch import Tensor

from preact.converters.convert import read_weights, write_weights
from preact.converters.infer import Strides, Weights
from preact.nn import Network

__all__ = [
    "from_pytorchcv",
    "from_timm",
    "from_torch_resnet",
    "from_torchvision",
    "to_pytorchcv",
    "to_timm",
    "to_torch_resnet",
    "to_torchvision",
]


PLAIN = re.compile(r"resnet\d+(\..*)?")  # of timm, and what trained it


def from_pytorchcv(weights: Weights, *, stride_on: Strides = "3x3") -> Network:
    """Build the network of a pytorchcv (imgclsmob) state dictionary.

    Parameters
    ----------
    weights : mapping of str to Tensor
        Of `preresnet*_cifar10` and its kin, `resnet*_cifar10`, or
        `preresnet50` and `resnet50` up to 200.
    stride_on : {"first", "3x3"}
        "first" for `resnet50`, `preresnet101` and so on; "3x3" for those
        with a `b` behind the number, and all for CIFAR. Weights do not tell.

    Returns
    -------
    Network
        In evaluation mode, in the dtype of the weights.

    Raises
    ------
    TypeError
        If they are no mapping of tensors.
    ValueError
        If they are of another network; names the first odd key.

    Examples
    --------
    >>> from preact.converters import from_pytorchcv, to_pytorchcv
    >>> from preact.nn import Network
    >>> from preact.plan import Conventions, cifar_plan
    >>> rules = Conventions(projection="conv BN")
    >>> plan = cifar_plan("original", depth=20, convs=2, conventions=rules)
    >>> again = from_pytorchcv(to_pytorchcv(Network(plan, seed=0)))
    >>> again.plan == plan, again.training
    (True, False)
    """
    return read_weights("pytorchcv", weights, stride_on)


def from_torch_resnet(weights: Weights) -> Network:
    """Build the network of a torch-resnet state dictionary.

    Parameters
    ----------
    weights : mapping of str to Tensor
        Of `PreActResNet*` or `ResNet*` after `set_head` with a `Linear`.

    Returns
    -------
    Network
        In evaluation mode, in the dtype of the weights.

    Raises
    ------
    TypeError
        If they are no mapping of tensors.
    ValueError
        If they are of another network; names the first odd key.

    Examples
    --------
    >>> from preact.converters import from_torch_resnet, to_torch_resnet
    >>> from preact.nn import Network
    >>> from preact.plan import Conventions, cifar_plan
    >>> rules = Conventions(first_tap="before pre", projection="conv")
    >>> plan = cifar_plan(
    ...     "full-preactivation", depth=20, convs=2, conventions=rules
    ... )
    >>> again = from_torch_resnet(to_torch_resnet(Network(plan, seed=0)))
    >>> again.plan == plan, again.training
    (True, False)
    """
    return read_weights("torch-resnet", weights)


def from_torchvision(weights: Weights) -> Network:
    """Build the network of a state dictionary with torchvision's names.

    Parameters
    ----------
    weights : mapping of str to Tensor
        Of `resnet18`, 34, 50, 101 or 152.

    Returns
    -------
    Network
        In evaluation mode, in the dtype of the weights.

    Raises
    ------
    TypeError
        If they are no mapping of tensors.
    ValueError
        If they are of another network; names the first odd key.

    Examples
    --------
    >>> from preact.converters import from_torchvision, to_torchvision
    >>> from preact.nn import Network
    >>> from preact.plan import Conventions, imagenet_plan
    >>> rules = Conventions(projection="conv BN")
    >>> plan = imagenet_plan(
    ...     "original", depth=18, width=8, conventions=rules
    ... )
    >>> again = from_torchvision(to_torchvision(Network(plan, seed=0)))
    >>> again.plan == plan, again.training
    (True, False)
    """
    return read_weights("torchvision", weights)


def from_timm(weights: Weights, *, name: str | None = None) -> Network:
    """Build the network of a timm state dictionary.

    Parameters
    ----------
    weights : mapping of str to Tensor
        Of `resnetv2_18`, 34, 50, 101 or 152, or of `resnet18` to 152.
        Those with a `d`, `t`, `gn` or `bit` in the name are other networks,
        and refused.
    name : str, optional
        timm's name of the model, needed for `resnet18` to 152: `resnetaa50`
        and `resnetblur50` blur without weights, which therefore do not tell
        them from `resnet50`. They are refused.

    Returns
    -------
    Network
        In evaluation mode, in the dtype of the weights.

    Raises
    ------
    TypeError
        If they are no mapping of tensors.
    ValueError
        If they are of another network, or the name is; names the first odd
        key.

    Examples
    --------
    >>> from preact.converters import from_timm, to_timm
    >>> from preact.nn import Network
    >>> from preact.plan import Conventions, imagenet_plan
    >>> rules = Conventions(stem=(), first_tap="before pre", projection="conv")
    >>> plan = imagenet_plan(
    ...     "full-preactivation", depth=18, width=8, conventions=rules
    ... )
    >>> again = from_timm(to_timm(Network(plan, seed=0)))
    >>> again.plan == plan, again.training
    (True, False)
    """
    network = read_weights("timm", weights)
    if not network.plan.tail and not PLAIN.fullmatch(name or ""):
        raise ValueError(
            "timm: name must be that of a plain ResNet, such as 'resnet50' or "
            "'resnet50.a1_in1k', since weights do not tell it from "
            f"'resnetaa50', which blurs; got {name!r}"
        )
    return network


def to_pytorchcv(network: Network) -> dict[str, Tensor]:
    """Return the weights under pytorchcv's names, for a strict load.

    Parameters
    ----------
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
        If pytorchcv has no such network; says where it differs first.

    Examples
    --------
    >>> from preact.converters import to_pytorchcv
    >>> from preact.nn import Network
    >>> from preact.plan import Conventions, cifar_plan
    >>> rules = Conventions(projection="conv BN")
    >>> plan = cifar_plan("original", depth=20, convs=2, conventions=rules)
    >>> list(to_pytorchcv(Network(plan, seed=0)))[:2]
    ['features.init_block.conv.weight', 'features.init_block.bn.weight']
    """
    return write_weights("pytorchcv", network)


def to_torch_resnet(network: Network) -> dict[str, Tensor]:
    """Return the weights under torch-resnet's names, for a strict load.

    Parameters
    ----------
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
        If torch-resnet has no such network; says where it differs first.

    Examples
    --------
    >>> from preact.converters import to_torch_resnet
    >>> from preact.nn import Network
    >>> from preact.plan import Conventions, cifar_plan
    >>> rules = Conventions(first_tap="before pre", projection="conv")
    >>> plan = cifar_plan(
    ...     "full-preactivation", depth=20, convs=2, conventions=rules
    ... )
    >>> list(to_torch_resnet(Network(plan, seed=0)))[:2]
    ['init_layer.weight', 'layers.0.0.bn1.weight']
    """
    return write_weights("torch-resnet", network)


def to_torchvision(network: Network) -> dict[str, Tensor]:
    """Return the weights under torchvision's names, for a strict load.

    Parameters
    ----------
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
        If torchvision has no such network; says where it differs first.

    Examples
    --------
    >>> from preact.converters import to_torchvision
    >>> from preact.nn import Network
    >>> from preact.plan import Conventions, imagenet_plan
    >>> rules = Conventions(projection="conv BN")
    >>> plan = imagenet_plan(
    ...     "original", depth=18, width=8, conventions=rules
    ... )
    >>> list(to_torchvision(Network(plan, seed=0)))[:2]
    ['conv1.weight', 'bn1.weight']
    """
    return write_weights("torchvision", network)


def to_timm(network: Network) -> dict[str, Tensor]:
    """Return the weights under timm's names, for a strict load.

    Parameters
    ----------
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
        If timm has no such network; says where it differs first.

    Examples
    --------
    >>> from preact.converters import to_timm
    >>> from preact.nn import Network
    >>> from preact.plan import Conventions, imagenet_plan
    >>> rules = Conventions(stem=(), first_tap="before pre", projection="conv")
    >>> plan = imagenet_plan(
    ...     "full-preactivation", depth=18, width=8, conventions=rules
    ... )
    >>> list(to_timm(Network(plan, seed=0)))[:2]
    ['stem.conv.weight', 'stages.0.blocks.0.norm1.weight']
    """
    return write_weights("timm", network)
