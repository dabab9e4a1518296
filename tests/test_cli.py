import io
import json
import os
import re
import shlex
import subprocess
import sys
from typing import get_args

from rich.console import Console

import preact
from paths import ROOT
from preact.cli import main, parser
from preact.cli.parser import make_parser
from preact.cli.progress import progress
from preact.data import NAMES, load
from preact.figures.recorded import PANELS
from preact.nn.memory import Memory
from preact.train import Run, find_recipe
from preact.train.device import Precision
from preact.train.recipe import recipes


def run(capsys, *arguments):
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_plan_prints_the_counts_of_resnet_1001(capsys):
    _, out, _ = run(capsys, "plan", "--depth", "1001")
    assert "333 units, 10,327,706 parameters, 1,487.85 M" in out
    assert "BN ReLU conv 1x1 BN ReLU conv 3x3 BN ReLU conv 1x1 (+)" in out


def test_plan_shows_what_train_trains_if_no_depth_is_given(capsys):
    _, out, _ = run(capsys, "plan", "--row", "original")
    assert "54 units, 1,727,962 parameters" in out
    _, out, _ = run(capsys, "plan", "--depth", "8")
    assert "stage 1, 1 unit " in out


def test_plan_in_json_has_the_numbers_of_the_table(capsys):
    plan = json.loads(run(capsys, "plan", "--depth", "1001", "--json")[1])
    assert plan["units"] == [111, 111, 111]
    assert plan["parameters"] == 10_327_706
    assert sum(part["parameters"] for part in plan["parts"]) == 10_327_706
    assert plan["multiply_adds"] == sum(
        part["multiply_adds"] for part in plan["parts"]
    )


def python(code, *arguments, **options):
    """Run some code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def test_what_needs_no_network_loads_no_torch():
    """Help of every command too, so that it comes at once."""
    code = """
import json, sys
from preact.cli import (main)
from preact.cli.parser import (COMMANDS)
helps = [f"{name} --help" for name in COMMANDS]
report = "report digits_bf16 --json"
for words in ("--help", "--version", *helps, "plan --depth 1001", report):
    try:
        code = main(words.split())
    except SystemExit as end:
        code = end.code
    heavy = {"torch", "matplotlib", "IPython"} & set(sys.modules)
    if heavy or code:
        sys.exit(f"{words}: exit code {code}, loaded {heavy}")
"""
    told = python(code)
    assert (told.returncode, told.stderr) == (0, "")
    version = f"preact {preact.__version__}\n"
    for words in ("usage: ", version, "10,327,706", '"depth": 110'):
        assert words in told.stdout


def test_names_that_the_parser_writes_out_are_those_of_their_rooms():
    assert parser.DATA == NAMES
    assert list(parser.RECIPES) == list(recipes())
    assert get_args(Precision) == parser.PRECISIONS
    assert get_args(Memory) == parser.MEMORY
    assert parser.PANELS == PANELS


def test_a_package_that_is_missing_is_named_as_pip_calls_it(tmp_path):
    told = python(
        "import sys; sys.modules['matplotlib'] = None\n"
        "from preact.cli import main; sys.exit(main(['plot', 'smoke']))",
        cwd=tmp_path,
    )
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == (
        "preact: this command needs the package matplotlib; install it with "
        "`pip install matplotlib`\n"
    )


def test_a_reader_that_has_left_is_no_error():
    command = [sys.executable, "-m", "preact", "plan", "--depth", "1001"]
    read, write = os.pipe()
    os.close(read)
    told = subprocess.run(
        command, stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert (told.returncode, told.stderr) == (1, "")


def test_a_terminal_of_ascii_shows_what_it_can():
    told = python(
        "from preact.cli import main; main(['report', 'digits_table_2'])",
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (told.returncode, told.stderr) == (0, "")
    assert "69.72" in told.stdout


def test_progress_is_a_line_in_a_log_and_moves_on_a_terminal():
    recipe, data = find_recipe("digits"), load("digits")
    run = Run(row="original", depth=8, convs=2, recipe=recipe, data=data)
    point = {"iteration": 150, "lr": 0.1, "loss": 1.25, "images_per_s": 160.0}
    point |= {"train_error_pct": 40.0, "test_error_pct": 50.0}
    log, terminal = io.StringIO(), io.StringIO()
    with progress(Console(file=log, width=200), run, "a run") as show:
        show(point)
    assert " ".join(log.getvalue().split()) == (
        "150/300 lr 0.1 loss 1.2500 train error 40.00 % test 50.00 % "
        "160 images/s 1.0 min left"
    )
    console = Console(file=terminal, width=200, force_terminal=True)
    with progress(console, run, "a run") as show:
        show(point)
    assert "150/300" in terminal.getvalue()


def test_the_slurm_file_starts_a_command_that_train_understands(tmp_path):
    """SLURM's two programs stand in: one names the nodes, one echoes."""
    for name, line in {
        "scontrol": "printf 'first-node\\nsecond-node\\n'",
        "srun": 'printf "%s\\n" "$@"',
    }.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{line}\n")
        (tmp_path / name).chmod(0o755)
    told = subprocess.run(
        ["bash", ROOT / "experiments" / "slurm.sh", "--depth", "1001"],
        env={
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "SLURM_JOB_NODELIST": "node-[1-2]",
            "SLURM_NNODES": "2",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    torchrun, ours = told.stdout.split("\npreact\n")
    for said in ("--nnodes\n2", "--nproc-per-node\n4", "first-node:29500"):
        assert said in torchrun
    options = make_parser().parse_args(ours.splitlines())
    assert (options.depth, options.precision) == (1001, "tf32")
    assert options.channels_last


def test_the_array_of_jobs_starts_a_command_that_ablate_understands():
    text = (ROOT / "experiments" / "slurm_matrix.sh").read_text("utf-8")
    told = re.search(r"^srun python -m preact (ablate .*)$", text, re.M)[1]
    words = shlex.split(told.replace('"$@"', "table_2"))
    assert make_parser().parse_args(words).device == "cuda"
    assert "#SBATCH --requeue" in text


def test_slurm_gives_the_gpus_that_torchrun_takes_and_interrupts_in_time():
    text = (ROOT / "experiments" / "slurm.sh").read_text("utf-8")
    asked = dict(re.findall(r"^#SBATCH --([\w-]+)=(\S+)$", text, re.MULTILINE))
    assert f"--nproc-per-node {asked['gpus-per-node']}" in text
    assert asked["ntasks-per-node"] == "1"  # torchrun makes the others
    signal, seconds = asked["signal"].split("@")
    assert signal == "INT"  # what `preact train` saves at
    assert int(seconds) >= 60
