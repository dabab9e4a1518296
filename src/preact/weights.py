"""Trained weights in a file that says which network they belong to.

A safetensors file: the tensors under the names of `Network.state_dict()`, and
in its header the plan, the configuration of the run that trained them, if
one did, and a checksum of it all. Nothing in it is ever executed.

Examples
--------
>>> from tempfile import TemporaryDirectory
>>> from preact.nn import Network
>>> from preact.plan import cifar_plan
>>> plan = cifar_plan("full-preactivation", depth=20, convs=2)
>>> with TemporaryDirectory() as folder:
...     save(Network(plan, seed=1), f"{folder}/mine.safetensors")
...     network = load(f"{folder}/mine.safetensors")
>>> network.plan == plan, network.training
(True, False)

Parameters
----------
path : Path or str
    A `.safetensors` file; the plan is in its head.
plan : NetworkPlan
    Of the network.
weights : mapping of str to Tensor
    Parameters and running statistics by name.
config : mapping, optional
    The configuration of the run, as its record has it.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import torch
from pydantic import Field
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as to_safetensors
from torch import Tensor

from preact.nn import Network
from preact.plan import NetworkPlan
from preact.plan.written import read_plan, write_plan
from preact.records.files import parse_json, write_new
from preact.typed import parse, plain, shortened, typed

__all__ = ["load", "read_config", "save", "save_weights"]
FORMAT, VERSION = "preact weights", "1"
DTYPES = ("F16", "BF16", "F32", "F64")  # as the format calls them
Shapes = Mapping[str, tuple[int, ...]]


@typed
class Header:
    """What the file says of its tensors, each value a text."""

    format: str
    version: str
    plan: str
    config: str = "null"
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


def save(network: Network, path: Path | str) -> None:
    """Write a network's plan and weights; the file is whole or not there.

    Parameters
    ----------
    network : Network
        On any device, in any memory format, float16 to float64.
    path : Path or str
        Its folder is made; a file that is there is replaced.

    Raises
    ------
    TypeError
        If it is no `Network`, but another module that may hold one.
    ValueError
        If its weights are not those of its plan, or the path is a folder.
    """
    if not isinstance(network, Network):
        raise TypeError(
            f"network must be a preact.Network; got {type(network).__name__}"
        )
    save_weights(path, network.plan, network.state_dict())


def save_weights(
    path: Path | str,
    plan: NetworkPlan,
    weights: Mapping[str, Tensor],
    config: Mapping[str, Any] | None = None,
) -> None:
    """Write weights, and the configuration of the run that trained them.

    Raises
    ------
    ValueError
        If they are not those of the plan, the configuration is not JSON,
        or the path is a folder.
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path} must be a file; got a folder")
    tensors = {
        name: value.detach().to(
            "cpu", copy=True, memory_format=torch.contiguous_format
        )
        for name, value in weights.items()
    }
    _check_shapes({n: tuple(t.shape) for n, t in tensors.items()}, plan)
    texts = {
        "format": FORMAT,
        "version": VERSION,
        "plan": json.dumps(write_plan(plan)),
        "config": json.dumps(config, allow_nan=False),
    }
    texts["sha256"] = _checksum(texts, tensors)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = _in_order(to_safetensors(tensors, texts))
    write_new(path, content, replace=True)


def load(path: Path | str) -> Network:
    """Return the network that a file holds.

    Parameters
    ----------
    path : Path or str
        Of a file that `save` or `preact train` wrote.

    Returns
    -------
    Network
        On the CPU, in evaluation mode, in the dtype of the weights; its
        `plan` is the one that was saved.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If the file is damaged, of something else, or of another version.
    """
    path = Path(path)
    with _opened(path) as file:
        header = _read_header(path, file)
        plan = read_plan(
            parse_json(header.plan, f"{path}: plan"), f"{path}: plan"
        )
        _check_dtypes(path, file)
        shapes = {
            name: tuple(file.get_slice(name).get_shape())
            for name in file.keys()  # noqa: SIM118  (no mapping)
        }
        try:
            _check_shapes(shapes, plan)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        tensors = {name: file.get_tensor(name) for name in shapes}
    texts = {k: getattr(header, k) for k in ("plan", "config")}
    if _checksum(texts, tensors) != header.sha256:
        raise ValueError(
            f"{path} is damaged: its SHA-256 is not the one it carries"
        )
    network = Network(plan, seed=0)
    network.to(next(iter(tensors.values())).dtype)
    network.load_state_dict(tensors)
    return network.eval()


def read_config(path: Path | str) -> dict[str, Any] | None:
    """Return the configuration of the run that trained a file's weights.

    Returns
    -------
    dict or None
        As in the run's record; None if they were saved by hand.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If the file is damaged, of something else, or of another version.
    """
    path = Path(path)
    with _opened(path) as file:
        text = _read_header(path, file).config
    config = parse_json(text, f"{path}: config")
    if config is not None and not isinstance(config, dict):
        raise ValueError(
            f"{path}: config must be a table; got {shortened(config)}"
        )
    return config


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a safetensors file, its layout checked."""
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    if not path.is_file():
        raise ValueError(f"{path} must be a regular file")
    try:
        file = safe_open(path, framework="pt")
    except SafetensorError as error:
        raise ValueError(
            f"{path} is no safetensors file, or damaged: {plain(error)}"
        ) from error
    with file:
        yield file


def _read_header(path: Path, file: Any) -> Header:
    """What the file says of itself."""
    texts = file.metadata() or {}
    if texts.get("format") != FORMAT:
        raise ValueError(
            f"{path} holds no network of preact; weights of other packages "
            "are read by preact.converters"
        )
    if texts.get("version") != VERSION:
        raise ValueError(
            f"{path} must be of version {VERSION}; got "
            f"{shortened(texts.get('version'))}: of a newer preact?"
        )
    return parse(Header, texts, str(path))


def _check_dtypes(path: Path, file: Any) -> None:
    """Refuse anything but floating-point numbers of one kind."""
    names = file.keys()
    dtypes = {file.get_slice(name).get_dtype() for name in names}
    if len(dtypes) != 1 or not dtypes <= set(DTYPES):
        raise ValueError(
            f"{path} must hold weights of one kind, {' or '.join(DTYPES)}; "
            f"got {', '.join(sorted(dtypes)) or 'none'}"
        )


def _check_shapes(shapes: Shapes, plan: NetworkPlan) -> None:
    """Refuse tensors that are not those of the plan."""
    with torch.device("meta"):  # names and shapes alone
        wanted = {
            name: tuple(value.shape)
            for name, value in Network(plan).state_dict().items()
        }
    network = f"ResNet-{plan.depth} of `{plan.spec}`"
    for name in wanted:
        if name not in shapes:
            raise ValueError(f"{name} of a {network} is missing")
    for name, shape in shapes.items():
        if name not in wanted:
            raise ValueError(f"{shortened(name)} has no place in a {network}")
        if shape != wanted[name]:
            raise ValueError(
                f"{name} of a {network} must have shape {wanted[name]}; "
                f"got {shape}"
            )


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


def _checksum(texts: Mapping[str, str], tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 of what the file says and holds."""
    digest = hashlib.sha256()
    for name in ("plan", "config"):
        digest.update(texts[name].encode())
    for name in sorted(tensors):
        digest.update(tensors[name].reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
