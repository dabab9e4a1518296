"""What can be typed after `preact`: every command with its options.

Nothing heavy is imported here, so help and mistakes are answered at once;
names that other rooms know are written out, and a test compares them.
"""

import argparse
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from preact import __version__
from preact.strings import LANGUAGES

COMMANDS = {
    "plan": "print units, shapes, parameters and multiply-adds",
    "train": "train one network; the same command again resumes",
    "eval": "print the test error of a network that was trained",
    "predict": "say what is on images, by a network that was trained",
    "ablate": "run what an experiment file asks for and is not recorded",
    "report": "print our errors beside the paper's",
    "plot": "draw errors, curves and profiles of recorded runs",
    "check": "probe any network: which residual unit is it, and is it right",
}
"""What each command is for, by name."""
LONGEST = 1000  # characters of a message
ROW = "full-preactivation"  # if no other is asked for
DATA = ("digits", "cifar10", "cifar100", "cifar10-16", "imagenet", "folders")
IMAGES = (
    f"{', '.join(DATA)}, or package.module:name of a function that returns an "
    "ImageSet"
)
RECIPES = ("paper", "torch-release", "digits", "imagenet")
PRECISIONS = ("fp32", "tf32", "bf16", "fp16")
MEMORY = ("keep", "recompute", "unit", "segment")
Add = Callable[..., argparse.Action]


def make_parser() -> argparse.ArgumentParser:
    """Describe the command line.

    Examples
    --------
    >>> from preact.cli import make_parser
    >>> options = make_parser().parse_args(["plan", "--depth", "110"])
    >>> options.command, options.depth
    ('plan', 110)
    """
    parser = Parser(
        prog="preact",
        description="Identity Mappings in Deep Residual Networks, in code.",
    )
    parser.add_argument(
        "--version", action="version", version=f"preact {__version__}"
    )
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="command"
    )
    describe: dict[str, Callable[[argparse.ArgumentParser], str]] = {
        "plan": _plan,
        "train": _train,
        "eval": _eval,
        "predict": _predict,
        "ablate": _ablate,
        "report": _report,
        "plot": _plot,
        "check": _check,
    }
    for name, purpose in COMMANDS.items():
        command = commands.add_parser(name, help=purpose)
        command.description = describe[name](command)
    return parser


class Parser(argparse.ArgumentParser):
    """Refuses in one line, and what is only the beginning of an option."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def parse_known_args(  # type: ignore[override]
        self, args: Any = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Refuse what a command does not know where it is known which."""
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            words = [word for word in unknown if word.startswith("-")]
            word = (words or unknown)[0].partition("=")[0]
            near = get_close_matches(word, self._option_string_actions, n=1)
            kind = "option" if words else "argument"
            self.error(
                f"unknown {kind} {word[:60]}"
                + "".join(f", near it {one}" for one in near)
            )
        return options, unknown

    def error(self, message: str) -> NoReturn:
        """Say what was wrong and where the legal forms are."""
        text = f"{self.prog}: {one_line(message)}; see `{self.prog} --help`\n"
        self.exit(2, text)


def one_line(message: str) -> str:
    """Put a message into one line, the middle of a long one left out."""
    from preact.typed import printable  # late: loads pydantic

    text = printable(" ".join(message.split()))
    half = LONGEST // 2
    return (
        text if len(text) <= LONGEST else f"{text[:half]} ... {text[-half:]}"
    )


def _plan(command: argparse.ArgumentParser) -> str:
    add = command.add_argument
    _network(add)
    _json(add)
    return "Print a network's units, shapes, parameters and multiply-adds."


def _train(command: argparse.ArgumentParser) -> str:
    add = command.add_argument
    _network(add)
    add(
        "--data",
        help=f"{IMAGES} (default: folders if there is a --folder, or digits)",
    )
    add(
        "--hold-out",
        type=int,
        default=0,
        metavar="N",
        help="test on N training images, not on the test images",
    )
    add(
        "--init",
        type=Path,
        metavar="FILE",
        help="weights to start from; with other classes the classifier is new",
    )
    add(
        "--recipe",
        choices=RECIPES,
        help="default: the data's own for digits and imagenet, else paper",
    )
    add("--seed", type=int, default=1, help="default: %(default)s")
    add("--width", type=int, help="channels of the first stage")
    for name, kind in (("iterations", int), ("batch", int), ("lr", float)):
        add(
            f"--{name}",
            type=kind,
            help="in place of the recipe's; recorded as a deviation",
        )
    add("--precision", choices=PRECISIONS, default="fp32")
    add(
        "--channels-last",
        action="store_true",
        help="channels side by side in memory: faster on most devices, but "
        "other last bits than those of the records, so not the default",
    )
    add(
        "--memory",
        choices=MEMORY,
        default="keep",
        help="what is kept for the backward pass (default: keep)",
    )
    _places(add)
    command.set_defaults(folder=None)  # images of one's own need it
    return (
        "Train one network and write record, curve and weights. The same "
        "command again goes on where it stopped; a finished run is not "
        "repeated. Under torchrun the processes share every batch."
    )


def _eval(command: argparse.ArgumentParser) -> str:
    add = command.add_argument
    add("file", type=Path, help="for example seed-1.safetensors")
    add("--data", help=f"{IMAGES} (default: what it was trained on)")
    _folder(add)
    command.set_defaults(folder=None)  # images of one's own need it
    _make(add)
    _device(add)
    _json(add)
    return (
        "Print the test error of a network that was kept, computed as in its "
        "run (normalization, precision)."
    )


