"""Networks by address: `package.module:factory`, `timm:NAME`.

The code that an address names is imported and called: look only at what you
would run.
"""

import importlib
import reprlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch import nn

from preact.typed import plain

LEGAL = "package.module:factory, timm:NAME, torchvision:NAME or pytorchcv:NAME"


def load(address: str) -> nn.Module:
    """Import and make the network that an address names.

    Parameters
    ----------
    address : str
        A callable without arguments in a module that can be imported from
        the current folder, or a name in the registry of a package. Nothing
        is downloaded: weights are random.

    Raises
    ------
    ValueError
        If there is no such thing, it needs arguments, fails, or makes no
        module; the sentence says which.
    """
    place, colon, name = address.partition(":")
    if not (place and colon and name):
        raise ValueError(f"address must be {LEGAL}; got {address!r}")
    if place in REGISTRIES:
        room, make = REGISTRIES[place]
        package = _module(room)  # never a file of that name beside you
        made = _called(address, lambda: make(package, name))
    else:
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
        thing = _attribute(_module(place), name, address)
        made = thing if isinstance(thing, nn.Module) else _made(address, thing)
    if not isinstance(made, nn.Module):
        raise ValueError(
            f"{address} must make a torch.nn.Module; it made {_short(made)}"
        )
    return made


def _made(address: str, thing: object) -> object:
    """Call what an address names."""
    if not callable(thing):
        raise ValueError(
            f"{address} must be a function or class that makes a network; "
            f"got {_short(thing)}"
        )
    return _called(address, thing)


def _called(address: str, make: Callable[[], object]) -> object:
    """Call a factory, and say in one sentence if it cannot be."""
    try:
        return make()
    except (Exception, SystemExit) as error:
        raise ValueError(
            f"{address} must make a network when it is called without "
            f"arguments; it raised {type(error).__name__}: {plain(error)}"
        ) from error


def _module(name: str) -> Any:
    """Import a module, and say in one sentence if it cannot be."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise ValueError(
            f"{name} must be a module that can be imported; "
            f"{type(error).__name__}: {plain(error)}"
        ) from error


def _attribute(module: Any, name: str, address: str) -> object:
    """Look a dotted name up in a module."""
    thing: object = module
    for part in name.split("."):
        if not hasattr(thing, part):
            raise ValueError(
                f"{address} must name something in {module.__name__}; it has "
                f"no {name}"
            )
        thing = getattr(thing, part)
    return thing


def _short(thing: object) -> str:
    """Show a value on one line."""
    return " ".join(reprlib.repr(thing).split())


def _timm(package: Any, name: str) -> object:
    return package.create_model(name, pretrained=False)


def _torchvision(package: Any, name: str) -> object:
    return package.get_model(name, weights=None)


def _pytorchcv(package: Any, name: str) -> object:
    return package.get_model(name)


REGISTRIES: dict[str, tuple[str, Callable[[Any, str], object]]] = {
    "timm": ("timm", _timm),
    "torchvision": ("torchvision.models", _torchvision),
    "pytorchcv": ("pytorchcv.model_provider", _pytorchcv),
}
