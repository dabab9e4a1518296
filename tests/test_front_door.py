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


ROOMS = [module.name for module in pkgutil.iter_modules(preact.__path__)]


def test_every_room_lists_its_face_and_has_an_example():
    inner = {"__main__", "typed"}  # of use to the package alone
    for name in [n for n in ROOMS if n not in inner]:
        room = importlib.import_module(f"preact.{name}")
        assert list(room.__all__)
        for public in room.__all__:
            assert getattr(room, public) is not None
        texts = [
            room.__doc__,
            *(getattr(room, n).__doc__ for n in room.__all__),
        ]
        assert any(">>> " in (text or "") for text in texts)


def test_what_can_be_called_at_the_front_door_has_an_example():
    for name in preact.__all__:
        value = getattr(preact, name)
        if callable(value) and name not in ("BN", "RELU"):
            home = importlib.import_module(value.__module__)
            text = f"{value.__doc__}{home.__doc__}{preact.__doc__}"
            assert f"{name}(" in text.split(">>> ", 1)[1]
