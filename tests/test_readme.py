"""What README and docs/own.md show is so: examples, commands and files."""

import doctest
import re
import shlex
import sys
from pathlib import Path

import pytest
import torch

from paths import ROOT
from preact.cli.parser import COMMANDS, make_parser
from preact.data import load
from preact.experiment import read_experiment
from preact.experiment.matrix import planned_runs

TEXTS = {
    name: (ROOT / name).read_text("utf-8")
    for name in ("README.md", "docs/own.md", "CONTRIBUTING.md")
}
SAID = [
    (name, command)
    for name, text in TEXTS.items()
    for command in re.findall(r"`(preact [^`\n]+)`", text)
]


def blocks(language):
    text = TEXTS["README.md"] + TEXTS["docs/own.md"]
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


@pytest.mark.slow
def test_its_examples_print_what_they_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "\n".join(blocks("python"))
    example = doctest.DocTestParser().get_doctest(text, {}, "README", "", 0)
    output = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(example, out=output.append)
    assert len(example.examples) > 12
    assert runner.summarize(verbose=False).failed == 0, "".join(output)


def test_its_experiment_can_be_planned(tmp_path, monkeypatch):
    (text,) = blocks("toml")
    (code,) = [text for text in blocks("python") if "class GeluUnit" in text]
    monkeypatch.chdir(tmp_path)
    Path("my_units.py").write_text(code)
    Path("own.toml").write_text(text)
    runs = [*planned_runs(read_experiment("own.toml"), load("digits"))]
    assert {planned.run.row for planned in runs} == {
        "original",
        "full-preactivation",
        "gelu",
        "half",
    }
    assert len(runs) == 24


def test_its_unit_of_own_code_makes_a_network(tmp_path, monkeypatch):
    unit, network_of_it = (
        text for text in blocks("python") if "GeluUnit" in text
    )
    (tmp_path / "my_units.py").write_text(unit)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_units", raising=False)
    names = {}
    exec(network_of_it, names)
    network = names["make_network"]()
    assert isinstance(network.units[0], names["GeluUnit"])
    assert network(torch.zeros(2, 3, 32, 32)).shape == (2, 10)


def test_a_command_that_is_shown_can_be_parsed():
    assert len(SAID) > 7
    for _, command in SAID:
        words = shlex.split(command)[1:]
        if words[-1] == "...":
            words.pop()
        assert words[0] in COMMANDS
        if words[1:]:  # else it is only named
            assert make_parser().parse_args(words).command == words[0]


def test_the_experiments_that_are_shown_are_there():
    for _, command in SAID:
        match = re.match(r"preact ablate (\w+)$", command)
        if match and not match[1].isupper():
            assert read_experiment(match[1]).name == match[1]
