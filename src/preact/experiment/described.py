"""What a record says of a run: what was to be done, and what came out.

Chapter `09-training`.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from preact.records import Deviation
from preact.records.compare import flat
from preact.train import Outcome, OwnCode, Recipe, Run
from preact.typed import shortened, shortened_key

Values = dict[str, Any]
# Of `config`, and nowhere else in a record.
INSIDE = ("execution", "init_sha256", "stages", "unit")


def described(run: Run, deviations: Sequence[Deviation]) -> Values:
    """What is run: the fields that tables join on, and the whole of it."""
    config = run.config
    return {
        **{k: v for k, v in config.items() if k not in INSIDE},
        "recipe": run.recipe.name,
        "config": config,
        "config_sha256": run.config_sha256,
        "parameters": run.parameters,
        "bn_batch": bn_batch(run),
        "deviations": [
            {"from": one.from_, "to": one.to, "why": one.why}
            for one in (*deviations, *bn_deviations(run))
        ],
        "started_utc": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def recipe_deviations(
    recipe: Recipe, changed: Recipe, names: Iterable[str], why: str
) -> list[Deviation]:
    """Departures from a recipe in those of its fields that were asked for."""

    def said(one: Recipe, name: str) -> str:
        value = getattr(one, name)
        return f"{name} {list(value) if isinstance(value, tuple) else value}"

    return [
        Deviation(from_=said(recipe, name), to=said(changed, name), why=why)
        for name in names
        if getattr(recipe, name) != getattr(changed, name)
    ]


def bn_batch(run: Run) -> int:
    """Images over which BN takes its statistics, in each process."""
    batch = run.recipe.batch // run.execution.processes
    if isinstance(run.unit, OwnCode):  # which know no ghost batches
        return batch
    return min(run.recipe.ghost_batch, batch)


def bn_deviations(run: Run) -> list[Deviation]:
    """Departures from the recipe's batch of BN."""
    wanted, taken = run.recipe.ghost_batch, bn_batch(run)
    if taken == wanted:
        return []
    why = (
        "units of own code normalize over the whole batch"
        if taken > wanted
        else f"{run.execution.processes} processes share a batch of "
        f"{run.recipe.batch}"
    )
    return [
        Deviation(from_=f"bn_batch {wanted}", to=f"bn_batch {taken}", why=why)
    ]


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """Say in which fields two configurations differ: the first of them."""
    old, new = flat(there), flat(here)

    def said(settings: Values, name: str) -> str:
        if name not in settings:
            return "not set"
        value = settings[name]
        is_hash = name.endswith("sha256")
        return str(value)[:7] if is_hash else shortened(value)

    return "; ".join(
        f"{'.'.join(map(shortened_key, name.split('.')))} is "
        f"{said(old, name)} there, {said(new, name)} here"
        for name in [n for n in old | new if old.get(n) != new.get(n)][:3]
    )


def measured(ended: Outcome) -> Values:
    """What came out."""
    finished, speed = ended.outcome == "finished", ended.images_per_s
    same = ("outcome", "iterations", "test_error_pct", "profiles", "kernels")
    return {
        **{name: getattr(ended, name) for name in same},
        "test_error_is": "last iteration",
        "train_loss": ended.train_loss if finished else None,
        "wall_s": round(ended.wall_s, 2),
        "images_per_s": speed and round(speed, 1),
    }
