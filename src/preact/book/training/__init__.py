"""What training costs: the recipe, memory by hand, a planner in the page.

Chapter `09-training`.
"""

import tomllib
from collections import Counter
from collections.abc import Sequence
from math import isqrt
from pathlib import Path
from typing import Any, get_args

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from preact.book.explorers import Html, mount
from preact.book.page import section, words
from preact.figures import Table
from preact.nn import Network
from preact.nn.memory import Memory
from preact.plan import cifar_plan
from preact.records.files import PUBLISHED, read_json
from preact.train.recipe import Recipe, find_recipe

# Where the paper's recipe has each value from, in the order of the table.
SOURCES = {
    "batch": "from_appendix",
    "ghost_batch": "from_usual",
    "lr": "from_appendix",
    "warmup_lr": "from_appendix",
    "warmup_iterations": "from_appendix",
    "drop_at": "from_appendix",
    "iterations": "from_first",
    "momentum": "from_appendix",
    "nesterov": "from_silent",
    "weight_decay": "from_appendix",
    "decayed": "from_silent",
    "normalization": "from_first",
    "pad": "from_first",
    "pad_before_normalization": "from_first",
    "flip": "from_appendix",
}
VALUES = {  # of fields that are text
    "everything": "everything",
    "pixel mean": "pixel_mean",
    "channel": "channel",
}
RECIPES = ("paper", "torch-release", "digits")
STAGES = ((16, 32), (32, 16), (64, 8))  # width inside a bottleneck, pixels
ROOM = 4  # signals that one unit needs while its gradients are computed
MOST_UNITS = 134  # of a stage, in the planner: 1208 layers
FIRST_UNITS = 111
CARDS_GB = (8, 16, 40, 80)
BATCHES = (8, 16, 32, 64, 128, 256)
TIMED = ("cpu-164", "cpu-1001", "amd-164", "amd-1001")  # records
USUAL, LAST = "preact", "preact, channels_last, keep"  # two layouts
KERNELS = {  # of a GPU, for each operation
    "convolution": 1,
    "native_batch_norm": 1,
    "relu_": 1,
    "add": 1,
    "convolution_backward": 2,
    "native_batch_norm_backward": 1,
    "threshold_backward": 1,
}


def recipe_table() -> Table:
    """The recipes of the paper, its authors' release and our digits."""
    say = words()
    recipes = [find_recipe(name) for name in RECIPES]
    body = [
        [
            say(f"recipe.{field}"),
            *(_value(recipe, field) for recipe in recipes),
            say(f"recipe.{source}"),
        ]
        for field, source in SOURCES.items()
    ]
    head = ["field", *RECIPES, "source"]
    return Table(
        [say(f"recipe.{name}") for name in head], body, say("recipe.caption")
    )


def _value(recipe: Recipe, field: str) -> str:
    """A field of a recipe in the page's words."""
    say, value = words(), getattr(recipe, field)
    if isinstance(value, bool):
        return say("recipe.yes" if value else "recipe.no")
    if isinstance(value, tuple):
        return say.join([f"{v:,}" for v in value])
    if isinstance(value, str):
        return say(f"recipe.{VALUES[value]}")
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


# ---------------------------------------------------------------- memory
def by_hand(n: int, memory: Memory) -> tuple[float, float]:
    """Kept and peak, MB for each 32x32 image, with n units in a stage.

    ROOM is 4; STAGES are (width, side): (16, 32), (32, 16), (64, 8).
    """
    length = isqrt(3 * n) if memory == "segment" else 1
    numbers = {"keep": 12, "recompute": 6}.get(memory, 4 / length)
    again = 6 * length if memory in ("unit", "segment") else 0
    kept = peak = 0.0
    for width, side in STAGES:
        signal = 4 * width * side**2 / 1e6  # four bytes a number
        kept += n * numbers * signal
        peak = max(peak, kept + (again + ROOM) * signal)
    return kept, peak


def planner() -> Html:
    """Choose depth, batch and precision; read what a step needs.

    Where no script runs, a table of three depths stays.
    """
    say = words()
    peaks = {
        memory: [
            round(by_hand(n, memory)[1], 2) for n in range(1, MOST_UNITS + 1)
        ]
        for memory in get_args(Memory)
    }
    data = {
        "words": section("planner")
        | {"semicolon": say("punctuation.semicolon")},
        "peaks": peaks,
        "parameters": _parameters(),
        "start": {"n": FIRST_UNITS, "batch": 128},
        "batches": BATCHES,
        "cards": CARDS_GB,
    }
    body = [
        [f"ResNet-{9 * n + 2}"]
        + [f"{step_gb(n, memory, 128):.2f}" for memory in get_args(Memory)]
        for n in (3, 18, FIRST_UNITS)
    ]
    head = [say("table.network")]
    head += [say(f"planner.{memory}") for memory in get_args(Memory)]
    table = Table(head, body, say("planner.caption"))
    return mount("planner", say("planner.title"), data, table._repr_html_())


def _parameters() -> tuple[int, int]:
    """Parameters with n bottleneck units in a stage: a line in n."""
    one, two = (
        cifar_plan("full-preactivation", depth=depth, convs=3).parameters
        for depth in (11, 20)
    )
    return 2 * one - two, two - one


def step_gb(n: int, memory: Memory, batch: int, width: float = 1.0) -> float:
    """GB of a step: weights, gradients, momentum; activations by hand.

    An activation is `width` as wide as float32.
    """
    fixed, each = _parameters()
    activations = by_hand(n, memory)[1] * 1e6 * width * batch
    return (12 * (fixed + n * each) + activations) / 1e9


# --------------------------------------------------------------- kernels
class _Count(TorchDispatchMode):
    """Counts the operations that PyTorch is asked for."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen: Counter[str] = Counter()

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        self.seen[func.overloadpacket.__name__] += 1
        return func(*args, **(kwargs or {}))


def count_kernels(depth: int) -> int:
    """Kernels of a forward and a backward pass of bottlenecks."""
    plan = cifar_plan(
        "full-preactivation", depth=depth, convs=3, image=(3, 8, 8)
    )
    with _Count() as count:
        Network(plan)(torch.randn(2, 3, 8, 8)).sum().backward()
    return sum(k * count.seen[name] for name, k in KERNELS.items())


def gpu_steps() -> list[dict[str, Any]]:
    """Return steps timed on a GPU: depth, plain_ms, graph_ms."""
    text = Path(__file__).with_name("gpu.toml").read_text("utf-8")
    steps: list[dict[str, Any]] = tomllib.loads(text)["step"]
    return steps


def recorded_steps() -> dict[str, tuple[float, float, float]]:
    """Milliseconds of a step on a CPU, by record.

    In PyTorch's usual layout and with channels last; and of a forward pass,
    in evaluation, with channels last.
    """
    steps = {}
    for name in TIMED:
        record = read_json(PUBLISHED / "bench" / f"{name}.json")
        rows = {row["name"]: row for row in record["rows"]}
        steps[name] = (
            rows[USUAL]["train_ms_min"],
            rows[LAST]["train_ms_min"],
            rows[LAST]["forward_ms_min"],
        )
    return steps


def step_times() -> Table:
    """Time of a step in two layouts, at two depths, on two machines."""
    say = words()
    body = [
        [
            say(f"times.{name}"),
            f"{usual:.0f}",
            f"{last:.0f}",
            f"{usual / last:.2f}",
        ]
        for name, (usual, last, _) in recorded_steps().items()
    ]
    head = [say(f"times.{key}") for key in ("step", "usual", "last", "gain")]
    return Table(head, body, say("times.caption"))
