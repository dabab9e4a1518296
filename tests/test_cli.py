import io
import subprocess

import pytest
from rich.console import Console

from paths import ROOT
from preact.cli import main
from preact.cli.progress import Progress
from preact.data import load
from preact.train import Run, find_recipe


def run(capsys, *arguments):
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_plan_prints_the_counts_of_resnet_1001(capsys):
    code, out, _ = run(capsys, "plan", "--depth", "1001")
    assert code == 0
    assert (
        "333 units (111 a stage), 10,327,706 parameters, "
        "1,487.85 M multiply-adds an image"
    ) in out
    assert "BN ReLU conv 1x1 BN ReLU conv 3x3 BN ReLU conv 1x1 (+)" in out


def test_plan_without_a_depth_lists_the_papers_networks(capsys):
    code, out, _ = run(capsys, "plan")
    assert code == 0
    for count in ("1,727,962", "1,703,258", "10,327,706", "244.50 M"):
        assert count in out


def test_plan_knows_every_row_and_imagenet(capsys):
    row = ("--row", "exclusive-gating-b-6")
    assert (
        "1-g(x) on shortcut" in run(capsys, "plan", "--depth", "20", *row)[1]
    )
    out = run(capsys, "plan", "--imagenet", "--depth", "200")[1]
    assert "66 units (3+24+36+3)" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--depth", "1000"], "depth must be 9n + 2 for 3 convolutions"),
        (["--depth", "20", "--row", "preact"], "got 'preact' (near it:"),
        (["--depth", "34", "--imagenet"], "50, 101, 152, 200; got 34"),
        (["--depth", "20", "--convs", "5"], "convs must be one of 1, 2, 3"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(capsys, arguments, message):
    code, out, err = run(capsys, "plan", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_progress_is_a_line_in_a_log_and_a_bar_on_a_terminal():
    run = Run(
        row="original",
        depth=8,
        convs=2,
        recipe=find_recipe("digits"),
        data=load("digits"),
    )
    point = {
        "iteration": 150,
        "lr": 0.1,
        "loss": 1.25,
        "train_error_pct": 40.0,
        "test_error_pct": 50.0,
        "images_per_s": 160.0,
    }
    log, terminal = io.StringIO(), io.StringIO()
    with Progress(Console(file=log, width=200), run, "a run") as progress:
        progress(point)
    wanted = (
        "150/300 lr 0.1 loss 1.2500 train error 40.00 % test 50.00 % "
        "160 images/s 1.0 min left"
    )
    assert " ".join(log.getvalue().split()) == wanted
    console = Console(file=terminal, width=200, force_terminal=True)
    with Progress(console, run, "a run") as progress:
        progress(point)
        progress.bar.refresh()
    assert "150/300" in terminal.getvalue()
    assert "min left" not in terminal.getvalue()


def test_the_slurm_file_is_a_shell_script_that_can_be_read():
    path = ROOT / "experiments" / "slurm.sh"
    subprocess.run(["bash", "-n", str(path)], check=True)
    for option in ("--nodes=2", "--gpus-per-node=4", "--signal=INT"):
        assert f"#SBATCH {option}" in path.read_text()
