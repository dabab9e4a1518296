"""Train small transformers and record them.

    python -m preact.book.afterlife.train [--rates] [--out DIR] SEED ...

makes the runs that are not recorded yet, each written whole when it is done:
all placements at one learning rate, or two of them at several, for longer.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from preact.book.afterlife.model import PLACEMENTS, Transformer
from preact.book.afterlife.runs import (
    DEPTHS,
    LENGTH,
    RATES_FOLDER,
    RECORDED,
    TEXT,
    Run,
    draw_windows,
    four_digits,
    fresh,
    letter_entropy,
    measure,
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
    "length": LENGTH,
    "width": 32,
    "heads": 4,
}
WARM_UP_STEPS, LONGER, TEST_WINDOWS = 100, 1000, 256
MEASURED = (0, 1, 10, 50, 200)
LONGER_MEASURED = (0, 10, 50, 200, LONGER)
ARMS = [
    *((arm, layers) for layers in DEPTHS for arm in PLACEMENTS),
    *(("post-ln+warm-up", 12), ("pre-ln+warm-up", 12), ("post-ln", 24)),
]
AT_RATES = (("post-ln", "pre-ln"), ("book", "default"), DEPTHS)
RATES_TRIED = (0.003, 0.001, 0.0003)


def main(seeds: list[int], *, rates: bool, out: Path) -> None:
    """Make what is missing, seed by seed."""
    torch.set_num_threads(1)
    made = environment("cpu", 1)  # of the code that is loaded
    note_text()
    for seed in seeds:
        for name, arm, layers, changed in planned(rates):
            path = out / f"{name}-seed-{seed}.json"
            if not path.exists():
                run = train(arm, layers, seed, changed) | made
                parse(Run, run, str(path))
                lines = (f' "{k}": {json.dumps(run[k])}' for k in run)
                text = "{\n" + ",\n".join(lines) + "\n}\n"
                path.parent.mkdir(parents=True, exist_ok=True)
                write_new(path, text, replace=False)


def planned(rates: bool) -> Iterator[tuple[str, str, int, dict[str, Any]]]:
    """Yield each run's name, arm, layers, and what it changes of `RECIPE`."""
    if not rates:
        for arm, layers in ARMS:
            yield f"{arm}-{layers}", arm, layers, {}
        return
    for arm, draw, layers, lr in product(*AT_RATES, RATES_TRIED):
        changed = {"lr": lr, "iterations": LONGER, "draw": draw}
        name = f"{RATES_FOLDER}/{arm}-{layers}-{draw}-lr-{lr}"
        yield name, arm, layers, changed


def note_text() -> None:
    """Write down which text is read. Refuse another than was read before."""
    text = read_text()
    letters = round(letter_entropy(text.test), 4)
    if not TEXT.exists():
        note = {"sha256": text.sha256, "letter_entropy": letters}
        write_new(TEXT, json.dumps(note) + "\n", replace=False)
    before = read_json(TEXT)["sha256"]
    if before != text.sha256:
        raise ValueError(
            f"the text must be that of {TEXT}, {before[:12]}; got "
            f"{text.sha256[:12]}: another Python has other documentation"
        )


def train(
    arm: str,
    layers: int,
    seed: int,
    changed: Mapping[str, Any],
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
    means = np.mean(np.reshape(losses, (-1, 10)), axis=1)
    return {
        "arm": arm,
        "layers": layers,
        "seed": seed,
        "config": config,
        "config_sha256": sha256_of(config),
        "text_sha256": config["text_sha256"],
        "parameters": sum(p.numel() for p in network.parameters()),
        "train_loss": four_digits(means),
        "test_loss": test_loss(network),
        "moments": moments,
        "wall_s": round(time.monotonic() - clock, 1),
        "started_utc": started.isoformat(timespec="seconds"),
    }


def loss_on(network: Transformer, text: Tensor, wanted: Tensor) -> Tensor:
    """Mean cross-entropy in nats per character."""
    return cross_entropy(network(text).flatten(0, 1), wanted.flatten())


@torch.no_grad()
def test_loss(network: Transformer) -> float | None:
    """Loss on windows of the last topics, the same for all networks."""
    generator = torch.Generator().manual_seed(0)
    test = draw_windows(read_text().test, TEST_WINDOWS, LENGTH, generator)
    return four_digits([loss_on(network, *test)])[0]


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
        warm_up = config["warm_up"] or 1
        adam.param_groups[0]["lr"] = config["lr"] * min(1, (i + 1) / warm_up)
        batch = draw_windows(numbers, config["batch"], LENGTH, generator)
        loss = loss_on(network, *batch)
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(float(loss.detach()))
    return losses, moments


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Train small transformers.")
    parser.add_argument("--rates", action="store_true")
    parser.add_argument("--out", type=Path, default=RECORDED)
    parser.add_argument("seeds", type=int, nargs="+")
    options = parser.parse_args()
    main(options.seeds, rates=options.rates, out=options.out)
