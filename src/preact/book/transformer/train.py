"""Train small transformers and record them.

    python -m preact.book.transformer.train [--rates] [--out DIR] SEED ...

makes the runs that are not recorded yet, each written whole when it is done:
all placements at one learning rate, or two of them at several, for longer.

Chapter `10-afterlife`.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from preact.book.transformer.model import PLACEMENTS, Transformer
from preact.book.transformer.runs import (
    HERE,
    RATES,
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
LONGER = 1000
LONGER_MEASURED = (0, 10, 50, 200, LONGER)
TEST_WINDOWS = 256
DEPTHS = (4, 12)
ARMS = [(arm, layers) for layers in DEPTHS for arm in PLACEMENTS]
ARMS += [("post-ln" + WARM_UP, 12), ("pre-ln" + WARM_UP, 12)]
ARMS += [("post-ln", 24)]


RATES_TRIED = (0.003, 0.001, 0.0003)
# As the book draws weights and, with `default`, as PyTorch does.
AT_RATES = [
    (arm, layers, lr, draw)
    for arm, draw in (
        ("post-ln", "book"),
        ("post-ln", "default"),
        ("pre-ln", "book"),
        ("pre-ln", "default"),
    )
    for layers in DEPTHS
    for lr in RATES_TRIED
]


def main(seeds: list[int], *, rates: bool, out: Path) -> None:
    """Make what is missing, seed by seed."""
    torch.set_num_threads(1)
    made = environment("cpu", 1)  # of the code that is loaded
    note_text()
    for seed in seeds:
        for name, make in (planned_at_rates if rates else planned)(seed):
            path = out / f"{name}-seed-{seed}.json"
            if not path.exists():
                run = make() | made
                parse(Run, run, str(path))
                lines = (f' "{k}": {json.dumps(run[k])}' for k in run)
                text = "{\n" + ",\n".join(lines) + "\n}\n"
                path.parent.mkdir(parents=True, exist_ok=True)
                write_new(path, text, replace=False)


Planned = Iterator[tuple[str, Callable[[], dict[str, Any]]]]


def planned(seed: int) -> Planned:
    """Name the runs at one learning rate; how to make each."""
    for arm, layers in ARMS:
        yield f"{arm}-{layers}", partial(train, arm, layers, seed)


def planned_at_rates(seed: int) -> Planned:
    """Name the longer runs at several; how to make each."""
    for arm, layers, lr, draw in AT_RATES:
        changed = {"lr": lr, "iterations": LONGER, "draw": draw}
        name = f"{RATES}/{arm}-{layers}-{draw}-lr-{lr}"
        yield name, partial(train, arm, layers, seed, changed)


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


def train(
    arm: str,
    layers: int,
    seed: int,
    changed: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Train one transformer; return its record without its surroundings.

    What is `changed` of the recipe; with it the loss on the test text is
    measured at every moment.
    """
    placement, _, warm_up = arm.partition("+")
    config = {
        "placement": placement,
        "layers": layers,
        "seed": seed,
        "warm_up": WARM_UP_STEPS if warm_up else 0,
        "text_sha256": read_text().sha256,
        **RECIPE,
        **changed,
    }
    started, clock = datetime.now(UTC), time.monotonic()
    default = config.get("draw") == "default"
    network = fresh(placement, layers, seed, default=default)
    losses, moments = descend(network, config, bool(changed))
    return {
        "arm": arm,
        "layers": layers,
        "seed": seed,
        "config": config,
        "config_sha256": sha256_of(config),
        "text_sha256": config["text_sha256"],
        "parameters": sum(p.numel() for p in network.parameters()),
        "train_loss": shorter(np.mean(np.reshape(losses, (-1, 10)), axis=1)),
        "test_loss": test_loss(network),
        "moments": moments,
        "wall_s": round(time.monotonic() - clock, 1),
        "started_utc": started.isoformat(timespec="seconds"),
    }


def test_loss(network: Transformer) -> float | None:
    """Loss on windows of the last topics, the same for all networks."""
    generator = torch.Generator().manual_seed(0)
    test = draw_windows(read_text().test, TEST_WINDOWS, 32, generator)
    with torch.no_grad():
        (loss,) = shorter([loss_on(network, *test)])
    return loss


def descend(
    network: Transformer,
    config: Mapping[str, Any],
    longer: bool = False,
    steps: int | None = None,
) -> tuple[list[float], list[Any]]:
    """Train; return the loss of every step and what was measured.

    Of the first `steps`, if not of all.
    """
    adam = torch.optim.Adam(network.parameters(), config["lr"])
    generator = torch.Generator().manual_seed(config["seed"])
    numbers, losses, moments = read_text().train, [], []
    steps = config["iterations"] if steps is None else steps
    for i in range(steps + 1):
        if i in (LONGER_MEASURED if longer else MEASURED):
            moment = dump(measure(network, seed=0, iteration=i))
            if longer:
                moment["test_loss"] = test_loss(network)
            moments.append(moment)
        if i == steps:
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
    parser = argparse.ArgumentParser(description="Train small transformers.")
    parser.add_argument("--rates", action="store_true")
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("seeds", type=int, nargs="+")
    options = parser.parse_args()
    main(options.seeds, rates=options.rates, out=options.out)
