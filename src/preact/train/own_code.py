"""A unit that the reader's own code makes, trained beside the paper's."""

from typing import Any

from preact.nn.own_units import MakeUnit
from preact.spec import UnitSpec, find_row
from preact.typed import find_own_code, source_sha256, typed


@typed
class OwnCode:
    """Where the units of a network come from, and what stands around them.

    Parameters
    ----------
    make : str
        `package.module:name` of a `preact.nn.MakeUnit`, such as an
        `nn.Module` whose constructor takes `(c_in, c_out, stride)`. The
        current folder is searched as well.
    like : str
        Row of the paper whose stem and tail the network has.

    Examples
    --------
    >>> from preact.train.own_code import OwnCode
    >>> str(OwnCode(make="my_units:Gelu", like="original").spec)
    'conv BN ReLU conv BN (+) ReLU'
    """

    make: str
    like: str = "full-preactivation"

    def __post_init__(self) -> None:
        find_row(self.like)

    @property
    def spec(self) -> UnitSpec:
        """The unit of the row, from which stem and tail follow."""
        return find_row(self.like)

    def find(self) -> MakeUnit:
        """Import what makes the units; refuse what cannot be called."""
        return find_own_code(self.make, "make")

    def described(self) -> dict[str, Any]:
        """What a configuration says: the code's file is a part of it."""
        return {
            "make": self.make,
            "like": self.like,
            "code_sha256": source_sha256(self.find()),
        }
