"""The file and the command for many GPUs do what the chapter says."""

import re
import shlex

import pytest

from paths import ROOT
from preact.cli.parser import make_parser
from preact.experiment import read_experiment
from preact.strings import LANGUAGES
from preact.train import find_recipe


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_file_takes_thirteen_times_the_batch_and_rate(language, tmp_path):
    page = (ROOT / "book" / language / "10-imagenet.md").read_text("utf-8")
    (text,) = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    path = tmp_path / "resnet_200.toml"
    path.write_text(text, "utf-8")
    (ours,) = read_experiment(path).recipes
    theirs = find_recipe("imagenet")
    assert ours.batch == 13 * theirs.batch == 13 * 8 * ours.ghost_batch
    assert ours.lr_at(0) == theirs.lr
    assert ours.lr_at(ours.warmup_iterations) == pytest.approx(13 * theirs.lr)
    assert 13 * ours.iterations == theirs.iterations
    assert 18 * ours.warmup_iterations == ours.iterations  # 90 epochs, five
    (command,) = re.findall(r"^torchrun --nnodes.*?^```", page, re.M | re.S)
    words = shlex.split(command.removesuffix("```"))
    options = dict(zip(words[1:10:2], words[2:11:2], strict=True))
    assert options["--nnodes"] == "13"
    assert options["--nproc-per-node"] == "8"
    assert int(options["--max-restarts"]) > 0
    asked = make_parser().parse_args(words[words.index("preact") + 1 :])
    assert [file.name for file in asked.files] == [path.name]
