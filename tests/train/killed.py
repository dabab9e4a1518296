"""Train under fire: start a run again and again, kill it at random points.

    python killed.py FOLDER KILLS

Ends with an unharmed run in FOLDER/calm and the survivor in FOLDER/killed.
The parent never computes, so that its children may be forked.
"""

import os
import random
import shutil
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

from preact.data import load
from preact.train import Run, find_recipe, train

ITERATIONS = 400
FOLDER, KILLS = Path(sys.argv[1]), int(sys.argv[2])
RUN = Run(
    row="dropout-shortcut",  # the row that draws random numbers in its units
    depth=8,
    convs=2,
    width=4,
    recipe=replace(
        find_recipe("digits"),
        iterations=ITERATIONS,
        batch=16,
        ghost_batch=8,
        drop_at=(ITERATIONS // 2,),
    ),
    data=load("digits"),
)


def child(name: str) -> int:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            torch.set_num_threads(1)
            train(RUN, FOLDER / name, save_every=3, report_every=1)
            code = 0
        finally:
            os._exit(code)
    return pid


def ended(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


start = time.monotonic()
assert ended(child("calm")) == 0
whole = time.monotonic() - start
rng, kills, pause_s = random.Random(0), 0, 2 * whole / KILLS
while kills < KILLS:
    pid = child("killed")
    time.sleep(rng.uniform(0.2, 1.4) * pause_s + 0.01)
    os.kill(pid, signal.SIGKILL)
    code = ended(pid)
    if code == -signal.SIGKILL:
        kills += 1
    else:
        assert code == 0, f"a resumed run ended with {code}"
        # Done before its last kill, on a machine that is faster by now.
        shutil.rmtree(FOLDER / "killed")
        kills, pause_s = 0, pause_s / 2
assert ended(child("killed")) == 0
print(f"{kills} kills")
