"""An experiment file: what varies, what repeats, what stays, what deviates.

Chapter `08-training`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from preact import paper
from preact.data import NAMES
from preact.plan.checks import check_choice
from preact.spec import CONTROLS, TABLE_2, find_row
from preact.train import Execution, Recipe, find_recipe

SECTIONS = ("scientific", "nuisance", "fixed", "deviation")
FINAL_BN = ("drawn", True, False)
ROW_SETS = {
    "table-1": [
        row
        for printed in dict.fromkeys(r.row for r in paper.results(1))
        for row in paper.SEARCHED.get(printed, [printed])
    ],
    "table-2": list(TABLE_2),
    "controls": list(CONTROLS),
}


@dataclass(frozen=True, kw_only=True)
class Deviation:
    """One departure from the paper; printed under the table."""

    from_: str
    to: str
    why: str


@dataclass(frozen=True, kw_only=True)
class NetworkChoice:
    """A network of an experiment, and its own seeds if it has some."""

    depth: int
    convs: int
    width: int = 16
    seeds: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What `experiments/<name>.toml` says, resolved and checked.

    Parameters
    ----------
    rows : tuple of str
        Keys of `preact.spec.ROWS`.
    final_bn : tuple of "drawn", True or False
        Tails before the classifier: as the row asks for, or that with one
        BN put in front or taken away.
    """

    name: str
    title: str
    rows: tuple[str, ...]
    networks: tuple[NetworkChoice, ...]
    final_bn: tuple[str | bool, ...]
    seeds: tuple[int, ...]
    data: str
    recipe: Recipe
    execution: Execution
    deviations: tuple[Deviation, ...]


def read_experiment(path: Path) -> Experiment:
    """Read an experiment file.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If it is not TOML, or says something that means nothing here.
    """
    try:
        said = tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not TOML: {error}") from error
    try:
        return _experiment(path.stem, said)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _experiment(name: str, said: dict[str, Any]) -> Experiment:
    """Resolve what a file says."""
    title = said.pop("title", name)
    _check_keys("the file", said, SECTIONS)
    varied = said.get("scientific", {})
    _check_keys("[scientific]", varied, ("rows", "networks", "final_bn"))
    repeated = said.get("nuisance", {})
    _check_keys("[nuisance]", repeated, ("seeds",))
    fixed = dict(said.get("fixed", {}))
    _check_keys(
        "[fixed]", fixed, ("data", "recipe", "execution", "recipe_changes")
    )
    for field in ("rows", "networks"):
        if not varied.get(field):
            raise ValueError(f"[scientific] must list {field}; got none")
    for value in varied.get("final_bn", []):
        check_choice("final_bn", value, FINAL_BN)
    data = fixed.get("data", "digits")
    check_choice("data", data, NAMES)
    return Experiment(
        name=name,
        title=title,
        rows=_rows(varied["rows"]),
        networks=tuple(
            _network(network, repeated) for network in varied["networks"]
        ),
        final_bn=tuple(varied.get("final_bn", ["drawn"])),
        seeds=_seeds(repeated.get("seeds", [1])),
        data=data,
        recipe=_recipe(fixed),
        execution=_execution(fixed.get("execution", {})),
        deviations=tuple(_deviation(one) for one in said.get("deviation", [])),
    )


def _check_keys(
    where: str, said: Mapping[str, Any], known: tuple[str, ...]
) -> None:
    """Refuse a key that nothing reads: a typing error would go unseen."""
    for key in said:
        if key not in known:
            raise ValueError(
                f"{where} may say {', '.join(known)}; got {key!r}"
            )


def _rows(said: list[str]) -> tuple[str, ...]:
    """Names of rows, sets of rows written out, each once."""
    found = [row for name in said for row in ROW_SETS.get(name, [name])]
    for row in found:
        find_row(row)
    return tuple(dict.fromkeys(found))


def _network(said: dict[str, Any], repeated: dict[str, Any]) -> NetworkChoice:
    """One network, with its own seeds or those of the experiment."""
    known = tuple(field.name for field in fields(NetworkChoice))
    _check_keys("a network", said, known)
    seeds = _seeds(said.get("seeds", repeated.get("seeds", [1])))
    return NetworkChoice(**said | {"seeds": seeds})


def _seeds(said: Any) -> tuple[int, ...]:
    """Distinct whole numbers."""
    legal = isinstance(said, list) and all(isinstance(s, int) for s in said)
    if not legal or not said or len(set(said)) != len(said):
        raise ValueError(
            f"seeds must be distinct whole numbers, for example [1, 2, 3]; "
            f"got {said!r}"
        )
    return tuple(said)


def _recipe(fixed: dict[str, Any]) -> Recipe:
    """Return the recipe by name, changed where the file says so."""
    recipe = find_recipe(fixed.get("recipe", "paper"))
    changes = fixed.get("recipe_changes", {})
    known = tuple(f.name for f in fields(Recipe) if f.name != "name")
    _check_keys("[fixed.recipe_changes]", changes, known)
    if "drop_at" in changes:
        changes = changes | {"drop_at": tuple(changes["drop_at"])}
    return replace(recipe, **changes)


def _execution(said: dict[str, Any]) -> Execution:
    """How to compute; processes are counted when it runs."""
    known = ("precision", "channels_last", "memory", "fast")
    _check_keys("[fixed.execution]", said, known)
    return Execution(**said)


def _deviation(said: dict[str, Any]) -> Deviation:
    """One departure from the paper."""
    if set(said) != {"from", "to", "why"}:
        raise ValueError(
            "a [[deviation]] must say from, to and why; got "
            f"{', '.join(said) or 'nothing'}"
        )
    return Deviation(from_=said["from"], to=said["to"], why=said["why"])
