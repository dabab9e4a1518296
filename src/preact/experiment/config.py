"""An experiment file: what varies, what repeats, what stays, what deviates."""

import tomllib
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from preact.data import check_data_choice
from preact.plan.checks import MOST
from preact.plan.depth import check_depth
from preact.plan.written import WrittenUnit
from preact.records import Deviation
from preact.records.compare import printed_rows
from preact.records.record import setting
from preact.spec import CONTROLS, ROWS, TABLE_2, UnitSpec, find_row
from preact.train import Execution, Recipe, find_recipe
from preact.train.own_code import OwnCode
from preact.typed import (
    Name,
    Seed,
    Text,
    check_name,
    parse,
    plain,
    read_text,
    shortened,
    typed,
)

ROW_SETS = {
    "table-1": printed_rows(1),
    "table-2": list(TABLE_2),
    "controls": list(CONTROLS),
}


@typed
class OwnUnit(WrittenUnit):
    """A unit that the paper has not: its name, its places, its factors."""

    name: Name

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_own_name(self.name)


@typed
class CodeRow:
    """A unit that own code makes: its name, where it is, what it is like."""

    name: Name
    make: str = ""
    like: str = "full-preactivation"

    def __post_init__(self) -> None:
        _check_own_name(self.name)
        if not self.make:
            raise ValueError(
                'make must be "package.module:name", or pre, post or a factor '
                "be written in its place; got none"
            )
        self.spec.find()  # refuses what cannot be imported

    @property
    def spec(self) -> OwnCode:
        """What a run trains."""
        return OwnCode(make=self.make, like=self.like)


def _check_own_name(name: str) -> None:
    """Refuse a name that a row of the paper bears."""
    if name in ROWS or name in ROW_SETS or ".tail" in name:
        raise ValueError(
            "name must be one of its own, which no row of the paper bears; "
            f"got {name!r}"
        )


def kind_of_row(row: Any) -> str | None:
    """Which of three a row is, as pydantic calls them; None is neither."""
    if isinstance(row, str):
        return "(name)"
    is_code = isinstance(row, dict) and (
        "make" in row or set(row) <= {"name", "like"}
    )
    if is_code or isinstance(row, CodeRow):
        return "(make)"
    own = isinstance(row, dict | OwnUnit)
    return "(pre, post, after or a factor)" if own else None


Row = Annotated[
    Annotated[str, Tag("(name)")]
    | Annotated[OwnUnit, Tag("(pre, post, after or a factor)")]
    | Annotated[CodeRow, Tag("(make)")],
    Discriminator(
        kind_of_row,
        custom_error_type="row_type",
        custom_error_message="a row's name in quotes, or a table",
    ),
]


def check_distinct(seeds: tuple[int, ...]) -> tuple[int, ...]:
    """Refuse the same seed twice."""
    if len(set(seeds)) != len(seeds):
        raise ValueError(
            "seeds must be distinct whole numbers, for example [1, 2, 3]; "
            f"got {shortened(list(seeds))}"
        )
    return seeds


Seeds = Annotated[
    tuple[Seed, ...],
    Field(min_length=1, max_length=10_000),
    AfterValidator(check_distinct),
]
FinalBN = Literal["drawn", True, False]


@typed
class NetworkChoice:
    """A network of an experiment, and its own seeds if it has some.

    With 4 stages it is a network of ImageNet's for small images.
    """

    depth: Annotated[int, Field(ge=3, le=MOST["depth"])]
    convs: Annotated[int, Field(ge=1, le=3)]
    width: Annotated[int, Field(ge=1, le=MOST["width"])] | None = None
    seeds: Seeds | None = None
    stages: Literal[3, 4] = 3


@typed
class Scientific:
    """What varies."""

    rows: Annotated[tuple[Row, ...], Field(min_length=1, max_length=1000)]
    networks: Annotated[
        tuple[NetworkChoice, ...], Field(min_length=1, max_length=1000)
    ]
    final_bn: Annotated[tuple[FinalBN, ...], Field(min_length=1)] = ("drawn",)
    lr: tuple[float, ...] = ()