def _predict(command: argparse.ArgumentParser) -> str:
    add = command.add_argument
    add("file", type=Path, help="for example seed-1.safetensors")
    add(
        "images",
        type=Path,
        nargs="+",
        metavar="image",
        help="a JPEG or PNG file, but no PNG of 16-bit gray",
    )
    add("--top", type=int, default=3, help="classes (default: %(default)s)")
    add(
        "--invert",
        action="store_true",
        help="exchange light and dark: scikit-learn's digits are white",
    )
    _make(add)
    _device(add)
    _json(add)
    return (
        "Print the likeliest classes of images and their probabilities, by "
        "the network in a file of `preact train`. The middle square of each "
        "image is scaled to what the network reads."
    )


def _ablate(command: argparse.ArgumentParser) -> str:
    add = command.add_argument
    folder = Path(__file__).parents[1] / "experiments"
    names = ", ".join(path.stem for path in sorted(folder.glob("*.toml")))
    add(
        "files",
        type=Path,
        nargs="+",
        metavar="experiment",
        help=f"a file, or the name of one of the package's: {names}",
    )
    _places(add)
    add("--dry-run", action="store_true", help="show the plan only")
    add(
        "--save",
        action="store_true",
        help="keep the weights of each run beside its record (default: none)",
    )
    return (
        "Show the runs of a file, then make those without a record. The same "
        "command again goes on; several share the work. "
        "The repository's docs/experiments.md lists the keys of a file."
    )


def _report(command: argparse.ArgumentParser) -> str:
    add = command.add_argument
    add("experiment", nargs="?", help="a name, or an experiment file")
    _results(add)
    add(
        "--against",
        metavar="ROW",
        help="print how much each error is above that of this row with the "
        "same seed, network and learning rate: median and interval of the "
        "differences",
    )
    add("--language", default="en", choices=LANGUAGES)
    form = command.add_mutually_exclusive_group()
    _json(form.add_argument)
    form.add_argument(
        "--markdown", action="store_true", help="as a README has it"
    )
    return (
        "Print the recorded errors of an experiment, all seeds of a row in "
        "one line (median, mean with its 95 % interval by Student's t, "
        "number of runs), beside the paper's; without an experiment, list "
        "those that have records. Below the table: steps and deviations, "
        "with the runs they are of if not of all."
    )


def _plot(command: argparse.ArgumentParser) -> str:
    add = command.add_argument
    add("experiment", help="a name such as digits_table_2, or a file")
    add(
        "-o",
        "--out",
        type=Path,
        help="file to write, .svg, .pdf or .png (default: EXPERIMENT.svg)",
    )
    _results(add)
    add("--rows", nargs="+", metavar="ROW", help="runs of these rows alone")
    add("--depth", type=int, help="runs of this depth alone")
    add("--lr", type=float, help="runs at this learning rate alone")
    return (
        "Draw the recorded runs of an experiment: the errors of all seeds "
        "with median and interval, learning curves, gradients by unit at the "
        "last iteration; print what the marks mean. Equal records give equal "
        "files."
    )


def _check(command: argparse.ArgumentParser) -> str:
    add = command.add_argument
    add(
        "address",
        help="package.module:factory, or timm:NAME, torchvision:NAME, "
        "pytorchcv:NAME where these are installed",
    )
    add(
        "--image",
        default="3x32x32",
        help="shape of one input, such as 3x224x224 (default: %(default)s)",
    )
    add(
        "--row",
        default="",
        help="key of Table 1, Table 2 or a control that it is meant to be; "
        "any other unit is then a no",
    )
    add(
        "--skip",
        action="append",
        default=[],
        metavar="PROPERTY",
        help="leave a property out of the exit status, by the name that the "
        "report gives it; may be repeated",
    )
    add(
        "--strict",
        action="store_true",
        help='exit with 1 for "could not tell", too',
    )
    add("--language", default="en", choices=LANGUAGES)
    form = command.add_mutually_exclusive_group()
    form.add_argument(
        "--verbose", action="store_true", help="evidence for each yes, too"
    )
    _json(form.add_argument)
    return (
        "Probe a network by what it computes and answer, property by "
        "property, which residual unit it is and whether it is right. The "
        "code that you name is imported and run. "
        "Exit status: 0 if no answer is no, 1 if one is, 2 if nothing could "
        "be probed."
    )


def _network(add: Add) -> None:
    add("--depth", type=int, default=110, help="layers (default: %(default)s)")
    add(
        "--convs",
        type=int,
        help="convolutions per unit: 1, 2 or 3 (default: what fits the depth)",
    )
    add(
        "--row",
        default=ROW,
        help="key of Table 1, Table 2 or a control (default: %(default)s)",
    )


def _places(add: Add) -> None:
    _folder(add)
    add(
        "--out",
        type=Path,
        default=Path("runs"),
        help="records and checkpoints (default: %(default)s)",
    )
    _device(add)


def _folder(add: Add) -> None:
    add(
        "--folder",
        type=Path,
        default=Path("data"),
        help="where CIFAR, ImageNet or train and val lie (default: data)",
    )


def _make(add: Add) -> None:
    add(
        "--make",
        metavar="package.module:name",
        help="what makes the units, where own code did: a file runs no code",
    )


def _device(add: Add) -> None:
    add("--device", help="cpu or cuda (default: cuda where there is one)")


def _results(add: Add) -> None:
    add(
        "--results",
        type=Path,
        help="folder of records (default: runs, then those of the package)",
    )


def _json(add: Add) -> None:
    add("--json", action="store_true", help="for programs: JSON")
