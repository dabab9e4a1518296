"""What determines a result: network, data, recipe, seed, arithmetic."""

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import torch
from pydantic import Field

from preact.data import Data
from preact.nn import Network, put_units
from preact.nn.memory import Memory
from preact.nn.network import start_from
from preact.plan import NetworkPlan, cifar_plan, imagenet_plan
from preact.plan.checks import check_choice
from preact.plan.conventions import CONVENTIONS
from preact.plan.data_sets import paper_width
from preact.records.record import sha256_of
from preact.spec import Op, UnitSpec, find_row
from preact.train.device import Precision
from preact.train.own_code import OwnCode
from preact.train.recipe import Recipe
from preact.typed import check_name, shortened, typed
from preact.weights import load, read_header


@typed
class Execution:
    """How the same function is computed; the last bits depend on it.

    Parameters
    ----------
    precision : {"fp32", "tf32", "bf16", "fp16"}
        Of convolutions; "tf32" and the halves are faster on a GPU, "fp16"
        scales the loss.
    channels_last : bool
        Keep the channels of a pixel side by side in memory.
    memory : {"keep", "recompute", "unit", "segment"}
        What is kept for the backward pass; see `preact.nn.Network`.
    processes : int
        Processes that share a batch; each has its own BN statistics.
    fast : bool
        Changes nothing any more; it stands in the hashes of records from
        when it let C kernels run units on some processors.

    Examples
    --------
    >>> from preact.train import Execution
    >>> Execution(precision="bf16", memory="unit").processes
    1
    """

    precision: Precision = "fp32"
    channels_last: bool = False
    memory: Memory = "keep"
    processes: Annotated[int, Field(ge=1, le=65_536)] = 1
    fast: bool = False

    @property
    def layout(self) -> torch.memory_format:
        """Memory format of images and weights."""
        last = self.channels_last
        return torch.channels_last if last else torch.contiguous_format


