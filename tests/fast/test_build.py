"""The C kernels are compiled once, kept safely, and missed in one sentence."""

import logging
import shutil
from pathlib import Path

import pytest
import torch

from preact.fast import build, fast, kernels
from preact.nn import Network
from preact.plan import cifar_plan
from preact.spec import ROWS


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    """An empty cache, and nothing loaded yet; the compiler that is here."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if shutil.which("cc"):  # whatever CC says
        monkeypatch.delenv("CC", raising=False)
    kernels.cache_clear()
    yield
    kernels.cache_clear()


def compiler(tmp_path, lines):
    """A program in place of the compiler."""
    path = tmp_path / "compiler"
    path.write_text("#!/bin/sh\n" + lines)
    path.chmod(0o755)
    return path


def test_what_was_compiled_is_found_again(tmp_path, monkeypatch):
    wrapper = compiler(tmp_path, "printf '\\377\\n'\nexec \"$@\"\n")
    monkeypatch.setenv("CC", f"{wrapper} cc -g0")  # it says other bytes, too
    assert kernels() is not None
    monkeypatch.setattr(build, "_make", lambda *_: pytest.fail("made twice"))
    kernels.cache_clear()
    monkeypatch.setenv("COLUMNS", "40")  # a compiler's help has this width
    assert kernels() is not None
    assert len(list(tmp_path.glob("preact/bn_relu-*.so"))) == 1


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("exit 0\n", "made nothing"),
        ("echo 'no such flag' >&2; exit 3\n", "said: no such flag"),
        (
            'case "$*" in *-shared*) '
            "echo 'int nothing;' > n.c; cc -shared -fPIC n.c -o bn_relu.so;; "
            "esac\n",
            "lacks bn_relu_",
        ),
        ("exec sleep 60\n", "gave no answer"),
    ],
)
def test_what_a_compiler_did_wrong_is_said(
    tmp_path, monkeypatch, caplog, lines, message
):
    if "sleep" in lines:
        monkeypatch.setattr(build, "TIMEOUT", 0.2)
    monkeypatch.setenv("CC", str(compiler(tmp_path, lines)))
    assert kernels() is None
    assert message in caplog.text


@pytest.mark.parametrize("cc", ["false", "no-such-compiler", " ", '"'])
def test_without_a_compiler_it_is_said_once_and_the_function_is_the_same(
    monkeypatch, caplog, cc
):
    monkeypatch.setenv("CC", cc)
    with caplog.at_level(logging.WARNING, "preact"):
        assert kernels() is None
        assert kernels() is None
    (record,) = caplog.records
    assert "`fast` runs PyTorch's own operations" in record.getMessage()
    plan = cifar_plan(
        ROWS["full-preactivation"], depth=8, convs=2, image=(3, 8, 8)
    )
    x = torch.randn(4, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    view = fast(Network(plan, seed=0), fused=True)
    torch.testing.assert_close(view(x), Network(plan, seed=0)(x))


@pytest.mark.parametrize("said", ["who alone may write in it", "File exists"])
def test_a_cache_that_is_not_trusted_is_not_used(tmp_path, caplog, said):
    folder = tmp_path / "preact"
    if said == "File exists":
        folder.write_text("")
    else:
        folder.mkdir()
        folder.chmod(0o775)
    assert kernels() is None
    assert said in caplog.text
    assert not list(tmp_path.glob("preact/*"))


def test_a_relative_cache_folder_is_ignored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert build.trusted_cache() == tmp_path / "home" / ".cache" / "preact"
    assert not Path("here").exists()
