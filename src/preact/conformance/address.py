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

from preact.typed import raised

LEGAL = "package.module:factory, timm:NAME, torchvision:NAME or pytorchcv:NAME"
REGISTRIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "timm": ("timm", "create_model", {"pretrained": False}),
    "torchvision": ("torchvision.models", "get_model", {"weights": None}),
    "pytorchcv": ("pytorchcv.model_provider", "get_model", {}),
}
"""Where a package makes its networks, with random weights."""


def load(address: str) -> nn.Module:
    """Make the network that an address names, at random weights.

    Refuse what there is not, needs arguments, fails, or makes no module.
    """
    place, colon, name = address.partition(":")
    if address.endswith(".safetensors"):
        raise ValueError(
            "address must be package.module:factory, of a function that "
            f"returns preact.load({address!r}); got weights"
        )
    if place.endswith(".py"):
        module = ".".join(Path(place).with_suffix("").parts)
        raise ValueError(
            f"address must be of a module, as in {module}:{name} from the "
            f"folder that it is imported from; got the file {place}"
        )
    if not (place and colon and name):
        raise ValueError(f"address must be {LEGAL}; got {address!r}")
    if place in REGISTRIES:
        room, make, options = REGISTRIES[place]
        registry = _imported(room)  # never a file of that name beside you
        made = _called(
            address, lambda: getattr(registry, make)(name, **options)
        )
    else:
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
        made = _imported(place)
        for part in name.split("."):
            if not hasattr(made, part):
                raise ValueError(
                    f"{address} must name something in {place}; it has no "
                    f"{name}"
                )
            made = getattr(made, part)
        if not isinstance(made, nn.Module):
            made = _called(address, made)
    if not isinstance(made, nn.Module):
        raise ValueError(
            f"{address} must make a torch.nn.Module; it made {_short(made)}"
        )
    return made


def _called(address: str, make: Callable[[], object]) -> Any:
    """Call a factory, and say in one sentence if it cannot be."""
    if not callable(make):
        raise ValueError(
            f"{address} must be a function or class that makes a network; "
            f"got {_short(make)}"
        )
    try:
        return make()
    except (Exception, SystemExit) as error:
        no_unit = ", not one unit," if isinstance(error, TypeError) else ""
        raise ValueError(
            f"{address} must make a whole network{no_unit} when it is called "
            f"without arguments; it raised {raised(error)}"
        ) from error


def _imported(name: str) -> Any:
    """Import a module, and say in one sentence if it cannot be."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        package = name.partition(".")[0]
        if package in REGISTRIES and getattr(error, "name", "") == package:
            raise ValueError(
                f"{package} must be installed: `pip install {package}`"
            ) from error
        raise ValueError(
            f"{name} must be a module that can be imported; {raised(error)}"
        ) from error


def _short(thing: object) -> str:
    """Show a value on one line."""
    return " ".join(reprlib.repr(thing).split())
