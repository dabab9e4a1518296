"""`preact eval`: the test error of a network that was kept."""

import argparse
import json
from dataclasses import replace
from typing import Any

from preact.cli import complain
from preact.data import NAMES, load
from preact.nn.own_units import MakeUnit
from preact.train import Execution, Recipe, evaluate, find_recipe
from preact.train.device import check_device, find_device
from preact.typed import find_own_code, parse
from preact.weights import load as load_network
from preact.weights import read_header


def run(options: argparse.Namespace) -> int:
    """Load, evaluate, print. Refuse images that do not fit the network."""
    device = options.device or find_device()
    check_device(device)
    config = read_header(options.file).config or {}
    trained_on = config.get("data")
    whole, _, held_out = str(trained_on or "").partition("-held-out-")
    name = str(options.data or (whole if whole in NAMES else trained_on) or "")
    if not options.data and name not in NAMES:  # a file runs no code
        if not options.folder:
            said = f"was trained on images of your own, {name!r}"
            raise ValueError(
                f"{options.file} {said if name else 'does not name its data'}"
                f": give --folder, or --data, one of {', '.join(NAMES)}, or "
                "package.module:name"
            )
        name = "folders"
    recipe, execution = _settings(options, config, name, device)
    network = load_network(options.file, make=find_make(options.make))
    data = load(name, options.folder or "data")
    wanted = str(config.get("data_sha256", ""))
    if held_out and name == whole:
        complain(
            f"its run held out {held_out} of the training images: here it is "
            "tested on the test images"
        )
    elif wanted and wanted != data.sha256:
        complain(
            "the images are not those of its run: their SHA-256 is "
            f"{data.sha256[:12]}, and it had {wanted[:12]}"
        )
    try:
        error_pct = evaluate(
            network,
            data,
            normalization=recipe.normalization,
            execution=execution,
            device=device,
        )
    except ValueError as error:
        raise ValueError(f"{options.file}: {error}") from error
    plan, (_, n) = network.plan, data.counts
    unit = options.make or str(plan.spec)
    if options.json:
        facts = {
            "file": str(options.file),
            "unit": unit,
            "depth": plan.depth,
            "parameters": sum(p.numel() for p in network.parameters()),
            "data": data.label,
            "images": n,
            "test_error_pct": error_pct,
        }
        print(json.dumps(facts))
        return 0
    print(
        f"{options.file}: ResNet-{plan.depth} of `{unit}`, test error "
        f"{error_pct:.2f} % on the {n:,} test images of {data.label}"
    )
    return 0


def find_make(address: str | None) -> MakeUnit | None:
    """Import what makes the units of a network, if --make names it."""
    return find_own_code(address, "--make") if address else None


def _settings(
    options: argparse.Namespace,
    config: dict[str, Any],
    name: str,
    device: str,
) -> tuple[Recipe, Execution]:
    """How the run normalized and computed, or what is asked for."""
    where = f"{options.file}: config"
    execution = parse(
        Execution, config.get("execution", {}), f"{where}.execution"
    )
    if execution.precision == "tf32" and device == "cpu":
        execution = replace(execution, precision="fp32")
        complain("its run had TF32, which no CPU has: evaluated in fp32")
    if "recipe" in config:
        return parse(Recipe, config["recipe"], f"{where}.recipe"), execution
    by_data = "digits" if name == "digits" else "paper"
    return find_recipe(by_data), execution
