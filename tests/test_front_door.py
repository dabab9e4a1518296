"""What is met first: `import preact`, its rooms, an example in each."""

import importlib
import pkgutil
import shutil
import subprocess
import sys

import pytest

import preact
from paths import ROOT


@pytest.mark.skipif(not shutil.which("make"), reason="make is not here")
def test_lint_alone_makes_the_folder_that_it_writes_into():
    told = subprocess.run(
        ["make", "--dry-run", "--always-make", "lint"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "mkdir -p _build" in told.split("> _build/")[0]


def test_import_alone_loads_no_torch():
    code = "import sys, preact; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_is_there_and_listed():
    for name in preact.__all__:
        assert getattr(preact, name) is not None
        assert name in dir(preact)
    assert preact.Network.__module__ == "preact.nn.network"


def test_every_room_is_an_attribute():
    for module in pkgutil.iter_modules(preact.__path__):
        if not module.name.startswith("_"):
            room = importlib.import_module(f"preact.{module.name}")
            assert getattr(preact, module.name) is room
            assert module.name in (preact.__doc__ or "")
            assert module.name in dir(preact)


def test_another_name_is_answered_with_those_that_there_are():
    with pytest.raises(AttributeError, match=r"no 'ResNet'; it has .*Network"):
        _ = preact.ResNet


def test_the_package_says_that_it_is_typed():
    assert pkgutil.get_data("preact", "py.typed") is not None
