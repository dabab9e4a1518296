"""Weights of other packages in our networks, and ours in theirs.

Networks agree where their plans do: original and full pre-activation units,
for CIFAR and for ImageNet. The plan is read off names and shapes.

Examples
--------
>>> from preact.nn import Network
>>> from preact.plan import Conventions, cifar_plan
>>> from preact.spec import TABLE_2
>>> plan = cifar_plan(
...     TABLE_2["full-preactivation"],
...     depth=20,
...     convs=2,
...     conventions=Conventions(first_tap="before pre", projection="conv"),
... )
>>> weights = to_pytorchcv(Network(plan, seed=0))
>>> list(weights)[:2]
['features.init_block.weight', 'features.stage1.unit1.body.conv1.bn.weight']
>>> from_pytorchcv(weights).plan.depth
20

Parameters
----------
network : Network
    Ours, in any mode.
"""

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
    ValueError
        If they are of another network; names the first odd key.
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
    ValueError
        If they are of another network; names the first odd key.
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
    ValueError
        If they are of another network; names the first odd key.
    """
    return read_weights("torchvision", weights)


def from_timm(weights: Weights) -> Network:
    """Build the network of a timm state dictionary.

    Parameters
    ----------
    weights : mapping of str to Tensor
        Of `resnetv2_18`, 34, 50, 101 or 152, or of `resnet18` to 152.
        Those with a `d`, `t`, `gn` or `bit` in the name are other networks,
        and refused; `resnetaa50` and `resnetblur50` blur without weights,
        which therefore do not tell them from `resnet50`.

    Returns
    -------
    Network
        In evaluation mode, in the dtype of the weights.

    Raises
    ------
    ValueError
        If they are of another network; names the first odd key.
    """
    return read_weights("timm", weights)


def to_pytorchcv(network: Network) -> dict[str, Tensor]:
    """Return the weights under pytorchcv's names, for a strict load.

    Raises
    ------
    ValueError
        If pytorchcv has no such network; says where it differs first.
    """
    return write_weights("pytorchcv", network)


def to_torch_resnet(network: Network) -> dict[str, Tensor]:
    """Return the weights under torch-resnet's names, for a strict load.

    Raises
    ------
    ValueError
        If torch-resnet has no such network; says where it differs first.
    """
    return write_weights("torch-resnet", network)


def to_torchvision(network: Network) -> dict[str, Tensor]:
    """Return the weights under torchvision's names, for a strict load.

    Raises
    ------
    ValueError
        If torchvision has no such network; says where it differs first.
    """
    return write_weights("torchvision", network)


def to_timm(network: Network) -> dict[str, Tensor]:
    """Return the weights under timm's names, for a strict load.

    Raises
    ------
    ValueError
        If timm has no such network; says where it differs first.
    """
    return write_weights("timm", network)
