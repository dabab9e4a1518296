"""What a record must hold, and how its configuration becomes a hash."""

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
    Sha256,
    Text,
    shortened,
    typed,
)

NotNegative = Annotated[float, Field(ge=0.0)]
Bytes = Annotated[int, Field(ge=0, le=2**62)]
Depth = Annotated[int, Field(ge=3, le=MOST["depth"])]


@typed
class Deviation:
    """One departure from the paper; printed under the table.

    Parameters
    ----------
    from_, to, why : str
        What the paper does, what was done, and the reason.

    Examples
    --------
    >>> from preact.records import read_record
    >>> from preact.records.compare import PUBLISHED
    >>> folder = PUBLISHED / "digits_table_2/digits/resnet-110-2/original"
    >>> (one,) = read_record(folder / "seed-1.json").deviations
    >>> one.from_
    'CIFAR-10, 64,000 iterations of 128'
    """

    from_: Annotated[Text, Field(alias="from")]
    to: Text
    why: Text


def setting(name: str, value: object) -> str:
    """Write a field of a recipe as deviations name it, such as "lr 0.03"."""
    return f"{name} {list(value) if isinstance(value, tuple) else value}"


@typed
class Git:
    """The commit that ran, and if code was dirty, changed since.

    None is not known.
    """

    commit: Text | None
    dirty: bool | None


@typed
class StepProfile:
    """Signal and gradient at x_0, ..., x_L in one step of training.

    Parameters
    ----------
    iteration : int
        Steps before the one that was watched.
    signal_rms, gradient_norm, open_share : tuple of L + 1 floats or None
        As in `preact.propagation.Profile`, of one process's images in the
        batch, to four digits; None where not finite.

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

    Field by field what stands in its file. None, "" or () is not known, as
    in records that are older than the field.

    Parameters
    ----------
    experiment, row, spec, tail : str
        Name of the experiment; key of `preact.spec.ROWS`, or the name of a
        unit of one's own; the unit, and what stands before the classifier,
        read aloud.
    depth, convs, width : int
        Counted layers, convolutions per unit, channels behind the stem.
    recipe, data, data_label : str
        Names of recipe and images; what tables call the images.
    data_sha256 : str
        Checksum of pixels and labels; of images that stay on disk, of names
        and sizes of the files and of their labels.
    seed : int
        Of weights, order of images, crops, flips and dropout.
    config, config_sha256 : mapping and str
        The configuration, as JSON has it, and its hash.
    parameters, bn_batch : int
        Numbers that are trained; images over which BN takes its statistics,
        in one process.
    outcome : {"finished", "diverged"}
        "diverged" if the loss at the last point of the curve is not finite.
    iterations : int
        Steps taken.
    test_error_pct, test_error_is : float and str
        Error on the test images, in percent, and of which iteration.
    train_loss : float or None
        Mean cross-entropy in nats between the last two points of the curve;
        None if the run diverged.
    wall_s, wall_is : float and str
        Seconds of steps, tests and checkpoints, over all parts of the run,
        and how they were taken.
    images_per_s : float or None
        Training images in a second of steps, tests and checkpoints apart.
    profiles : tuple of StepProfile
        Signal and gradient by unit, in some of the steps.
    peak_memory_bytes, peak_memory_is : int and str
        Most memory held at any time, and what is counted: "CUDA allocator",
        or "resident set of the process".
    deviations : tuple of Deviation
        Departures from the paper.
    started_utc : str
        When the run, or the last part of one that was resumed, began: ISO
        8601.
    device, devices, threads, processors : str and int
        What the processor or GPU calls itself; processes that shared a
        batch; PyTorch's CPU threads in each; the machine's processors.
    torch, cuda, python, preact : str
        Versions; no CUDA on the CPU.
    deterministic : bool
        Whether PyTorch was told to use deterministic algorithms alone.
    git, code_sha256 : Git and str
        The code that ran, and the hash of it.
    kernels : tuple of str
        What computed the units: "PyTorch"; "C" in some records from when
        the package had kernels of its own.

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
    profiles: tuple[StepProfile, ...]
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
        for name, said in self.config.items():
            if name == "recipe" and isinstance(said, dict):
                said = said.get("name")
            if said != getattr(self, name, said):
                raise ValueError(
                    f"{name} must be what config says, {shortened(said)}; "
                    f"got {shortened(getattr(self, name))}"
                )

    @property
    def settings(self) -> dict[str, Any]:
        """The configuration without its seed: equal in runs of one line."""
        return {k: v for k, v in self.config.items() if k != "seed"}


def sha256_of(config: Mapping[str, Any]) -> str:
    """SHA-256 of a config in hexadecimal: the identity of its run."""
    text = json.dumps(config, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
