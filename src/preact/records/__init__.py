"""What was measured: one JSON file a run, its curve beside it.

Files are written whole or not at all, and read only if they hold what a
record must hold.

Examples
--------
>>> from preact.records.compare import load_records
>>> record = load_records("digits_table_2")[0]
>>> record.depth, record.test_error_is
(110, 'last iteration')

Chapters `05-shortcuts`, `06-activations`, `07-depth`, `08-training`,
`09-imagenet` and `12-summary`.

Parameters
----------
path : Path or str
    A record's JSON file; the curve is beside it, ending in `.csv`.
config : mapping
    The configuration, as JSON has it.
from_, to, why : str
    What the paper does, what was done, and the reason.
commit : str or None
    Of git; None is not known.
dirty : bool or None
    Whether the code differed from the commit; None is not known.
iteration : int
    Steps before the one that was watched.
signal_rms, gradient_norm, open_share : tuple of L + 1 floats or None
    As `preact.propagation.Profile`, of one process's images in the batch, to
    four digits; None where not finite.
experiment, row : str
    Name of the experiment; key of `preact.spec.ROWS`, or the name of a unit
    of one's own.
spec, tail : str
    The unit and what stands before the classifier, read aloud.
depth, convs, width : int
    Layers, convolutions per unit, channels behind the stem.
recipe : str
    Its name.
data, data_label : str
    Name of the images, and what tables call them.
data_sha256 : str
    Checksum of pixels and labels; of images that stay on disk, of names and
    sizes of the files and of their labels.
seed : int
    Of weights, order of images, crops, flips and dropout.
config_sha256 : str
    Hash of the configuration.
code_sha256 : str or None
    Hash of the package's code; None in records older than it.
parameters : int
    Numbers that are trained.
batch : int
    Images in a step.
bn_batch : int
    Images over which BN takes its statistics, in one process.
outcome : {"finished", "diverged"}
    "diverged" if the loss at the last point of the curve is not finite.
iterations : int
    Steps taken.
test_error_pct : float
    Error of the last iteration on the test images, in percent.
test_error_is : str
    Of which iteration it is.
train_loss : float or None
    Mean cross-entropy in nats between the last two points of the curve; None
    if the run diverged.
wall_s : float
    Seconds of steps, tests and checkpoints, over all parts of the run.
wall_is : str
    How these seconds were taken; "" in records older than it.
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
    When the run, or the last part of one that was resumed, began: ISO 8601.
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
python, preact : str
    Versions; "" in records older than these.
deterministic : bool
    Whether PyTorch was told to use deterministic algorithms alone.
git : Git
    The code that ran.
kernels : tuple of str
    What computed the units, part by part; () in records older than it.
network, precision : str
    What was timed, and in which numbers.
rounds : int
    Turns of each contestant that count.
gradient_error : float
    How far gradients of the fast network were from float64 in a network of
    at most 29 layers: in the worst tensor, relative to its largest number,
    the median of several draws.
rows : tuple of BenchRow
    The contestants.
name : str
    Of the contestant: package and settings.
peer : bool
    Whether it is another package.
train_ms_min, train_ms_median : float
    Milliseconds of a training step on a batch: least and median of rounds.
forward_ms_min, forward_ms_median : float
    Likewise of a forward pass in evaluation.
kept_bytes_per_image : int or None
    Bytes that a step keeps for its backward pass, for each image; None of a
    compiled network, where they are not measured.
peak_bytes_per_image : int or None
    Most bytes at any time of a step, beyond what was held before it, for
    each image; likewise.
first_step_s : float
    Seconds of the first step, with what is compiled in it.
"""

from preact.records.files import (
    read_curve,
    read_record,
    write_new,
    write_record,
)
from preact.records.record import (
    Deviation,
    Git,
    Profile,
    Record,
    sha256_of,
)
from preact.records.speed import BenchRecord, BenchRow
from preact.typed import schema as _schema

__all__ = [
    "BenchRecord",
    "BenchRow",
    "Deviation",
    "Git",
    "Profile",
    "Record",
    "read_curve",
    "read_record",
    "schema",
    "sha256_of",
    "write_new",
    "write_record",
]


def schema() -> dict[str, object]:
    """Return the JSON schemas of a run's record and of a bench record.

    Examples
    --------
    >>> from preact.records import schema
    >>> list(schema())
    ['run', 'bench']
    >>> schema()["run"]["properties"]["convs"]["maximum"]
    3
    """
    return {"run": _schema(Record), "bench": _schema(BenchRecord)}
