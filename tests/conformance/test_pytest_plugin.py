"""`pytest --preact-check`: a report card as tests, in a pytest of its own.

The fast tests run that pytest in this process.
"""

import subprocess
import sys
import tomllib
from functools import partial
from importlib import import_module

import pytest

import preact.cli.check  # or a pytest in this process would forget it
import preact.conformance.words  # noqa: F401
from paths import ROOT
from sampled import sampled

PLUGIN = "preact.cli.pytest_plugin"
MODELS = """
import sys
from torch import nn
from preact.book.bugs.zoo import MUTANTS, RIGHT

class Exits(nn.Module):
    def forward(self, x):
        sys.exit(0)

right = RIGHT["pre-activation"].make
bug = MUTANTS["activated-shortcut"].make
averaged = MUTANTS["averaged-sum"].make
"""


WITH_PLUGIN = ("-p", PLUGIN, "-p", "no:preact")


@pytest.fixture
def own(pytester):
    pytester.makepyfile(own_models=MODELS)
    pytester.makepyfile("def test_of_my_own():\n    pass\n")
    return pytester


@pytest.fixture
def run(own, monkeypatch):
    """A pytest in a process of its own."""
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'src'}")
    return partial(own.runpytest_subprocess, *WITH_PLUGIN)


@pytest.fixture
def run_here(own):
    """A pytest in this process."""
    return partial(own.runpytest_inprocess, *WITH_PLUGIN)


@pytest.mark.slow
def test_a_mistake_fails_its_questions_with_the_evidence(run_here):
    row = ("--preact-row", "full-preactivation")
    twice = ("--preact-check", "own_models:bug") * 2
    result = run_here(*twice, *row)
    result.assert_outcomes(passed=16, failed=2)
    result.stdout.fnmatch_lines(
        [
            "collected 18 items",
            "*BN ReLU on the stream: with F = 0 *",
            "*fix: keep x before BN and add that*",
            "FAILED own_models:bug::clear-stream*",
        ]
    )
    assert "Traceback" not in result.stdout.str()


@pytest.mark.nightly
def test_what_the_probe_cannot_tell_is_skipped(run):
    result = run("--preact-check", "own_models:averaged")
    outcomes = result.parseoutcomes()
    assert outcomes["skipped"] == outcomes["failed"] == 1
    assert outcomes["passed"] > 1


@pytest.mark.nightly
def test_a_question_is_chosen_by_k_and_left_out_by_its_name(run):
    both = ("--preact-check", "own_models:bug")
    result = run(*both, "-k", "identity-shortcut")
    result.assert_outcomes(passed=1, deselected=17)
    without = ("--deselect", "own_models:bug::clear-stream")
    run(*both, *without).assert_outcomes(passed=17, deselected=1)


@pytest.mark.slow
def test_a_printed_name_runs_that_test_again_alone(run_here):
    named = "own_models:bug::clear-stream"
    also = "test_a_printed_name_runs_that_test_again_alone.py::test_of_my_own"
    result = run_here(named, also)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"FAILED {named}*"])


@pytest.mark.slow
def test_a_printed_name_runs_with_xdist(run):
    result = run("own_models:bug::clear-stream", "-n", "1")
    result.assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["own_models:right", "--preact-image", "big"],
            "*--preact-image must be a shape such as 3x32x32; got 'big'*",
        ),
        (
            ["own_models:right", "--preact-row", "nothing"],
            "*row must name a unit of Table 1 or 2*",
        ),
        (
            ["own_models:right", "--preact-limit", "0"],
            "*time limit in seconds must be above 0*",
        ),
        *sampled(  # those that start a probe
            [
                (["own_models:none"], "*own_models:none must name something*"),
                (["own_models:right::rows"], "*one of row, *; got rows"),
                (["own_models:Exits"], "*SystemExit*"),
            ],
            3,
        ),
    ],
)
def test_bad_input_is_one_sentence_and_no_test_runs(
    run_here, arguments, sentence
):
    option = [] if "::" in arguments[0] else ["--preact-check"]
    result = run_here(*option, *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([sentence])
    for text in (result.stdout.str(), result.stderr.str()):
        assert "Traceback" not in text
        assert "INTERNALERROR" not in text


def test_the_plugin_loads_no_torch_until_it_is_asked():
    code = (
        f"import sys, {PLUGIN}; "
        "print(sorted({'torch', 'numpy'} & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "src")},
    )
    assert answer.stdout.strip() == "[]"


def test_pytest_finds_the_plugin_by_its_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    named = project["project"]["entry-points"]["pytest11"]
    assert named == {"preact": PLUGIN}
    assert import_module(PLUGIN).pytest_addoption
