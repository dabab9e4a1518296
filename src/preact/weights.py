"""Trained weights in a file that says which network they belong to.

A safetensors file: the tensors under the names of `Network.state_dict()`, and
in its header the plan, the configuration of the run that trained them, if
one did, how the images were normalized and what the classes are called
(`network.preprocess`), and a checksum of it all. Nothing in it is ever
executed.
"""

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import torch
from pydantic import Field, Json
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as to_safetensors
from torch import Tensor

from preact.data.preprocessing import Preprocessing
from preact.nn import Network, put_units
from preact.nn.own_units import MakeUnit
from preact.nn.state import check_kinds, check_numbers, check_shapes
from preact.plan import NetworkPlan
from preact.plan.written import WrittenPlan, write_plan
from preact.records.files import write_new
from preact.typed import (
    Sha256,
    has_changed,
    parse,
    plain,
    shortened,
    typed,
)

__all__ = ["load", "save"]

FORMAT = "preact weights"
log = logging.getLogger(__name__)
# Tensors beside the network's: how its images were normalized.
MEAN, DEVIATION = BESIDE = ("preprocess.mean", "preprocess.deviation")


@typed
class WrittenPreprocessing:
    """What the header says of the preprocessing, beside its two tensors."""

    names: tuple[str, ...] = ()
    middle: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    white: Annotated[int, Field(ge=1, le=255)] = 255


@typed
class Header:
    """What a file says of its tensors; every value is a text."""

    format: Literal["preact weights"]
    version: Literal["1"]
    plan: Json[WrittenPlan]
    config: Json[dict[str, Any] | None]
    preprocess: Json[WrittenPreprocessing | None]
    make: Json[str | None]
    sha256: Sha256


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
        images as its run did, or is None if no run trained it.

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
    >>> from preact import Network, cifar_plan, load, save
    >>> plan = cifar_plan("full-preactivation", depth=8, convs=2, width=4)
    >>> trained = Network(plan, seed=1).eval()
    >>> with TemporaryDirectory() as folder:
    ...     save(trained, f"{folder}/mine.safetensors")
    ...     again = load(f"{folder}/mine.safetensors")
    >>> image = torch.ones(1, 3, 32, 32)
    >>> torch.equal(again(image), trained(image))
    True
    """
    with _opened(path) as (file, header):
        if header.make is not None and make is None:
            raise ValueError(
                f"its units are made by {shortened(header.make)}: give it to "
                "load(path, make=...), on the command line to --make"
            )
        if header.make is None and make is not None:
            raise ValueError("its units are made by preact: leave make out")
        plan = header.plan.plan
        tensors = {
            name: file.get_tensor(name)
            for name in file.keys()  # noqa: SIM118  (no mapping)
        }
        beside = {n: tensors.pop(n) for n in BESIDE if n in tensors}
        if checksum(file.metadata(), tensors | beside) != header.sha256:
            raise ValueError(
                "the file is damaged: its SHA-256 is not the one it carries"
            )
        check_numbers(tensors | beside)
        network = Network(plan, seed=0)
        if make is not None:
            put_units(network, make, seed=0)
        network.to(next(iter(tensors.values())).dtype)
        made = network.state_dict()
        counters = {n: v for n, v in made.items() if not v.is_floating_point()}
        own, theirs = (
            {(name, value.shape) for name, value in weights.items()}
            for weights in (made, counters | tensors)
        )
        if own != theirs:
            raise ValueError(
                f"its units are made by {header.make!r}; what `make` makes "
                f"has other weights, {min(own ^ theirs)[0]} among them"
            )
        network.load_state_dict(counters | tensors)
        _warn_of_other_code(path, header, make)
    network.make = header.make
    if header.preprocess is not None:
        network.preprocess = Preprocessing(
            mean=beside[MEAN],
            deviation=beside[DEVIATION],
            **vars(header.preprocess),
        )
    return network.eval()


def _warn_of_other_code(
    path: Path | str, header: Header, make: MakeUnit | None
) -> None:
    """Say so if the units were trained with another file than theirs now."""
    if make is not None and has_changed(make, header.config or {}):
        log.warning(
            "%s: the code that makes its units has changed since they were "
            "trained",
            path,
        )


def read_header(path: Path | str) -> Header:
    """Return what a file says; its weights are not looked at."""
    with _opened(path) as (_, header):
        return header


@contextmanager
def _opened(path: Path | str) -> Iterator[tuple[Any, Header]]:
    """Open a file and read its header; what is wrong in it names the file."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist{_beside(path)}")
    if not path.is_file():
        raise ValueError(f"{path} must be a regular file{_beside(path)}")
    path.open("rb").close()  # says so if it may not be read; the next does not
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT:
                raise ValueError(
                    "holds no network of preact, as preact.save writes it"
                )
            yield file, parse(Header, metadata)
    except SafetensorError as error:
        raise ValueError(
            f"{path} must be a file of weights (.safetensors); it is none, or "
            f"damaged{_beside(path)}"
        ) from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    except RuntimeError as error:  # of units that own code makes
        raise ValueError(f"{path}: {plain(error)}") from error


