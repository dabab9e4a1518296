"""What a record must hold, and how its configuration becomes a hash.

Chapter `08-training`.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from preact.plan.checks import MOST
from preact.typed import (
    Name,
    Percent,
    Positive,
    Seed,
    shortened,
    typed,
)
from preact.typed.fields import Sha256, Text

NotNegative = Annotated[float, Field(ge=0.0)]
Bytes = Annotated[int, Field(ge=0, le=2**62)]
Depth = Annotated[int, Field(ge=3, le=MOST["depth"])]


@typed
class Deviation:
    """One departure from the paper; printed under the table.

    Examples
    --------
    >>> from preact.records import read_record
    >>> from preact.records.compare import PUBLISHED
    >>> folder = PUBLISHED / "digits_table_2/digits/resnet-110-2/original"
    >>> (one,) = read_record(folder / "seed-1.json").deviations
    >>> one.from_
    'CIFAR-10, 64,000 iterations of 128'
    >>> one.to
    '1,437 digits of 8x8, 300 iterations of 64'
    """

    from_: Annotated[Text, Field(alias="from")]
    to: Text
    why: Text


@typed
class Git:
    """The code that ran, and if it was changed; None is not known.

    Examples
    --------
    >>> from preact.records import Git
    >>> Git(commit="ab727d9", dirty=False)
    Git(commit='ab727d9', dirty=False)
    >>> Git(commit="ab727d9", dirty="no")
    Traceback (most recent call last):
    ValueError: dirty must be true or false; got 'no'
    """

    commit: Text | None
    dirty: bool | None


@typed
class Profile:
    """Signal and gradient at x_0, ..., x_L in one step of training.

    Examples
    --------
    >>> from preact.records import read_record
    >>> from preact.records.compare import PUBLISHED
    >>> folder = PUBLISHED / "digits_table_2/digits/resnet-110-2/original"
    >>> first, *_, last = read_record(folder / "seed-1.json").profiles
    >>> first.iteration, last.iteration, len(first.signal_rms)
    (0, 299, 55)

    The 54 units of ResNet-110 lie between 55 signals, x_0 to x_54.
    """

    iteration: Bytes
    signal_rms: tuple[float | None, ...]
    gradient_norm: tuple[float | None, ...]
    open_share: tuple[float | None, ...]


@typed
class Record:
    """One run: what was trained, on what, and what came out.

    Field by field what stands in its file. `kernels` is what computed the
    units, "C" or "PyTorch", one after another where a run was resumed with
    others.

    Raises
    ------
    ValueError
        If a field is missing, of another kind or out of its range, or if
        the configuration is not the one that was hashed.

    Examples
    --------
    >>> from preact.records import read_record
    >>> from preact.records.compare import PUBLISHED
    >>> folder = PUBLISHED / "digits_table_2/digits/resnet-110-2/original"
    >>> record = read_record(folder / "seed-1.json")
    >>> record.row, record.depth, record.seed, record.bn_batch
    ('original', 110, 1, 64)
    """

    experiment: Name
    row: Name
    spec: Text
    tail: Text
    depth: Depth
    convs: Annotated[int, Field(ge=1, le=3)]
    width: Annotated[int, Field(ge=1, le=MOST["width"])]
    recipe: Text
    data: Text
    data_label: Text
    data_sha256: Sha256
    seed: Seed
    config: dict[str, Any]
    config_sha256: Sha256
    parameters: Positive
    bn_batch: Positive
    outcome: Literal["finished", "diverged"]
    iterations: Bytes
    test_error_pct: Percent
    test_error_is: Text
    train_loss: float | None
    wall_s: NotNegative
    images_per_s: NotNegative | None
    profiles: tuple[Profile, ...]
    peak_memory_bytes: Bytes | None
    peak_memory_is: Text
    deviations: tuple[Deviation, ...]
    started_utc: Text
    device: Text
    devices: Positive
    threads: Positive
    processors: Positive | None
    torch: Text
    cuda: Text | None
    deterministic: bool
    python: Text
    preact: Text
    git: Git
    code_sha256: Sha256 | None
    wall_is: Text
    kernels: tuple[Text, ...]

    def __post_init__(self) -> None:
        if sha256_of(self.config) != self.config_sha256:
            raise ValueError(
                "config_sha256 must be the hash of config; got "
                f"{self.config_sha256}: one of them was changed by hand"
            )
        for name in IN_CONFIG:
            if self.config.get(name) != getattr(self, name):
                raise ValueError(
                    f"{name} must be what config says, "
                    f"{shortened(self.config.get(name))}; got "
                    f"{shortened(getattr(self, name))}"
                )
        recipe = self.config.get("recipe")
        hashed = recipe.get("name") if isinstance(recipe, dict) else None
        if hashed != self.recipe:
            raise ValueError(
                f"recipe must be what config says, {shortened(hashed)}; "
                f"got {shortened(self.recipe)}"
            )

    @property
    def settings(self) -> dict[str, Any]:
        """The configuration without its seed: equal in runs of one line."""
        return {k: v for k, v in self.config.items() if k != "seed"}


IN_CONFIG = (
    "row",
    "spec",
    "tail",
    "depth",
    "convs",
    "width",
    "data",
    "data_label",
    "data_sha256",
    "seed",
)


def sha256_of(config: Mapping[str, Any]) -> str:
    """SHA-256 of a configuration in hexadecimal: the identity of its run.

    Examples
    --------
    >>> from preact.records import sha256_of
    >>> len(sha256_of({"depth": 110, "seed": 1}))
    64
    >>> sha256_of({"depth": 110}) == sha256_of({"depth": 164})
    False
    """
    text = json.dumps(config, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
