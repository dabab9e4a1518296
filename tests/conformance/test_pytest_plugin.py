"""`pytest --preact-check`: a report card as tests, in a pytest of its own.

The fast tests run that pytest in this process, where PyTorch is loaded.
"""

import subprocess
import sys
import tomllib
from functools import partial
from importlib import import_module

import pytest

from paths import ROOT

PLUGIN = "preact.cli.pytest_plugin"
MODELS = """
from preact.conformance.zoo import MUTANTS, RIGHT

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
    """A pytest in this process; it forgets what it alone has imported."""
    for name in ("conformance.words", "conformance.zoo", "cli.check"):
        import_module(f"preact.{name}")
    return partial(own.runpytest_inprocess, *WITH_PLUGIN)


@pytest.mark.nightly
def test_a_right_network_passes_every_question(run):
    result = run("--preact-check", "own_models:right")
    result.assert_outcomes(passed=18)
    assert result.ret == 0


def test_a_mistake_fails_its_questions_with_the_evidence(run_here):
    row = ("--preact-row", "full-preactivation")
    result = run_here("--preact-check", "own_models:bug", *row)
    result.assert_outcomes(passed=16, failed=2)
    result.stdout.fnmatch_lines(
        [
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
def test_a_question_is_chosen_by_k_and_by_its_name(run):
    both = ("--preact-check", "own_models:bug")
    result = run(*both, "-k", "identity-shortcut")
    result.assert_outcomes(passed=1, deselected=17)
    without = ("--deselect", "own_models:bug::clear-stream")
    run(*both, *without).assert_outcomes(passed=17, deselected=1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["own_models:none"], "*own_models:none must name something*"),
        (["no_such_module:x"], "*no_such_module must be a module*"),
        (
            ["own_models:right", "--preact-image", "big"],
            "*must be a shape such as 3x32x32; got 'big'*",
        ),
        (
            ["own_models:right", "--preact-row", "nothing"],
            "*row must be a key of TABLE_1*",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_no_test_runs(
    run_here, arguments, sentence
):
    result = run_here("--preact-check", *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([sentence])
    assert "Traceback" not in result.stderr.str()


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