def _beside(path: Path) -> str:
    """Say where the weights are that another path of a run may stand for."""
    if path.is_dir():
        files = sorted(path.rglob("*.safetensors"))
    else:
        files = [path.with_suffix(".safetensors")]
    if files and files[0] != path and files[0].is_file():
        return f"; there are weights in {files[0]}"
    if path.suffix in (".json", ".csv"):
        return "; `preact ablate --save` keeps weights beside a record"
    return ""


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
    >>> from tempfile import TemporaryDirectory
    >>> from preact import Network, cifar_plan, save
    >>> plan = cifar_plan("full-preactivation", depth=8, convs=2, width=4)
    >>> with TemporaryDirectory() as folder:
    ...     save(Network(plan, seed=0), f"{folder}/mine.safetensors")
    """
    if not isinstance(network, Network):
        raise TypeError(
            f"network must be a preact.Network; got {type(network).__name__}"
        )
    weights = network.state_dict()
    if network.make is not None:
        weights = _without_counters(weights)
    check_kinds(weights)
    check_numbers(weights)
    preprocess = network.preprocess
    kept = preprocess if isinstance(preprocess, Preprocessing) else None
    save_weights(
        path, network.plan, weights, preprocess=kept, make=network.make
    )


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
    `make` is where the code stands that makes the units, if it is not ours.
    ValueError if it is a folder, or the weights are not the plan's.
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path} must be a file; got a folder")
    if make is not None:
        weights = _without_counters(weights)
    check_kinds(weights)
    wanted, found = plan.tensors, weights
    if make is not None:  # of whose units the plan knows nothing
        wanted = {n: s for n, s in wanted.items() if n[:6] != "units."}
        found = {n: v for n, v in weights.items() if n[:6] != "units."}
    check_shapes(found, wanted, f"a ResNet-{plan.depth} of `{plan.spec}`")
    tensors = {
        name: value.detach().to(
            "cpu", copy=True, memory_format=torch.contiguous_format
        )
        for name, value in weights.items()
    }
    described = None
    if preprocess is not None:
        tensors[MEAN] = preprocess.mean.float().cpu().contiguous()
        tensors[DEVIATION] = preprocess.deviation.float().cpu().contiguous()
        described = {
            "names": list(preprocess.names),
            "middle": preprocess.middle,
            "white": preprocess.white,
        }
    texts = {
        "format": FORMAT,
        "version": "1",
        "plan": json.dumps(write_plan(plan)),
        "config": json.dumps(config, allow_nan=False),
        "preprocess": json.dumps(described),
        "make": json.dumps(make),
    }
    texts["sha256"] = checksum(texts, tensors)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_new(
        path, _sort_metadata(to_safetensors(tensors, texts)), replace=True
    )


def _without_counters(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Leave out what own units count: batches seen are no weights."""
    return {n: v for n, v in weights.items() if v.is_floating_point()}


def checksum(texts: Mapping[str, str], tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 of what the file says and holds."""
    digest = hashlib.sha256()
    for name in ("plan", "config"):
        digest.update(texts[name].encode())
    for name in ("preprocess", "make"):
        if texts[name] != "null":
            digest.update(texts[name].encode())
    for name in sorted(tensors):
        digest.update(tensors[name].reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _sort_metadata(content: bytes) -> bytes:
    """Sort the metadata of a safetensors file: equal input, equal bytes.

    A file is the header's length in 8 bytes, the header in JSON, filled up
    to a multiple of 8 bytes with blanks, and the tensors.
    """
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    raw = json.dumps(header, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % 8)
    return len(raw).to_bytes(8, "little") + raw + content[start:]
