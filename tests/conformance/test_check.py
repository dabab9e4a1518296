"""`preact check`, as a shell and a CI job see it."""

import json
import re
import sys

import pytest

from conformance.reports import lines, report_of
from paths import ROOT
from preact.book.bugs.zoo import MUTANTS
from preact.cli import main
from preact.cli.check import exit_status, show
from preact.conformance import Property, Verdict, probe
from preact.conformance.address import load
from preact.conformance.words import head_lines, judged_lines
from preact.nn import Network
from preact.plan import cifar_plan
from preact.strings import Strings

SOURCE = """
import sys
from torch import nn
from preact.book.bugs.zoo import MUTANTS, RIGHT

def right():
    print("made")
    return RIGHT["pre-activation"].make()

wrong = MUTANTS["activated-shortcut"].make
number = 7

def needs(depth):
    return right()

def fails():
    raise RuntimeError("no such\\nfile")

def leaves():
    sys.exit("good bye")

def text():
    return "a network"

class Exits(nn.Module):
    def forward(self, x):
        sys.exit(0)

"""

REGISTRY = """
def create_model(name, pretrained):
    raise LookupError(repr(name))
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with networks, and one with a package that knows none."""
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "timm.py").write_text(REGISTRY)
    (tmp_path / "my_networks.py").write_text(SOURCE)
    (tmp_path / "broken.py").write_text("import no_such_package")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(packages))
    yours = {"my_networks", "timm"}
    for name in [name for name in sys.modules if name.split(".")[0] in yours]:
        monkeypatch.delitem(sys.modules, name)
    yield tmp_path
    for name in yours:
        sys.modules.pop(name, None)


def run(capfd, *arguments):
    code = main(["check", *arguments])
    captured = capfd.readouterr()
    return code, captured.out, captured.err


def test_a_fault_exits_with_1_and_says_row_cost_and_fix(here, capfd):
    code, out, _ = run(capfd, "my_networks:wrong")
    assert code == 1
    assert "Fig. 4(b), BN after addition" in out
    assert "BN after addition 8.17 %, full pre-activation 6.37 %" in out
    assert "BN after addition 78.61 %, full pre-activation 4.44 %" in out
    assert "fix: keep x before BN and add that" in out


@pytest.mark.slow
def test_json_is_all_that_is_printed(here, capfd):
    code, out, err = run(capfd, "my_networks:right", "--json")
    report = json.loads(out)
    assert code == 0
    assert report["row"] == "full-preactivation"
    assert report["counts"] == {"yes": 17, "no": 0, "could not tell": 0}
    assert "made" in err


@pytest.mark.parametrize("name", ["Exits", "leaves"])
def test_a_network_that_ends_its_process_has_not_passed(here, capfd, name):
    code, out, err = run(capfd, f"my_networks:{name}")
    assert (code, out) == (2, "")
    assert "SystemExit" in err.splitlines()[-1]
    assert err.splitlines()[-1].startswith("preact: ")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--image big", "--image must be a shape such as 3x32x32; got 'big'"),
        ("--row best", "got 'best'"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_imported(
    capfd, arguments, message
):
    code, out, err = run(capfd, "no_such_module:net", *arguments.split())
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nothing", "address must be package.module:name"),
        ("my_networks.py:wrong", "package.module:name, for example"),
        ("a.safetensors", "function that returns preact.load('a.safetensors"),
        ("no_such_module:net", "No module named 'no_such_module'"),
        ("broken:net", "No module named 'no_such_package'"),
        ("my_networks:absent", "has no attribute 'absent'"),
        ("my_networks:needs", "not one unit, when it is called without arg"),
        ("my_networks:fails", "it raised RuntimeError: no such file"),
        ("my_networks:leaves", "it raised SystemExit: good bye"),
        (
            "my_networks:text",
            "be, or make, a torch.nn.Module; got 'a network'",
        ),
        ("my_networks:number", "must be a function or a class; got int"),
        ("timm:no_such_network", "arguments; it raised LookupError: 'no_such"),
    ],
)
def test_an_address_without_a_network_gets_one_sentence(
    here, address, message
):
    with pytest.raises(ValueError, match=re.escape(message)) as refused:
        load(address)
    assert "\n" not in str(refused.value)


