"""The matrix of an experiment: its runs, and where they are kept."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from preact.data import Data, hold_out, load
from preact.data.images import ImageSet
from preact.experiment.config import Experiment
from preact.plan.data_sets import paper_width
from preact.spec import BN, ROWS, Op, UnitSpec
from preact.train import Run
from preact.train.own_code import OwnCode
from preact.typed import check_name


@dataclass(frozen=True)
class PlannedRun:
    """One run of an experiment, by its name, and the path of its record.

    Parameters
    ----------
    lr_in_path : bool
        Whether the experiment has runs that differ in nothing else.

    Examples
    --------
    >>> from preact.data import load
    >>> from preact.experiment.matrix import PlannedRun
    >>> from preact.train import Run, find_recipe
    >>> data, recipe = load("digits"), find_recipe("digits")
    >>> run = Run(row="original", depth=56, convs=2, recipe=recipe, data=data)
    >>> PlannedRun("mine", run).path.as_posix()
    'mine/digits/resnet-56-2/original/seed-1.json'
    """

    experiment: str
    run: Run
    lr_in_path: bool = False

    def __post_init__(self) -> None:
        check_name("experiment", self.experiment)

    @property
    def network(self) -> str:
        """The name of its network, in paths and tables."""
        run = self.run
        usual = None, paper_width(run.data.name)
        width = "" if run.width in usual else f"-width-{run.width}"
        stages = f"-stages-{run.stages}" if run.stages != 3 else ""
        return f"resnet-{run.depth}-{run.convs}{width}{stages}"

    @property
    def path(self) -> Path:
        """`<experiment>/<data>/<network>/<row>/seed-<k>.json`."""
        run = self.run
        row = run.row
        if run.tail is not None and run.tail != run.spec.pre:
            ops = "-".join(op.lower() for op in run.tail) or "none"
            row = f"{row}.tail-{ops}"
        if self.lr_in_path:
            row = f"{row}.lr-{run.recipe.lr:g}"
        folder = Path(self.experiment, run.data.name, self.network, row)
        return folder / f"seed-{run.seed}.json"


def planned_runs(experiment: Experiment, data: Data) -> Iterator[PlannedRun]:
    """Every run of an experiment on its data, each once, seed by seed.

    All first seeds come before all second ones, so that an experiment that
    is stopped has every row.

    Examples
    --------
    >>> from preact.data import load
    >>> from preact.experiment import read_experiment
    >>> from preact.experiment.matrix import planned_runs
    >>> experiment = read_experiment("digits_table_2")
    >>> len(list(planned_runs(experiment, load("digits"))))
    60
    """
    by_path: dict[Path, tuple[int, PlannedRun]] = {}
    several_rates = len(experiment.recipes) > 1
    for network, (row, unit) in product(
        experiment.networks, experiment.rows.items()
    ):
        for tail, recipe, (k, seed) in product(
            tails(unit, experiment.final_bn),
            experiment.recipes,
            enumerate(network.seeds or ()),
        ):
            run = Run(
                row=row,
                depth=network.depth,
                convs=network.convs,
                width=network.width,
                stages=network.stages,
                recipe=recipe,
                data=data,
                seed=seed,
                tail=tail,
                unit=None if row in ROWS else unit,
                execution=experiment.execution,
            )
            planned = PlannedRun(experiment.name, run, several_rates)
            by_path.setdefault(planned.path, (k, planned))
    ordered = sorted(by_path.values(), key=lambda by_path: by_path[0])
    return (planned for _, planned in ordered)


def tails(
    unit: UnitSpec | OwnCode, final_bn: Iterable[str | bool]
) -> list[tuple[Op, ...] | None]:
    """What stands before the classifier, each once; None is as drawn."""
    drawn = (unit.spec if isinstance(unit, OwnCode) else unit).pre
    rest = tuple(op for op in drawn if op is not BN)
    asked = {"drawn": drawn, True: (BN, *rest), False: rest}
    found = dict.fromkeys(asked[choice] for choice in final_bn)
    return [None if tail == drawn else tail for tail in found]


def count_runs(experiment: Experiment) -> int:
    """Count the runs that an experiment asks for, without its images."""
    arms = sum(
        len(tails(unit, experiment.final_bn))
        for unit in experiment.rows.values()
    )
    seeds = sum(len(network.seeds or ()) for network in experiment.networks)
    return arms * seeds * len(experiment.recipes)


def load_data(experiment: Experiment, folder: Path | str) -> Data:
    """Load what an experiment trains on, some of it held out if it says so."""
    return held_out(load(experiment.data, folder), experiment.hold_out)


def held_out(data: Data, images: int) -> Data:
    """Hold training images out, if any are. ValueError on a folder's."""
    if not images:
        return data
    if not isinstance(data, ImageSet):
        raise ValueError(
            f"hold_out must be 0 for images that stay on disk; got {images}"
        )
    return hold_out(data, images)
