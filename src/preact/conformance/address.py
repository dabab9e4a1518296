"""Networks by address: `package.module:factory`, `timm:NAME`.

The code that an address names is imported and called: look only at what you
would run.
"""

import reprlib
from functools import partial
from importlib import import_module
from typing import Any

from torch import nn

from preact.typed import find_own_code, raised

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
    if address.endswith(".safetensors"):
        raise ValueError(
            "address must be package.module:factory, of a function that "
            f"returns preact.load({address!r}); got weights"
        )
    package, _, name = address.partition(":")
    if package in REGISTRIES:
        module, function, options = REGISTRIES[package]
        make = getattr(import_module(module), function)
        found: Any = partial(make, name, **options)
    else:
        found = find_own_code(address, "address")
    if not isinstance(found, nn.Module):
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
        got = " ".join(reprlib.repr(found).split())
        raise ValueError(
            f"{address} must be, or make, a torch.nn.Module; got {got}"
        )
    return found
