"""Identity Mappings in Deep Residual Networks (He et al. 2016), in code.

What is named below is loaded when it is first used; `import preact` alone
loads no PyTorch.

Examples
--------
>>> import preact
>>> plan = preact.cifar_plan(
...     preact.TABLE_2["full-preactivation"], depth=1001, convs=3
... )
>>> plan.parameters, len(plan.units)
(10327706, 333)
>>> small = preact.cifar_plan("original", depth=20, convs=2)
>>> network = preact.Network(small, seed=0)
>>> import torch
>>> network(torch.zeros(2, 3, 32, 32)).shape
torch.Size([2, 10])

Rooms, from the bottom up; each imports only from those before it:

`typed`        what comes from files: one strict class a kind
`spec`         a residual unit as data; Tables 1 and 2 as dictionaries
`plan`         a network without tensors: depth, widths, strides, boundaries
`paper`        what the paper says: its tables and its recipe
`strings`      words of figures and messages in three languages
`reference`    the networks in NumPy, float64, backward by hand
`nn`           the same networks in PyTorch
`data`         digits, CIFAR, ImageNet, and your own images
`records`      what was measured, in files that are whole
`propagation`  Eqs. (3) to (8), measured
`figures`      pictures of data they are handed
`weights`      networks in files, with their plans
`train`        recipes, and a loop that resumes bit for bit
`conformance`  any network probed: which unit is it, and is it right
`experiment`   files that ask for runs, and the runs
`book`         what the chapters call: set-up, show, exercises
`cli`          the `preact` command
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from preact.nn import Network
    from preact.plan import Conventions, cifar_plan, imagenet_plan, stack_plan
    from preact.spec import BN, RELU, TABLE_1, TABLE_2, UnitSpec, find_row
    from preact.weights import load, save

__version__ = "0.1.0"
"""The version of the package."""
__all__ = [
    "BN",
    "RELU",
    "TABLE_1",
    "TABLE_2",
    "Conventions",
    "Network",
    "UnitSpec",
    "__version__",
    "cifar_plan",
    "find_row",
    "imagenet_plan",
    "load",
    "save",
    "stack_plan",
]

_HOMES = {
    "weights": ["load", "save"],
    "nn": ["Network"],
    "plan": ["Conventions", "cifar_plan", "imagenet_plan", "stack_plan"],
    "spec": ["BN", "RELU", "TABLE_1", "TABLE_2", "UnitSpec", "find_row"],
}
_ROOMS = [m.name for m in iter_modules(__path__) if m.name != "__main__"]


def __getattr__(name: str) -> Any:
    """Load a public name, or a room, when it is first used."""
    if name in _ROOMS:
        return import_module(f"preact.{name}")
    for room, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"preact.{room}"), name)
            globals()[name] = value
            return value
    raise AttributeError(
        f"preact has no {name!r}; it has {', '.join(__all__)}"
    )


def __dir__() -> list[str]:
    """List the public names and the rooms."""
    return sorted([*__all__, *_ROOMS])
