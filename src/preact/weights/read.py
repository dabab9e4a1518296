"""Weights out of a file, everything it says checked."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from preact.data import Preprocessing
from preact.nn import MakeUnit, Network, put_units
from preact.nn.state import check_dtypes, check_numbers
from preact.plan import NetworkPlan
from preact.plan.written import read_plan
from preact.records.files import parse_json
from preact.typed import parse, plain, shortened
from preact.weights.header import (
    BESIDE,
    FORMAT,
    LATER,
    VERSION,
    Described,
    Header,
    check_shapes,
    checksum,
)


def load(path: Path | str, *, make: MakeUnit | None = None) -> Network:
    """Return the network that a file holds.

    Parameters
    ----------
    path : Path or str
        Of a file that `save` or `preact train` wrote.
    make : callable, optional
        What makes the units, where own code did: a file runs no code.

    Returns
    -------
    Network
        On the CPU, in evaluation mode, in the dtype of the weights; its
        `plan` is the one that was saved, and its `preprocess` normalizes
        images as its run did, if one trained it.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If the file is damaged, of something else, or of another version, or
        its numbers are not finite.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import torch
    >>> from preact.nn import Network
    >>> from preact.plan import cifar_plan
    >>> from preact.weights import load, save
    >>> plan = cifar_plan("full-preactivation", depth=8, convs=2, width=4)
    >>> trained = Network(plan, seed=1).eval()
    >>> with TemporaryDirectory() as folder:
    ...     save(trained, f"{folder}/mine.safetensors")
    ...     again = load(f"{folder}/mine.safetensors")
    >>> image = torch.ones(1, 3, 32, 32)
    >>> torch.equal(again(image), trained(image))
    True
    """
    path = Path(path)
    with _opened(path) as file:
        header = _read_header(path, file)
        code = parse_json(header.make, f"{path}: make")
        if (code is None) != (make is None):
            raise ValueError(
                f"{path}: its units are made by "
                + (
                    f"{shortened(code)}: give it to load(path, make=...)"
                    if make is None
                    else "preact: leave make out"
                )
            )
        plan = read_plan(
            parse_json(header.plan, f"{path}: plan"), f"{path}: plan"
        )
        slices = {
            name: file.get_slice(name)
            for name in file.keys()  # noqa: SIM118  (no mapping)
        }
        shapes = {n: tuple(s.get_shape()) for n, s in slices.items()}
        beside = {n: shapes.pop(n) for n in BESIDE if n in shapes}
        try:
            check_dtypes({slices[n].get_dtype() for n in shapes})
            check_shapes(shapes, plan, own_units=make is not None)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        tensors = {n: file.get_tensor(n) for n in (*shapes, *beside)}
    texts = {k: getattr(header, k) for k in ("plan", "config", *LATER)}
    if checksum(texts, tensors) != header.sha256:
        raise ValueError(
            f"{path} is damaged: its SHA-256 is not the one it carries"
        )
    try:
        check_numbers(tensors)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    preprocess = _preprocessing(path, header, tensors, plan.image)
    network = Network(plan, seed=0)
    if make is not None:
        put_units(network, make, seed=0)
    network.to(next(iter(tensors.values())).dtype)
    counters = {
        name: value
        for name, value in network.state_dict().items()
        if not value.is_floating_point()
    }
    try:
        network.load_state_dict(counters | tensors)
    except RuntimeError as error:  # of units that own code makes
        raise ValueError(f"{path}: {plain(error)}") from error
    network.preprocess = preprocess
    return network.eval()


def _preprocessing(
    path: Path,
    header: Header,
    tensors: dict[str, Tensor],
    image: tuple[int, int, int],
) -> Preprocessing | None:
    """Take the normalization out of a file's tensors, if it is there."""
    where = f"{path}: preprocess"
    told = parse_json(header.preprocess, where)
    found = [tensors.pop(name) for name in BESIDE if name in tensors]
    if told is None and not found:
        return None
    if told is None or len(found) < len(BESIDE):
        raise ValueError(f"{where} must be whole: a part of it is missing")
    mean, deviation = found
    said = parse(Described, told, where)
    legal = (image[0], 1, 1), image
    for name, value in zip(BESIDE, found, strict=True):
        if tuple(value.shape) not in legal:
            raise ValueError(
                f"{path}: {name} must have shape {legal[0]} or {image}; got "
                f"{tuple(value.shape)}"
            )
    if not (deviation > 0).all():
        raise ValueError(
            f"{path}: {BESIDE[1]} must be greater than 0 everywhere"
        )
    return Preprocessing(
        mean=mean,
        deviation=deviation,
        names=said.names,
        middle=said.middle,
        white=said.white,
    )


def read_plan_of(path: Path | str) -> NetworkPlan:
    """Return the plan of a file's network; the weights are not looked at.

    Parameters
    ----------
    path : Path or str
        A `.safetensors` file; the plan is in its head.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        As `read_config`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from preact.nn import Network
    >>> from preact.plan import cifar_plan
    >>> from preact.weights import read_plan_of, save
    >>> plan = cifar_plan("original", depth=8, convs=2, width=4)
    >>> with TemporaryDirectory() as folder:
    ...     save(Network(plan), f"{folder}/by_hand.safetensors")
    ...     read_plan_of(f"{folder}/by_hand.safetensors") == plan
    True
    """
    path = Path(path)
    with _opened(path) as file:
        text = _read_header(path, file).plan
    return read_plan(parse_json(text, f"{path}: plan"), f"{path}: plan")


def read_config(path: Path | str) -> dict[str, Any] | None:
    """Return the configuration of the run that trained a file's weights.

    Parameters
    ----------
    path : Path or str
        A `.safetensors` file; the plan is in its head.

    Returns
    -------
    dict or None
        As in the run's record; None if they were saved by hand.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If the file's header is damaged, of something else, or of another
        version; the weights are not looked at.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from preact.nn import Network
    >>> from preact.plan import cifar_plan
    >>> from preact.weights import read_config, save
    >>> plan = cifar_plan("full-preactivation", depth=8, convs=2, width=4)
    >>> with TemporaryDirectory() as folder:
    ...     save(Network(plan, seed=1), f"{folder}/by_hand.safetensors")
    ...     print(read_config(f"{folder}/by_hand.safetensors"))
    None
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
    path.open("rb").close()  # says so if it may not be read; the next does not
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
