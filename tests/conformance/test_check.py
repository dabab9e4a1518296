"""`preact check`, as a shell and a CI job see it."""

import json
import sys

import pytest

from preact.cli import main
from preact.conformance.survey import surveyed
from preact.strings import LANGUAGES

SOURCE = """
import sys
from torch import nn
from preact import Network, cifar_plan
from preact.conformance.zoo import MUTANTS

def right():
    print("made")
    plan = cifar_plan("full-preactivation", depth=20, convs=2)
    return Network(plan, seed=0)

wrong = MUTANTS["activated-shortcut"].make
doubled = MUTANTS["doubled-stem"].make
instance = right()
number = 7

def needs(depth):
    return right()

def fails():
    raise RuntimeError("no such\\nfile")

def leaves():
    sys.exit("good bye")

def text():
    return "a network"

def plain():
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU())
"""

REGISTRY = """
def create_model(name, pretrained):
    raise LookupError(repr(name))
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "my_networks.py").write_text(SOURCE)
    (tmp_path / "broken.py").write_text("import no_such_package")
    # Packages of networks: one that knows none, one that is not whole.
    (tmp_path / "timm.py").write_text(REGISTRY)
    (tmp_path / "torchvision.py").write_text("import no_such_package")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yours = {"my_networks", "timm", "torchvision"}
    for name in [name for name in sys.modules if name.split(".")[0] in yours]:
        monkeypatch.delitem(sys.modules, name)
    yield tmp_path
    for name in yours:
        sys.modules.pop(name, None)


def run(capsys, *arguments):
    code = main(["check", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_right_network_exits_with_0(here, capsys):
    code, out, _ = run(capsys, "my_networks:right")
    assert code == 0
    assert "unit: BN ReLU conv BN ReLU conv (+)" in out
    assert "no answer is no" in out


def test_a_module_that_is_made_already_can_be_named_too(here, capsys):
    assert run(capsys, "my_networks:instance")[0] == 0


def test_a_fault_exits_with_1_and_says_row_cost_and_fix(here, capsys):
    code, out, _ = run(capsys, "my_networks:wrong")
    assert code == 1
    assert "Fig. 4(b), BN after addition" in out
    assert "BN after addition 8.17 %, full pre-activation 6.37 %" in out
    assert "fix: keep x before BN and add that" in out


def test_the_cost_is_told_beside_the_row_that_was_meant(capsys):
    mutant = "preact.conformance.zoo.interior:EndsInRelu"
    _, out, _ = run(capsys, mutant, "--row", "original")
    assert "ReLU before addition 7.84 %, original 6.61 %" in out
    assert "full pre-activation" not in out


def test_faults_that_are_skipped_do_not_count(here, capsys):
    skip = ("--skip", "clear-stream")
    assert run(capsys, "my_networks:wrong", *skip)[0] == 0
    row = ("--row", "full-preactivation")
    assert run(capsys, "my_networks:wrong", *skip, *row)[0] == 1


def test_json_is_all_that_is_printed(here, capsys):
    code, out, _ = run(capsys, "my_networks:doubled", "--json")
    report = json.loads(out)
    assert code == 1
    assert report["row"] == "full-preactivation"
    denied = [f for f in report["findings"] if f["verdict"] == "no"]
    assert [f["property"] for f in denied] == ["first-unit", "size"]


@pytest.mark.parametrize(
    ("language", "cited"),
    [
        ("en", "Fig. 4(b), BN after addition"),
        ("zh-Hans", "图 4(b)，相加后 BN"),
        ("zh-Hant", "圖 4(b)，"),
    ],
)
def test_the_paper_is_cited_in_the_reader_s_language(
    here, capsys, language, cited
):
    _, out, _ = run(capsys, "my_networks:wrong", "--language", language)
    assert cited in out
    if language != "en":
        english = ("Eq.", "Fig.", "Sec.", "ppendix", " %")
        assert not [word for word in english if word in out]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_reports(here, capsys, language):
    code, out, _ = run(capsys, "my_networks:wrong", "--language", language)
    assert code == 1
    assert ("捷徑" in out, "捷径" in out) == {
        "en": (False, False),
        "zh-Hant": (True, False),
        "zh-Hans": (False, True),
    }[language]


def test_bad_input_gets_one_sentence(here, capsys):
    for arguments, message in [
        ("nothing", "address must be package.module:factory"),
        ("my_networks:", "address must be package.module:factory"),
        ("no_such_module:net", "no_such_module must be a module that can"),
        ("broken:net", "No module named 'no_such_package'"),
        ("my_networks:absent", "must name something in my_networks"),
        ("my_networks:needs", "called without arguments; it raised TypeErr"),
        ("my_networks:fails", "it raised RuntimeError: no such file"),
        ("my_networks:leaves", "it raised SystemExit: good bye"),
        ("my_networks:text", "a torch.nn.Module; it made 'a network'"),
        ("my_networks:number", "that makes a network; got 7"),
        ("my_networks:plain", "no addition was found"),
        ("my_networks:right --image 5x32x32", "2 inputs of 5x32x32"),
        ("my_networks:right --image 3x32", "2 inputs of 3x32"),
        ("my_networks:right --image big", "such as 3x32x32; got 'big'"),
        ("my_networks:right --image 0x3x3", "got '0x3x3'"),
        ("my_networks:right --row best", "got 'best'"),
        ("timm:no_such_network", "arguments; it raised LookupError: 'no_such"),
        ("torchvision:resnet50", "preact: torchvision.models must be a modul"),
    ]:
        code, out, err = run(capsys, *arguments.split())
        assert code == 2
        assert out == ""
        assert message in err
        assert err.strip().splitlines()[-1].startswith("preact: ")
        assert "Traceback" not in err


def test_the_survey_says_when_and_of_which_versions_it_was_true():
    found = surveyed()
    assert found["date"] >= "2026-11-21"
    packages = {(n["package"], n["version"]) for n in found["network"]}
    assert len({package for package, _ in packages}) >= 5
    assert len(packages) == len({package for package, _ in packages})


def test_the_surveyed_networks_of_the_paper_were_recognized():
    rows = {n["address"]: n.get("row") for n in surveyed()["network"]}
    assert rows["torchvision:resnet50"] == "original"
    assert rows["timm:resnetv2_50"] == "full-preactivation"
    assert rows["pytorchcv:preresnet1001_cifar10"] == "full-preactivation"


def test_no_surveyed_classic_network_has_a_fault_inside_of_its_units():
    inner = {"row", "identity-shortcut", "clear-stream", "signed-branch"}
    for network in surveyed()["network"]:
        if network.get("row") in ("original", "full-preactivation"):
            denied = {f["property"] for f in network.get("no", [])}
            assert not denied & inner, network["address"]
