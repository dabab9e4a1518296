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
record : Record or mapping
    What is written, checked first.
curve : sequence of mappings
    Points by iteration, the same columns in each.
config : mapping
    The configuration, as JSON has it.
content : str or bytes
    The whole file; text becomes UTF-8.
replace : bool
    Whether the file may be there.
from_, to, why : str
    What the paper does, what was done, and the reason.
commit : str or None
    Of git; None is not known.
dirty : bool or None
    Whether the code differed from the commit; None is not known.
iteration : int
    After so many steps.
signal_rms, gradient_norm, open_share : tuple of L + 1 floats
    As `preact.propagation.Profile`; None is not finite.
experiment, row : str
    Name of the experiment; key of `preact.spec.ROWS`.
spec, tail : str
    The unit and what stands before the classifier, read aloud.
depth, convs, width : int
    Layers, convolutions per unit, channels of the first stage.
recipe : str
    Its name; "protocol" in the file.
data, data_label, data_sha256 : str
    Name, what tables call it, and the checksum of the files.
seed : int
    Of weights, order of images, crops and dropout.
config_sha256, code_sha256 : str
    Hashes of the configuration and of the package's code.
parameters : int
    Numbers that are trained.
batch, bn_batch : int
    Images in a step, and images over which BN takes its statistics.
outcome : {"finished", "diverged"}
    How it ended.
iterations : int
    Steps taken.
test_error_pct : float
    Error of the last iteration on the test images, in percent.
test_error_is : str
    Of which iteration it is.
train_loss : float or None
    Mean cross-entropy in nats between the last two points of the curve; None
    is not finite.
wall_s : float
    Seconds of training.
wall_is : str
    How these seconds were taken.
images_per_s : float or None
    Training images a second; None where it was not measured.
profiles : tuple of Profile
    Signal and gradient by unit, while it was trained.
peak_memory_bytes : int or None
    Most memory in use.
peak_memory_is : str
    Of what: the device or the process.
deviations : tuple of Deviation
    Departures from the paper.
started_utc : str
    Date and time, ISO 8601.
device, devices : str, int
    What computed, and how many of them.
threads, processors : int
    Threads of PyTorch; processors that it could use.
torch, cuda, python, preact : str
    Versions.
deterministic : bool
    Whether PyTorch was held to the same bits.
git : Git
    The code that ran.
kernels : tuple of str
    What computed the units, part by part.
network, precision : str
    What was timed, and in which numbers.
rounds : int
    Turns of each contestant.
gradient_error : float
    Largest relative difference from float64, checked before.
rows : tuple of BenchRow
    The contestants.
name, peer : str, bool
    Of the contestant, and whether it is another package.
train_ms_min, train_ms_median, forward_ms_min, forward_ms_median : float
    Milliseconds of a training step and of a forward pass.
kept_bytes_per_image, peak_bytes_per_image : int or None
    Kept for the backward pass; most at any time.
first_step_s : float
    Seconds of the first step, with what is compiled in it.
launches : int
    Kernels that a training step starts on a GPU; 0 on the CPU.
limit_ms : float or None
    Time that the fewest bytes would take, on a GPU.
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
    """Return the JSON schemas of a run's record and of a bench record."""
    return {"run": _schema(Record), "bench": _schema(BenchRecord)}
