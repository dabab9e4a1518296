"""A whole network in PyTorch.

The twin of `preact.reference.network`.
"""

import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import is_dataclass, replace
from typing import Any, get_args

import numpy as np
import torch
from torch import Tensor, nn

from preact.nn.layers import is_traced, sequential
from preact.nn.memory import FrugalUnit, Memory, run_segments
from preact.nn.unit import Unit
from preact.plan import Conv, Linear, NetworkPlan
from preact.plan.checks import (
    MOST,
    check_batch,
    check_choice,
    check_positive,
)

Arrays = Mapping[str, np.ndarray[Any, Any]]


class Network(nn.Module):
    """The planned network: images (N, C, H, W) to logits (N, classes).

    Parameters
    ----------
    plan : NetworkPlan
        What to build.
    seed : int, optional
        Seed of the initial weights; None draws from PyTorch's global
        generator.
    memory : {"keep", "recompute", "unit", "segment"}
        What is kept between forward and backward pass: all activations; all
        but the outputs of BN-ReLU in front of a convolution; what each unit
        reads; what every sqrt(L)-th of L units reads. The rest is computed
        again, and the gradients are the same.

    Attributes
    ----------
    preprocess : callable or None
        Uint8 images to what the network was trained to read, where its
        weights were kept with it (`preact.load`).
    make : str or None
        What made the units, where `put_units` put others there.

    Raises
    ------
    TypeError
        If the plan is none.
    ValueError
        If `memory` is none of these.
    RuntimeError
        In the backward pass, if weights or modes have changed since the
        forward pass and something is to be computed again from them.

    Notes
    -----
    `load_arrays` takes the reference's dictionary, `arrays` gives one back.

    References
    ----------
    Sec. 5; appendix, for BN and ReLU at the ends of pre-activation networks.

    Examples
    --------
    >>> import torch
    >>> from preact.nn import Network
    >>> from preact.plan import cifar_plan
    >>> plan = cifar_plan("full-preactivation", depth=20, convs=2)
    >>> network = Network(plan, seed=0)
    >>> network(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 10])
    >>> sum(w.numel() for w in network.parameters()) == plan.parameters
    True
    """

    def __init__(
        self,
        plan: NetworkPlan,
        seed: int | None = None,
        *,
        memory: Memory = "keep",
    ) -> None:
        super().__init__()
        if not isinstance(plan, NetworkPlan):
            raise TypeError(
                "Network needs a NetworkPlan, such as cifar_plan(spec, "
                f"depth=110, convs=2); got {plan!r}"
            )
        check_choice("memory", memory, get_args(Memory))
        self.plan, self.memory = plan, memory
        self.preprocess: Callable[[Tensor], Tensor] | None = None
        self.make: str | None = None
        self.stem = sequential(plan.stem)
        kind = Unit if memory == "keep" else FrugalUnit
        self.units = nn.ModuleList(kind(unit) for unit in plan.units)
        self.tail = sequential(plan.tail)
        head = plan.classifier
        self.classifier = nn.Linear(head.c_in, head.c_out)
        self._initialize(seed)

    def forward(self, x: Tensor) -> Tensor:
        """Compute the logits (N, classes), in the dtype of the weights.

        Parameters
        ----------
        x : (N, C, H, W) float tensor
            Images; their dtype is that of the computation.

        Raises
        ------
        TypeError
            If the images are no tensor of floating-point numbers, or of
            another dtype than the weights without autocast.
        ValueError
            If the images have other channels than the plan, or leave one
            value per channel to a batch normalization in training.
        """
        _check_images(x, self.plan, next(self.parameters(), None))
        x = self.stem(x)
        x = self.run_units(x)
        x = self.tail(x)
        return self.classifier(x.mean((2, 3)))  # type: ignore[no-any-return]

    def run_units(self, x: Tensor) -> Tensor:
        """Hand x_0 from unit to unit.

        Parameters
        ----------
        x : (N, C, H, W) float tensor
            What the first unit reads.
        """
        if self.memory in ("unit", "segment"):
            units = [*self.units]
            longer = self.memory == "segment"
            return run_segments(
                units, x, math.isqrt(len(units)) if longer else 1
            )
        for unit in self.units:
            x = unit(x)
        return x

    def load_arrays(self, params: Arrays) -> None:
        """Copy in a plain dictionary of arrays with the reference's names.

        Parameters
        ----------
        params : mapping of str to array
            By parameter name, as `preact.reference.initialize` draws them.

        Raises
        ------
        RuntimeError
            If names or shapes are not those of the plan.
        """
        self.load_state_dict(
            {name: torch.as_tensor(value) for name, value in params.items()}
        )

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return a plain dictionary of arrays with the reference's names."""
        return {
            name: value.detach().cpu().numpy().copy()
            for name, value in self.state_dict().items()
        }

    @torch.no_grad()
    def _initialize(self, seed: int | None) -> None:
        """Draw the weights as the plan says (see `reference.initialize`)."""
        rng = None
        if seed is not None:
            rng = torch.Generator().manual_seed(seed)
        params = dict(self.named_parameters())
        for placed in self.plan.placed_layers:
            match placed.layer:
                case Conv() as conv:
                    deviation = conv.deviation(self.plan.init)
                    weight = params[f"{placed.name}.weight"]
                    weight.normal_(0.0, deviation, generator=rng)
                    if conv.bias is not None:
                        params[f"{placed.name}.bias"].fill_(conv.bias)
                case Linear() as linear:
                    bound = 1.0 / math.sqrt(linear.c_in)
                    weight = params[f"{placed.name}.weight"]
                    weight.uniform_(-bound, bound, generator=rng)
                    params[f"{placed.name}.bias"].zero_()