def test_a_package_that_is_not_installed_is_told_with_its_command(
    monkeypatch, capfd
):
    monkeypatch.setitem(sys.modules, "timm", None)
    code, _, err = run(capfd, "timm:resnetv2_50")
    assert code == 2
    assert "install it with `pip install timm`" in err


def test_the_cost_is_told_beside_the_row_that_was_meant():
    out = "\n".join(lines(report_of("ends-in-relu")))
    assert "ReLU before addition 7.84 %, original 6.61 %" in out
    assert "full pre-activation" not in out


def test_a_row_has_the_name_that_tables_print():
    image = 3, 16, 16
    plan = cifar_plan(
        "exclusive-gating-b-6", depth=14, convs=2, width=8, image=image
    )
    out = "\n".join(lines(probe(Network(plan, seed=0), image)))
    assert "exclusive gating, bias −6" in out


def test_the_status_counts_what_is_not_skipped_and_doubts_when_strict():
    report = probe(MUTANTS["averaged-sum"].make(), (3, 8, 8))
    denied = [f.property for f in report.faults]
    assert report.counts[Verdict.UNKNOWN] > 0
    assert exit_status(report, (), strict=False) == 1
    assert exit_status(report, denied, strict=False) == 0
    assert exit_status(report, denied, strict=True) == 1
    *_, last = lines(report, skipped=denied)
    assert last.endswith("; not counted: clear-stream")


@pytest.mark.parametrize("name", ["averaged-sum", "original"])
def test_faults_stand_first_and_all_answers_are_counted_last(name):
    report, words = report_of(name), Strings("en")
    told = list(judged_lines(report, words))
    given = [verdict for verdict, _ in told if verdict]
    order = [Verdict.NO, Verdict.UNKNOWN, Verdict.YES]
    assert given == sorted(given, key=order.index)
    assert given.count(Verdict.YES) == 1
    *_, (_, last) = told
    counts = [int(number) for number in re.findall(r"\d+", last)]
    assert counts == [report.counts[verdict] for verdict in Verdict]
    assert sum(counts) == len(report.findings)
    every = [v for v, _ in judged_lines(report, words, every=True) if v]
    assert sorted(every) == sorted(f.verdict for f in report.findings)


def test_the_report_names_each_question_that_it_does_not_answer():
    report = report_of("averaged-sum")
    asked = {finding.property for finding in report.findings}
    assert set(report.unasked) == set(Property) - asked != set()
    head = list(head_lines(report, Strings("en")))
    assert any(all(name in line for name in report.unasked) for line in head)
    assert not report_of("original").unasked


@pytest.mark.parametrize("off", [{}, {"NO_COLOR": "1"}])
def test_only_a_terminal_gets_colors(capfd, monkeypatch, off):
    monkeypatch.delenv("NO_COLOR", raising=False)
    environment = {"FORCE_COLOR": "1", "TERM": "xterm-256color", **off}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    told = list(judged_lines(report_of("averaged-sum"), Strings("en")))
    show(told)
    printed = capfd.readouterr().out
    assert ("\x1b[31m" in printed) == (not off)
    plain = re.sub(r"\x1b\[\d+m", "", printed)
    assert plain.splitlines() == [line for _, line in told]


def test_the_paper_is_cited_in_the_reader_s_language():
    report = report_of("activated-shortcut")
    out = "\n".join(lines(report, "zh-Hant", every=True))
    assert "圖 4(b)，" in out
    assert "捷徑" in out
    english = ("Eq.", "Fig.", "Sec.", "ppendix", " %")
    assert not [word for word in english if word in out]


def test_the_page_on_the_command_names_its_options_and_no_others(capsys):
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    options = set(
        re.findall(r"(?<!\w)--[a-z][a-z-]*", capsys.readouterr().out)
    )
    page = (ROOT / "docs/check.md").read_text("utf-8")
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", page))
    assert options - {"--help"} <= named
    assert named <= options | {"--index-url"}
    asked = re.findall(r"^\| `([a-z][a-z-]+)` \|", page, re.MULTILINE)
    assert asked == [str(one) for one in Property]
