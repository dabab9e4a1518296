"""What a record must hold, and how its configuration becomes a hash.

Chapter `09-training`.
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
    from_ : str
        What the paper does.
    to : str
        What was done.
    why : str
        The reason.

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

    Parameters
    ----------
    commit : str or None
        Of git; None is not known.
    dirty : bool or None
        Whether the code differed from the commit; None is not known.

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

    Field by field what stands in its file. `kernels` is what computed the
    units, "C" or "PyTorch", one after another where a run was resumed with
    others.

    Parameters
    ----------
    experiment : str
        Name of the experiment.
    row : str
        Key of `preact.spec.ROWS`, or the name of a unit of one's own.
    spec : str
        The unit, read aloud.
    tail : str
        What stands before the classifier, read aloud.
    depth : int
        Counted layers.
    convs : {1, 2, 3}
        Convolutions per unit.
    width : int
        Channels behind the stem.
    recipe : str
        Name of the recipe.
    data : str
        Name of the images.
    data_label : str
        What tables call the images.
    data_sha256 : str
        Checksum of pixels and labels; of images that stay on disk, of names
        and sizes of the files and of their labels.
    seed : int
        Of weights, order of images, crops, flips and dropout.
    config : mapping
        The configuration, as JSON has it.
    config_sha256 : str
        Hash of the configuration.
    parameters : int
        Numbers that are trained.
    bn_batch : int
        Images over which BN takes its statistics, in one process.
    outcome : {"finished", "diverged"}
        "diverged" if the loss at the last point of the curve is not finite.
    iterations : int
        Steps taken.
    test_error_pct : float
        Error of the last iteration on the test images, in percent.
    test_error_is : str
        Of which iteration the error is.
    train_loss : float or None
        Mean cross-entropy in nats between the last two points of the curve;
        None if the run diverged.
    wall_s : float
        Seconds of steps, tests and checkpoints, over all parts of the run.
    images_per_s : float or None
        Training images in a second of steps, tests and checkpoints apart; None
        where it was not measured.
    profiles : tuple of Profile
        Signal and gradient by unit, in some of the steps.
    peak_memory_bytes : int or None
        Most memory held at any time; None is not known.
    peak_memory_is : str
        What is counted: "CUDA allocator", or "resident set of the process".
    deviations : tuple of Deviation
        Departures from the paper.
    started_utc : str
        When the run, or the last part of one that was resumed, began: ISO
        8601.
    device : str
        What the processor or GPU calls itself.
    devices : int
        Processes that shared a batch, each on a device of its own if on GPUs.
    threads : int
        CPU threads of PyTorch, in each process.
    processors : int or None
        Logical processors of the machine; None is not known.
    torch : str
        Version of PyTorch.
    cuda : str or None
        Version of CUDA; None on the CPU.
    deterministic : bool
        Whether PyTorch was told to use deterministic algorithms alone.
    python : str
        Version of Python; "" in records older than it.
    preact : str
        Version of this package; "" in records older than it.
    git : Git
        The code that ran.
    code_sha256 : str or None
        Hash of the package's code; None in records older than it.
    wall_is : str
        How these seconds were taken; "" in records older than it.
    kernels : tuple of str
        What computed the units, part by part; () in records older than it.

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
    """SHA-256 of a configuration in hexadecimal: the identity of its run.

    Parameters
    ----------
    config : mapping
        The configuration, as JSON has it.

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