def with_classes(
    network: Network, classes: int, *, seed: int | None = None
) -> Network:
    """Return a copy with a new classifier, to be trained on other images.

    Parameters
    ----------
    network : Network
        It stays as it is.
    classes : int
        Outputs of the new classifier.
    seed : int, optional
        Of its weights; None draws from PyTorch's global generator.

    Returns
    -------
    Network
        On the same device, in the same dtype and mode; everything but the
        classifier and the names of the classes is copied, nothing shared.

    Examples
    --------
    >>> import torch
    >>> from preact.nn import Network, with_classes
    >>> from preact.plan import cifar_plan
    >>> plan = cifar_plan("full-preactivation", depth=8, convs=2, width=4)
    >>> network = Network(plan, seed=0)
    >>> pets = with_classes(network, 7, seed=0)
    >>> pets(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 7])
    >>> torch.equal(pets.stem[0].weight, network.stem[0].weight)
    True
    """
    check_positive("classes", classes, MOST["classes"])
    other = deepcopy(network)
    other.zero_grad()
    other.plan = replace(network.plan, classes=classes)
    if is_dataclass(other.preprocess):
        other.preprocess = replace(other.preprocess, names=())
    weight = network.classifier.weight
    head = Network(other.plan, seed=seed).classifier
    other.classifier = head.to(weight.device, weight.dtype)
    return other.train(network.training)


def start_from(network: Network, weights: Mapping[str, Tensor]) -> None:
    """Copy weights of another network; a classifier only of as many classes.

    Raises
    ------
    RuntimeError
        If names or shapes differ elsewhere.
    """
    own = network.state_dict()
    head = {name for name in own if name.startswith("classifier.")}
    fits = all(weights[name].shape == own[name].shape for name in head)
    network.load_state_dict(
        {
            name: own[name] if name in head and not fits else value
            for name, value in weights.items()
        }
    )


def _check_images(x: Tensor, plan: NetworkPlan, weight: Tensor | None) -> None:
    """Raise an error unless x is a batch of images for plan and weights."""
    if is_traced(x):
        return
    if not isinstance(x, Tensor) or not x.is_floating_point():
        kind = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise TypeError(
            "images must be a torch.Tensor of floating-point numbers, "
            f"normalized; got {kind}"
        )
    if (
        weight is not None
        and weight.dtype != x.dtype
        and not torch.is_autocast_enabled(x.device.type)
    ):
        raise TypeError(
            f"images must be of the weights' dtype, {weight.dtype}; got "
            f"{x.dtype}"
        )
    check_batch(tuple(x.shape), plan.image[0])
