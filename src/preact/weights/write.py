"""Weights into a file that is whole or not there."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save as to_safetensors
from torch import Tensor

from preact.data import Preprocessing
from preact.nn import Network
from preact.nn.state import check_kinds, check_numbers
from preact.plan import NetworkPlan
from preact.plan.written import write_plan
from preact.records.files import write_new
from preact.typed import plain, shortened
from preact.weights.header import (
    BESIDE,
    FORMAT,
    VERSION,
    check_shapes,
    checksum,
    described,
)


def save(network: Network, path: Path | str) -> None:
    """Write a network's plan and weights; the file is whole or not there.

    Parameters
    ----------
    network : Network
        On any device, in any memory format; all of it in float16, bfloat16,
        float32 or float64.
    path : Path or str
        Its folder is made; a file that is there is replaced.

    Raises
    ------
    TypeError
        If it is no `Network`, but another module that may hold one.
    ValueError
        If its weights are not those of its plan, of several kinds or not
        finite, or if the path is a folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from preact.nn import Network
    >>> from preact.plan import cifar_plan
    >>> from preact.weights import save
    >>> plan = cifar_plan("full-preactivation", depth=8, convs=2, width=4)
    >>> with TemporaryDirectory() as folder:
    ...     files = [Path(folder, f"{n}.safetensors") for n in (1, 2)]
    ...     for file in files:
    ...         save(Network(plan, seed=0), file)
    ...     print(files[0].read_bytes() == files[1].read_bytes())
    True
    """
    if not isinstance(network, Network):
        raise TypeError(
            f"network must be a preact.Network; got {type(network).__name__}"
        )
    weights = network.state_dict()
    check_kinds(weights)
    check_numbers(weights)
    preprocess = network.preprocess
    kept = preprocess if isinstance(preprocess, Preprocessing) else None
    save_weights(path, network.plan, weights, preprocess=kept)


def save_weights(
    path: Path | str,
    plan: NetworkPlan,
    weights: Mapping[str, Tensor],
    config: Mapping[str, Any] | None = None,
    preprocess: Preprocessing | None = None,
    make: str | None = None,
) -> None:
    """Write weights, and the configuration of the run that trained them.

    Those of a run that has diverged are written, too; `load` refuses them.

    Parameters
    ----------
    path : Path or str
        A `.safetensors` file; the plan is in its head.
    plan : NetworkPlan
        Of the network.
    weights : mapping of str to Tensor
        Parameters and running statistics by name.
    config : mapping or None
        The configuration of the run, as its record has it.
    preprocess : Preprocessing or None
        How the images were normalized, and names of the classes.
    make : str or None
        Where the code stands that makes the units, if it is not ours.

    Raises
    ------
    ValueError
        If they are not those of the plan, or of several kinds, the
        configuration is no table of JSON values, or the path is a folder.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from preact.nn import Network
    >>> from preact.plan import cifar_plan
    >>> from preact.weights import read_config, save_weights
    >>> plan = cifar_plan("full-preactivation", depth=8, convs=2, width=4)
    >>> weights = Network(plan, seed=1).state_dict()
    >>> with TemporaryDirectory() as folder:
    ...     path = f"{folder}/mine.safetensors"
    ...     save_weights(path, plan, weights, config={"lr": 0.1})
    ...     read_config(path)
    {'lr': 0.1}
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path} must be a file; got a folder")
    if make is not None:  # counters of batches are no weights
        weights = {n: v for n, v in weights.items() if v.is_floating_point()}
    check_kinds(weights)
    tensors = {
        name: value.detach().to(
            "cpu", copy=True, memory_format=torch.contiguous_format
        )
        for name, value in weights.items()
    }
    check_shapes(
        {n: tuple(t.shape) for n, t in tensors.items()},
        plan,
        own_units=make is not None,
    )
    if preprocess is not None:
        values = (preprocess.mean, preprocess.deviation)
        for name, value in zip(BESIDE, values, strict=True):
            tensors[name] = value.float().cpu().contiguous()
    texts = {
        "format": FORMAT,
        "version": VERSION,
        "plan": json.dumps(write_plan(plan)),
        "config": _as_json(config),
        "preprocess": _as_json(
            None if preprocess is None else described(preprocess)
        ),
    }
    texts["make"] = json.dumps(make)
    texts["sha256"] = checksum(texts, tensors)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = _in_order(to_safetensors(tensors, texts))
    write_new(path, content, replace=True)


def _as_json(config: Mapping[str, Any] | None) -> str:
    """The configuration as text."""
    if config is not None and not isinstance(config, Mapping):
        raise ValueError(f"config must be a table; got {shortened(config)}")
    try:
        return json.dumps(config, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"config must be JSON values: {plain(error)}"
        ) from error


def _in_order(content: bytes) -> bytes:
    """Sort the texts of the header, which safetensors puts in any order.

    A file is the header's length in 8 bytes, the header in JSON, filled up
    to a multiple of 8 bytes with blanks, and the tensors.
    """
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"))
    raw = text.encode()
    raw += b" " * (-len(raw) % 8)
    return len(raw).to_bytes(8, "little") + raw + content[start:]
