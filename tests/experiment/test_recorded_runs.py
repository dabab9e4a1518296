"""What is recorded can be made again: the first steps of each experiment.

Deeper networks than 29 layers are chaotic: of those only iteration 0.
"""

import csv

import numpy as np
import pytest
import torch

from preact.data import load
from preact.experiment import read_experiment
from preact.experiment.matrix import planned_runs
from preact.records import read_record
from preact.records.files import PUBLISHED
from preact.train.parallel import ALONE
from preact.train.session import Session

NAMES = sorted({path.parts[-5] for path in PUBLISHED.rglob("seed-*.json")})
SHALLOW, WATCHED = 29, (0, 1, 3)  # iterations before rounding has grown


def cheapest(name):
    """The recorded run of an experiment that took least, and its curve."""
    paths = (PUBLISHED / name).rglob("seed-*.json")
    runs = [(read_record(path), path.with_suffix(".csv")) for path in paths]
    return min(runs, key=lambda run: (run[0].depth, run[0].wall_s))


def planned(name, record):
    """The run of an experiment that a record is of."""
    try:
        data = load(record.data.partition("-held-out-")[0])
    except FileNotFoundError as error:
        pytest.skip(str(error))
    plan = planned_runs(read_experiment(name), data)
    hashes = {one.run.config_sha256: one.run for one in plan}
    return hashes[record.config_sha256]


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_the_first_steps_of_an_experiment_are_those_of_its_record(name):
    record, path = cheapest(name)
    run = planned(name, record)
    with path.open(encoding="utf-8") as curve:
        first = next(csv.DictReader(curve))
    steps = int(first["iteration"]) if run.depth <= SHALLOW else 1
    threads = torch.get_num_threads()
    torch.set_num_threads(record.threads)  # sums are taken in their order
    try:
        session, profiles = Session(run, "cpu", ALONE), []
        for iteration in range(steps):
            if iteration in WATCHED:
                profiles.append(session.watched_step(iteration))
            else:
                session.step(iteration)
    finally:
        torch.set_num_threads(threads)
    # four digits are kept, and another machine rounds in another order
    within = 0.1 if run.execution.precision == "bf16" else 2e-3
    for again, kept in zip(profiles, record.profiles, strict=False):
        assert again["iteration"] == kept.iteration
        for key in ("signal_rms", "gradient_norm", "open_share"):
            ours = np.array(again[key], float)
            np.testing.assert_allclose(ours, getattr(kept, key), rtol=within)
    if steps > 1:
        loss, _ = session.since_last_time()
        assert loss == pytest.approx(float(first["loss"]), rel=0.01)
