"""The test error of a network, as it is when a run ends."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from preact.data import Data
from preact.data.augment import Augmentation
from preact.nn import Network
from preact.train.device import arithmetic, check_device
from preact.train.run import Execution

Batches = Iterable[tuple[Tensor, Tensor]]
Logits = Callable[[Tensor], Tensor]


def evaluate(
    network: Network,
    data: Data,
    *,
    normalization: str = "channel",
    execution: Execution | None = None,
    device: str = "cpu",
) -> float:
    """Return the error on the test images in percent.

    Parameters
    ----------
    network, data : Network and Data
        The network is moved to the device, and left in evaluation mode;
        images are given its dtype.
    normalization : {"channel", "pixel mean"}
        Of the images, by those to train on: as the run's recipe has it.
    execution : Execution, optional
        How the function is computed; float32 if not given.
    device : str
        "cpu", "cuda" or "cuda:<number>".

    Raises
    ------
    TypeError
        If the network or the data are something else.
    ValueError
        If the network reads images of other channels or tells fewer classes
        apart than the data have, if logits are not finite, or the device is
        not here.

    Examples
    --------
    >>> from preact import Network, cifar_plan
    >>> from preact.data import load
    >>> from preact.train import evaluate
    >>> data = load("digits")
    >>> plan = cifar_plan("original", depth=8, convs=2, image=data.shape)
    >>> 80 < evaluate(Network(plan, seed=0), data) < 95  # of ten digits
    True
    """
    for value, kind, words in (
        (network, Network, "network must be a preact.Network"),
        (data, Data, "data must be images, such as data.load('digits')"),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"{words}; got {type(value).__name__}")
    place, execution = check_device(device), execution or Execution()
    plan, channels = network.plan, data.shape[0]
    if plan.image[0] != channels or plan.classes < data.classes:
        raise ValueError(
            f"{data.label} needs a network for {channels} channels and "
            f"{data.classes} classes; this one has {plan.image[0]} and "
            f"{plan.classes}"
        )
    layout, dtype = execution.layout, network.classifier.weight.dtype
    network.to(place)
    network.to(memory_format=layout)  # type: ignore[call-overload]
    network.eval()
    numbers = arithmetic(execution.precision, place)

    def logits(x: Tensor) -> Tensor:
        with numbers:
            answers: Tensor = network(x.to(dtype))
        if not answers.isfinite().all():
            raise ValueError(
                f"the logits of ResNet-{plan.depth} must be finite on the "
                f"images of {data.label}; got NaN or infinity"
            )
        return answers

    loader = data.loader(Augmentation(normalization=normalization), place)
    wrong = count_wrong(logits, loader.test(0, 1), layout, place)
    return 100.0 * float(wrong) / data.counts[1]


@torch.no_grad()
def count_wrong(
    logits: Logits,
    batches: Batches,
    layout: torch.memory_format,
    device: torch.device,
) -> Tensor:
    """Count the images whose largest logit is not their label's.

    A float64 on the device; 0 if there are no batches.
    """
    wrong = torch.zeros((), dtype=torch.float64, device=device)
    for x, y in batches:
        answers = logits(x.contiguous(memory_format=layout))
        wrong += (answers.argmax(1) != y).sum()
    return wrong
