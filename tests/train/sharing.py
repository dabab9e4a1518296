"""One process of two that share a run, started by torchrun.

    torchrun ... sharing.py FOLDER SAVE_EVERY DTYPE [DIE_AT]

With DIE_AT, process 1 kills itself before that step.
"""

import os
import signal
import sys
from dataclasses import replace

import torch

from preact.data import load
from preact.experiment import execute
from preact.experiment.matrix import PlannedRun
from preact.train import Execution, Run, find_recipe, session


def run(processes: int, ghost_batch: int, depth: int = 20) -> Run:
    return Run(
        row="full-preactivation",
        depth=depth,
        convs=2,
        width=4,
        recipe=replace(
            find_recipe("digits"),
            iterations=30,
            batch=16,
            ghost_batch=ghost_batch,
            drop_at=(20,),
        ),
        data=load("digits"),
        execution=Execution(processes=processes),
    )


class DoubleSession(session.Session):
    """Everything in float64, so that only the order of sums differs."""

    def __init__(self, *arguments: object) -> None:
        torch.set_default_dtype(torch.float64)
        super().__init__(*arguments)
        self.loader.mean = self.loader.mean.double()
        self.loader.deviation = self.loader.deviation.double()


def main() -> None:
    from preact.train import loop

    folder, save_every, dtype, *die_at = sys.argv[1:]
    if dtype == "float64":
        loop.Session = DoubleSession
    torch.set_num_threads(1)
    if die_at and os.environ["RANK"] == "1":
        step = DoubleSession.step

        def last_step(self: DoubleSession, iteration: int) -> None:
            if iteration == int(die_at[0]):
                os.kill(os.getpid(), signal.SIGKILL)
            step(self, iteration)

        DoubleSession.step = last_step
    planned = PlannedRun("sharing", run(2, 8))
    execute(planned, folder, device="cpu", save_every=int(save_every))


if __name__ == "__main__":
    main()
