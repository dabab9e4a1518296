"""Train small transformers and record them.

    python -m preact.book.transformer.train SEED ...

makes the runs that are not recorded yet, each written whole when it is done.

Chapter `10-afterlife`.
"""

import json
import sys
import time
from datetime import UTC, datetime
from typing import Any

import numpy as np
import torch

from preact.book.transformer.model import PLACEMENTS, Transformer
from preact.book.transformer.runs import (
    HERE,
    TEXT,
    WARM_UP,
    Run,
    TextRead,
    fresh,
    loss_on,
    measure,
    shorter,
)
from preact.book.transformer.text import (
    draw_windows,
    letter_entropy,
    read_text,
)
from preact.experiment.provenance import environment
from preact.records.files import read_json, write_new
from preact.records.record import sha256_of
from preact.typed import dump, parse

RECIPE = {
    "optimizer": "Adam, beta 0.9 and 0.999, no weight decay, no clipping",
    "lr": 0.003,
    "iterations": 200,
    "batch": 16,
    "length": 32,
    "width": 32,
    "heads": 4,
}
WARM_UP_STEPS = 100
MEASURED = (0, 1, 10, 50, 200)
TEST_WINDOWS = 256
DEPTHS = (4, 12)
ARMS = [(arm, layers) for layers in DEPTHS for arm in PLACEMENTS]
ARMS += [("post-ln" + WARM_UP, 12), ("pre-ln" + WARM_UP, 12)]
ARMS += [("post-ln", 24)]


def main(seeds: list[int]) -> None:
    """Make what is missing, seed by seed."""
    torch.set_num_threads(1)
    made = environment("cpu", 1)  # of the code that is loaded
    note_text()
    for seed in seeds:
        for arm, layers in ARMS:
            path = HERE / f"{arm}-{layers}-seed-{seed}.json"
            if not path.exists():
                run = train(arm, layers, seed) | made
                parse(Run, run, str(path))
                lines = (f' "{k}": {json.dumps(run[k])}' for k in run)
                text = "{\n" + ",\n".join(lines) + "\n}\n"
                write_new(path, text, replace=False)


def note_text() -> None:
    """Write down which text is read; refuse another than was read before.

    Raises
    ------
    ValueError
        If another Python, with other documentation, made the records.
    """
    text = read_text()
    letters = round(letter_entropy(text.test), 4)
    now = TextRead(sha256=text.sha256, letter_entropy=letters)
    if not TEXT.exists():
        write_new(TEXT, json.dumps(dump(now)) + "\n", replace=False)
    before = parse(TextRead, read_json(TEXT), str(TEXT))
    if before.sha256 != now.sha256:
        raise ValueError(
            f"the text must be that of {TEXT}, {before.sha256[:12]}; got "
            f"{now.sha256[:12]}: another Python has other documentation"
        )


def train(arm: str, layers: int, seed: int) -> dict[str, Any]:
    """Train one transformer; return its record without its surroundings."""
    placement, _, warm_up = arm.partition("+")
    config = {
        "placement": placement,
        "layers": layers,
        "seed": seed,
        "warm_up": WARM_UP_STEPS if warm_up else 0,
        "text_sha256": read_text().sha256,
        **RECIPE,
    }
    started, clock = datetime.now(UTC), time.monotonic()
    network = fresh(placement, layers, seed)
    losses, moments = descend(network, config)
    generator = torch.Generator().manual_seed(0)  # one test for all
    test = draw_windows(read_text().test, TEST_WINDOWS, 32, generator)
    with torch.no_grad():
        (test_loss,) = shorter([loss_on(network, *test)])
    return {
        "arm": arm,
        "layers": layers,
        "seed": seed,
        "config": config,
        "config_sha256": sha256_of(config),
        "text_sha256": config["text_sha256"],
        "parameters": sum(p.numel() for p in network.parameters()),
        "train_loss": shorter(np.mean(np.reshape(losses, (-1, 10)), axis=1)),
        "test_loss": test_loss,
        "moments": moments,
        "wall_s": round(time.monotonic() - clock, 1),
        "started_utc": started.isoformat(timespec="seconds"),
    }


def descend(
    network: Transformer, config: dict[str, Any]
) -> tuple[list[float], list[Any]]:
    """Train; return the loss of every step and what was measured."""
    adam = torch.optim.Adam(network.parameters(), config["lr"])
    generator = torch.Generator().manual_seed(config["seed"])
    numbers, losses, moments = read_text().train, [], []
    for i in range(config["iterations"] + 1):
        if i in MEASURED:
            moments.append(dump(measure(network, seed=0, iteration=i)))
        if i == config["iterations"]:
            break
        part = (
            min(1.0, (i + 1) / config["warm_up"]) if config["warm_up"] else 1
        )
        adam.param_groups[0]["lr"] = config["lr"] * part
        batch = draw_windows(numbers, config["batch"], 32, generator)
        loss = loss_on(network, *batch)
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(float(loss.detach()))
    return losses, moments


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]])