@dataclass(frozen=True, kw_only=True)
class Run:
    """What is trained, on what, how, and from which seed.

    Parameters
    ----------
    row : str
        Key of `preact.spec.ROWS`, or the name of `unit`.
    depth, convs : int
        Layers: convolutions of the units, the stem's, and the classifier;
        convolutions of a unit, 3 in ImageNet's networks from 50 layers on.
    recipe, data : Recipe and Data
        How it is trained, and on which images.
    seed : int
        Of weights, order of images, crops, flips and dropout.
    width : int, optional
        Channels behind the stem; None is the paper's, which networks of
        ImageNet have in any case.
    tail : tuple of Op, optional
        What stands before the classifier; None is what the row asks for.
    execution : Execution
        How the function is computed.
    unit : UnitSpec or OwnCode, optional
        A unit of one's own, as data or made by one's own code; None is the
        one that `row` names.
    init : Path, optional
        A file of weights to start from: of the same network, whose classes
        may be others, by number or name, and are then learned from the
        beginning.
    stages : {3, 4}
        4 is a network of ImageNet's behind the stem of CIFAR's: small images
        in ResNet-50. On ImageNet itself it is 4 in any case.

    Raises
    ------
    ValueError
        If the fields describe no network, or are of another kind.

    Examples
    --------
    >>> from preact.data import load
    >>> from preact.train import Run, find_recipe
    >>> data, recipe = load("digits"), find_recipe("digits")
    >>> run = Run(row="original", depth=110, convs=2, recipe=recipe, data=data)
    >>> run.plan.parameters, len(run.config_sha256)
    (1727674, 64)
    """

    row: str
    depth: int
    convs: int
    recipe: Recipe
    data: Data
    seed: int = 1
    width: int | None = None
    tail: tuple[Op, ...] | None = None
    execution: Execution = field(default_factory=Execution)
    unit: UnitSpec | OwnCode | None = None
    init: Path | None = None
    stages: Literal[3, 4] = 3

    def __post_init__(self) -> None:
        check_name("row", self.row)
        for name, kind, hint in (
            ("recipe", Recipe, "such as find_recipe('digits')"),
            ("data", Data, "such as preact.data.load('digits')"),
            ("execution", Execution, "such as Execution(channels_last=True)"),
            ("unit", UnitSpec | OwnCode | None, "and `row` its name"),
            ("init", Path | None, "a file that preact.save wrote"),
        ):
            value = getattr(self, name)
            if not isinstance(value, kind):
                expected = getattr(kind, "__name__", str(kind))
                raise ValueError(
                    f"{name} must be {expected}, {hint}; got "
                    f"{shortened(value)}"
                )
        legal = isinstance(self.seed, int) and 0 <= self.seed < 2**63
        if not legal or isinstance(self.seed, bool):
            raise ValueError(
                "seed must be a whole number from 0 to 2^63 - 1; "
                f"got {self.seed!r}"
            )
        check_choice("stages", self.stages, (3, 4))
        wide = paper_width(self.data.name)
        if self.data.name == "imagenet" and self.width not in (None, wide):
            raise ValueError(
                "width must be left out on ImageNet, whose networks begin "
                f"with {wide} channels; got {self.width!r}"
            )
        self.plan  # noqa: B018  (refuses what is no network)
        if isinstance(self.unit, OwnCode):
            self._check_own_code()
        if self.init is not None:
            self._check_init(self.init)

    def _check_own_code(self) -> None:
        """Refuse what needs to know what stands in a unit."""
        if self.execution.memory != "keep":
            raise ValueError(
                "memory must be 'keep' for units that own code makes; got "
                f"{self.execution.memory!r}"
            )
        if self.init is not None:
            raise ValueError(
                "init must be left out for units that own code makes; got "
                f"{self.init}"
            )

    def _check_init(self, init: Path) -> None:
        """Refuse weights of another network, but for size and classes."""
        header, mine = read_header(init), self.plan
        theirs = header.plan.plan
        pairs = {
            "unit": (f"`{header.make or theirs.spec}`", f"`{mine.spec}`"),
            "depth": (theirs.depth, mine.depth),
            "channels of images": (theirs.image[0], mine.image[0]),
            "width": (theirs.stream_shapes[0][0], mine.stream_shapes[0][0]),
        }
        differ = [
            f"{name} {there} there, {here} here"
            for name, (there, here) in pairs.items()
            if there != here
        ]
        theirs = replace(
            theirs, image=mine.image, classes=mine.classes, init=mine.init
        )
        if not differ and theirs != mine:
            differ = [
                f"{part.name} of another kind"
                for part in fields(mine)
                if getattr(theirs, part.name) != getattr(mine, part.name)
            ]
        if differ:
            raise ValueError(
                "init must hold weights of this network, whatever its "
                f"classes; {init} has {'; '.join(differ)}"
            )

    @property
    def spec(self) -> UnitSpec:
        """The unit; of own code's, that of the row they are like."""
        if isinstance(self.unit, OwnCode):
            return self.unit.spec
        return self.unit or find_row(self.row)

    def make_network(self) -> Network:
        """Build the network that is trained, with its initial weights."""
        memory = self.execution.memory
        network = Network(self.plan, seed=self.seed, memory=memory)
        if isinstance(self.unit, OwnCode):
            return put_units(network, self.unit.find(), self.seed)
        if self.init is not None:
            before = load(self.init)
            weights = before.state_dict()
            names = getattr(before.preprocess, "names", ())
            if names and self.data.class_names not in ((), names):
                weights |= network.classifier.state_dict(prefix="classifier.")
            start_from(network, weights)
        return network

    @property
    def parameters(self) -> int:
        """Numbers that are learned; counted where own code makes the units."""
        if isinstance(self.unit, OwnCode):
            return sum(p.numel() for p in self.make_network().parameters())
        return self.plan.parameters

    @property
    def plan(self) -> NetworkPlan:
        """The network: recipe's conventions, shape of the data."""
        conventions = CONVENTIONS[self.recipe.conventions]
        make: Callable[..., NetworkPlan] = cifar_plan
        wide = paper_width(self.data.name)
        more: dict[str, Any] = {}
        if self.data.name == "imagenet":
            make = imagenet_plan
        elif self.stages == 4:
            make, more = imagenet_plan, {"stem": "cifar"}
        return make(
            self.spec,
            depth=self.depth,
            convs=self.convs,
            width=wide if self.width is None else self.width,
            classes=self.data.classes,
            image=self.data.shape,
            conventions=replace(conventions, tail=self.tail),
            **more,
        )

    @property
    def config(self) -> dict[str, Any]:
        """Everything that determines the result, resolved."""
        tail = self.spec.pre if self.tail is None else self.tail
        own: dict[str, Any] = {}  # what few runs have
        spec = str(self.spec)
        if isinstance(self.unit, OwnCode):
            own["unit"] = self.unit.described()
            spec = self.unit.make
        elif self.unit is not None:
            own["unit"] = in_full(self.unit)
        if self.init is not None:
            digest = hashlib.sha256(self.init.read_bytes())
            own["init_sha256"] = digest.hexdigest()
        if self.stages != 3:
            own["stages"] = self.stages
        return {
            "row": self.row,
            **own,
            "spec": spec,
            "tail": " ".join(tail),
            "depth": self.depth,
            "convs": self.convs,
            "width": self.plan.stream_shapes[0][0],
            "recipe": self.recipe.config,
            "data": self.data.name,
            "data_label": self.data.label,
            "data_sha256": self.data.sha256,
            "seed": self.seed,
            "execution": asdict(self.execution),
        }

    @property
    def config_sha256(self) -> str:
        """Hash of the configuration: the run's identity."""
        return sha256_of(self.config)


def in_full(unit: UnitSpec) -> dict[str, Any]:
    """Every field of a unit, as JSON has it; a factor with its kind."""
    return {
        "pre": list(unit.pre),
        "post": list(unit.post),
        "after": list(unit.after),
        **{
            side: {"kind": type(factor).__name__, **asdict(factor)}
            for side, factor in (
                ("on_shortcut", unit.on_shortcut),
                ("on_branch", unit.on_branch),
            )
        },
    }
