"""The same function, faster: parameters and buffers are shared.

Chapter `08-training`.
"""

import copy
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise

import torch
from torch import Tensor, nn

from preact.fast.cpu.bn_relu import FastBNReLU
from preact.fast.cpu.build import kernels
from preact.fast.unit import FastUnit
from preact.nn.layers import BatchNorm
from preact.nn.network import Network, chain
from preact.nn.unit import Unit

__all__ = ["fast", "has_fused", "kernels"]
HALF = (torch.float16, torch.bfloat16)


def fast(network: Network) -> Network:
    """Return a network that computes the same function faster.

    Parameters
    ----------
    network : Network
        Its parameters and buffers are shared, not copied: train one and the
        other has learned. They are laid out with channels last.

    Returns
    -------
    Network
        With the same names in its `state_dict`; feed it images with channels
        last. Without a C compiler, or Triton on a GPU, BN and ReLU stay
        PyTorch's own.
    """
    tensors = [*network.parameters(), *network.buffers()]
    shared = copy.deepcopy(network, {id(t): t for t in tensors})
    for parameter in network.parameters():
        if parameter.ndim == 4:
            parameter.data = parameter.data.contiguous(
                memory_format=torch.channels_last
            )
    for module in shared.modules():
        if isinstance(module, nn.Sequential):
            for i, (bn, relu) in enumerate(pairwise(module)):
                if isinstance(bn, BatchNorm) and isinstance(relu, nn.ReLU):
                    module[i], module[i + 1] = FastBNReLU(bn), nn.Identity()
    shared.chain = shared.through = chain_fast
    scratch: dict[tuple[str, torch.Size], Tensor] = {}
    for unit in shared.units:
        assert isinstance(unit, Unit)
        unit.__class__ = FastUnit
        assert isinstance(unit, FastUnit)
        unit.prepare(scratch)
    return shared


def chain_fast(units: Iterable[nn.Module], x: Tensor) -> Tensor:
    """Hand x_0 from unit to unit; on a GPU, through the fused kernels.

    They are for half precision or TF32.
    """
    half = torch.is_autocast_enabled("cuda") or x.dtype in HALF
    tf32 = x.dtype == torch.float32 and torch.backends.cuda.matmul.allow_tf32
    if not (half or tf32) or not has_fused(x.device):
        return chain(units, x)
    from preact.fast.gpu.stretch import chain_fused

    return chain_fused(units, x)


@cache
def has_fused(device: torch.device) -> bool:
    """Whether a device runs the fused kernels: NVIDIA's, from Ampere on.

    Before, their registers do not suffice. Triton 3.3 comes with PyTorch 2.7.
    """
    if device.type != "cuda" or find_spec("triton") is None:
        return False
    triton = import_module("triton")
    major, minor = triton.__version__.split(".")[:2]
    capability = torch.cuda.get_device_capability(device)
    return (int(major), int(minor)) >= (3, 3) and capability >= (8, 0)