@typed
class Nuisance:
    """What repeats."""

    seeds: Seeds = (1,)


@typed
class Fixed:
    """What stays."""

    data: str = "digits"
    hold_out: Annotated[int, Field(ge=0, le=10**9)] = 0
    recipe: str = "paper"
    recipe_changes: dict[str, Any] = Field(default_factory=dict)
    execution: Execution = Execution()

    def __post_init__(self) -> None:
        find_recipe(self.recipe)
        check_data_choice(self.data)
        if self.execution.processes != 1:
            raise ValueError(
                "execution.processes is counted when it runs (torchrun); "
                f"got {self.execution.processes}"
            )


@typed
class ExperimentFile:
    """The file as a human writes it."""

    title: Text | None = None
    scientific: Scientific
    nuisance: Nuisance = Nuisance()
    fixed: Fixed = Fixed()
    deviation: tuple[Deviation, ...] = ()

    def __post_init__(self) -> None:
        for i, network in enumerate(self.scientific.networks):
            try:
                check_depth(
                    network.depth,
                    network.convs,
                    "imagenet" if network.stages == 4 else self.fixed.data,
                )
            except ValueError as error:
                raise ValueError(
                    f"scientific.networks[{i}]: {error}"
                ) from error


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What an experiment file says, resolved and checked.

    Parameters
    ----------
    name, title : str
        Of the file, without `.toml`, as its records' folder; what tables
        call it.
    rows : dict of str to UnitSpec or OwnCode
        Units by the names of their rows: the paper's, ours, one's own.
    networks : tuple
        Depth, convolutions per unit, width, stages and seeds of each network.
    final_bn : tuple of "drawn", True or False
        Tails before the classifier: as the row asks for, or that with one
        BN put in front or taken away.
    data, hold_out : str and int
        As of `preact.data.load`; training images that are tested on in place
        of the test images.
    recipes : tuple of Recipe
        One for each learning rate of `scientific.lr`, or the only one.
    execution, deviations : Execution, and tuple of Deviation
        How the function is computed; departures from the paper.

    Examples
    --------
    >>> from preact.experiment import read_experiment
    >>> table_2 = read_experiment("table_2")
    >>> list(table_2.rows)[:2], table_2.data
    (['original', 'bn-after-addition'], 'cifar10')
    >>> [(n.depth, n.convs, len(n.seeds)) for n in table_2.networks]
    [(110, 2, 5), (164, 3, 5)]
    """

    name: str
    title: str
    rows: dict[str, UnitSpec | OwnCode]
    networks: tuple[NetworkChoice, ...]
    final_bn: tuple[FinalBN, ...]
    data: str
    hold_out: int
    recipes: tuple[Recipe, ...]
    execution: Execution
    deviations: tuple[Deviation, ...]


def read_experiment(path: Path | str) -> Experiment:
    """Read an experiment file.

    Its path may do without `.toml`; a bare name may be the package's.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If it is not TOML, or says something that means nothing here.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from preact.experiment import read_experiment
    >>> text = '''
    ... [scientific]
    ... rows = ["original", "full-preactivation"]
    ... networks = [{ depth = 56, convs = 2, seeds = [1, 2] }]
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.toml")
    ...     _ = path.write_text(text, "utf-8")
    ...     experiment = read_experiment(path)
    >>> experiment.name, list(experiment.rows), experiment.recipes[0].name
    ('mine', ['original', 'full-preactivation'], 'paper')
    """
    path = find_file(Path(path))
    text = read_text(path)
    try:
        values = tomllib.loads(text)
    except (RecursionError, ValueError) as error:
        raise ValueError(f"{path} is not TOML: {plain(error)}") from error
    try:
        return _experiment(path.stem, parse(ExperimentFile, values))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def shipped() -> dict[str, Path]:
    """Return the package's own experiment files by name."""
    folder = Path(str(files("preact").joinpath("experiments")))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def find_file(path: Path) -> Path:
    """Return the path, or the package's of this name, if either exists.

    FileNotFoundError if neither does.
    """
    own, name = shipped(), path.name.removesuffix(".toml")
    if not path.is_file() and path.name == str(path) and name in own:
        return own[name]
    for file in (path, Path(f"{path}.toml")):
        if file.is_file():
            return file
    if path.exists():  # a folder: who reads it will refuse it
        return path
    near = get_close_matches(name[:60], own, n=3, cutoff=0.5)
    raise FileNotFoundError(
        f"{path} does not exist; experiments of the package"
        + (f" (near it: {', '.join(near)})" if near else "")
        + f": {', '.join(own)}"
    )


def _experiment(name: str, file: ExperimentFile) -> Experiment:
    """Resolve what a file says."""
    check_name("the file's name", name)
    seeds, recipes = file.nuisance.seeds, _recipes(file)
    recipe, changed = find_recipe(file.fixed.recipe), recipes[0]
    if file.scientific.lr:  # is what varies
        changed = replace(changed, lr=recipe.lr)
    return Experiment(
        name=name,
        title=file.title or name,
        rows=named_units(file.scientific.rows),
        networks=tuple(
            replace(network, seeds=network.seeds or seeds)
            for network in file.scientific.networks
        ),
        final_bn=tuple(dict.fromkeys(file.scientific.final_bn)),
        data=file.fixed.data,
        hold_out=file.fixed.hold_out,
        recipes=recipes,
        execution=file.fixed.execution,
        deviations=(
            *file.deviation,
            *recipe_deviations(
                recipe, changed, "asked for in the file's recipe_changes"
            ),
        ),
    )


def _recipes(file: ExperimentFile) -> tuple[Recipe, ...]:
    """Return the recipe, once for each learning rate that the file lists."""
    fixed, rates = file.fixed, dict.fromkeys(file.scientific.lr)
    recipe = find_recipe(fixed.recipe)
    values = {f.name: getattr(recipe, f.name) for f in fields(Recipe)}
    legal = [name for name in values if name != "name"]
    for name in fixed.recipe_changes:
        if name not in legal:
            raise ValueError(
                f"fixed.recipe_changes may say {', '.join(legal)}; "
                f"got {shortened(name)}"
            )
    if rates and "lr" in fixed.recipe_changes:
        raise ValueError(
            "lr is either in scientific.lr or in fixed.recipe_changes; "
            f"got {list(rates)} and {fixed.recipe_changes['lr']}"
        )
    changed = parse(
        Recipe, values | fixed.recipe_changes, "fixed.recipe_changes"
    )
    try:
        return tuple(replace(changed, lr=lr) for lr in rates) or (changed,)
    except ValueError as error:
        raise ValueError(f"scientific.lr: {error}") from None


def named_units(listed: tuple[Row, ...]) -> dict[str, UnitSpec | OwnCode]:
    """Units by name, sets of rows written out. Refuse two of one name."""
    rows: dict[str, UnitSpec | OwnCode] = {}
    for row in listed:
        if isinstance(row, str):
            rows |= {n: find_row(n) for n in ROW_SETS.get(row, [row])}
        elif rows.setdefault(row.name, row.spec) != row.spec:
            raise ValueError(
                f"rows must have names of their own; got {row.name!r} twice"
            )
    return rows


def recipe_deviations(
    recipe: Recipe, changed: Recipe, why: str
) -> list[Deviation]:
    """Departures from a recipe, field by field."""
    return [
        Deviation(from_=setting(name, asked), to=setting(name, has), why=why)
        for name, asked in vars(recipe).items()
        if (has := getattr(changed, name)) != asked
    ]
