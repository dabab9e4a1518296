"""Time training steps on a GPU, with and without the CUDA graph.

    python experiments/gpu_steps.py FOLDER_OF_CIFAR10

The numbers of `src/preact/book/training/gpu.toml` are from these calls.
"""

import sys
import time

import torch

from preact.data import load
from preact.train import Execution, Run, find_recipe
from preact.train.parallel import ALONE
from preact.train.session import Session


def step_ms(session: Session, steps: int) -> float:
    """Mean of some steps, after eight that warm up."""
    for iteration in range(8):
        session.step(iteration)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for iteration in range(steps):
        session.step(8 + iteration)
    torch.cuda.synchronize()
    return 1e3 * (time.perf_counter() - start) / steps


data = load("cifar10", sys.argv[1])
name = torch.cuda.get_device_name()
sys.stdout.write(f"{name}, PyTorch {torch.__version__}\n")
for depth, convs, steps, execution in (
    (110, 2, 20, Execution()),
    (1001, 3, 6, Execution(precision="bf16", channels_last=True)),
):
    run = Run(
        row="full-preactivation",
        depth=depth,
        convs=convs,
        recipe=find_recipe("paper"),
        data=data,
        execution=execution,
    )
    for name in ("plain", "graph"):
        session = Session(run, "cuda", ALONE)
        if name == "plain":
            session.repeated = None
        sys.stdout.write(
            f"ResNet-{depth} {name} {step_ms(session, steps):.2f} ms\n"
        )
        del session
