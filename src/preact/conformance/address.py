"""Networks by address: `package.module:factory`, `timm:NAME`.

The code that an address names is imported and called: look only at what you
would run.
"""

import importlib
import reprlib
import sys
from functools import partial
from operator import attrgetter
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

    ValueError if it is not there, needs arguments, or makes no module.
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
        found: Any = partial(getattr(registry, make), name, **options)
    else:
        if (here := str(Path.cwd())) not in sys.path:
            sys.path.insert(0, here)
        try:
            found = attrgetter(name)(_imported(place))
        except AttributeError:
            raise ValueError(
                f"{address} must name something in {place}; it has no {name}"
            ) from None
    if not isinstance(found, nn.Module) and callable(found):
        try:
            found = found()
        except (Exception, SystemExit) as error:
            whole = "network"
            if isinstance(error, TypeError):
                whole = "network, not one unit,"
            raise ValueError(
                f"{address} must make a whole {whole} when it is called "
                f"without arguments; it raised {raised(error)}"
            ) from error
    if not isinstance(found, nn.Module):
        shown = " ".join(reprlib.repr(found).split())
        raise ValueError(
            f"{address} must be, or make, a torch.nn.Module; got {shown}"
        )
    return found


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
