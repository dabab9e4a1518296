"""What is met first: `import preact`, its rooms, an example in each."""

import importlib
import pkgutil

import pytest

import preact


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
