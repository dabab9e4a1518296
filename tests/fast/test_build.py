"""The C kernels are compiled once, kept safely, and missed in one sentence."""

import logging
import os
import shutil
import stat
from pathlib import Path

import pytest
import torch

from preact.fast import fast, kernels, kernels_status
from preact.fast.cpu import build
from preact.nn import Network
from preact.plan import cifar_plan
from preact.spec import ROWS


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    """An empty cache, and nothing loaded yet; the compiler that is here."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if shutil.which("cc"):  # whatever CC says
        monkeypatch.delenv("CC", raising=False)
    build._load.cache_clear()
    yield
    build._load.cache_clear()


def load_again():
    build._load.cache_clear()
    return kernels()


def cached(tmp_path):
    (path,) = (tmp_path / "preact").glob("*.so")
    return path


def compiler(tmp_path, lines):
    """A program in place of the compiler."""
    path = tmp_path / "compiler"
    path.write_text("#!/bin/sh\n" + lines)
    path.chmod(0o755)
    return path


def test_what_was_compiled_is_found_again(tmp_path, monkeypatch):
    assert kernels() is not None
    made = cached(tmp_path).stat().st_mtime_ns
    monkeypatch.setattr(build, "_make", lambda *_: pytest.fail("made twice"))
    assert load_again() is not None
    assert cached(tmp_path).stat().st_mtime_ns == made
    assert str(tmp_path) in kernels_status()


def broken_byte(content):
    middle = len(content) // 2
    return content[:middle] + b"\xff" + content[middle + 1 :]


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(broken_byte, id="one byte"),
        *(
            pytest.param(damage, id=name, marks=pytest.mark.slow)
            for name, damage in {
                "empty": lambda content: b"",
                "cut off": lambda content: content[: len(content) // 2],
                "something else": lambda content: b"no library at all" * 9,
            }.items()
        ),
    ],
)
def test_a_damaged_file_is_compiled_anew_and_said(tmp_path, caplog, damage):
    kernels()
    path = cached(tmp_path)
    whole = path.read_bytes()
    # Another file in its place: the loaded one is mapped into memory.
    path.unlink()
    path.write_bytes(damage(whole))
    with caplog.at_level(logging.WARNING, "preact"):
        assert load_again() is not None
    assert [r.getMessage() for r in caplog.records] == [
        f"{path} was damaged: it is compiled anew"
    ]
    assert build._is_undamaged(cached(tmp_path))


@pytest.mark.parametrize("value", ["false", "no-such-compiler", " ", '"'])
def test_without_a_compiler_it_is_said_once(monkeypatch, caplog, value):
    monkeypatch.setenv("CC", value)
    with caplog.at_level(logging.WARNING, "preact"):
        assert kernels() is None
        assert kernels() is None
    (record,) = caplog.records
    assert "`fast` runs PyTorch's own operations" in record.getMessage()
    assert kernels_status() == record.getMessage()


@pytest.mark.parametrize(
    "content", [b"\x00\x01no program", b"#!/no/such/interpreter\n", b""]
)
def test_a_compiler_that_is_no_program_is_said(tmp_path, monkeypatch, content):
    path = tmp_path / "compiler"
    path.write_bytes(content)
    path.chmod(0o755)
    monkeypatch.setenv("CC", str(path))
    assert kernels() is None
    assert "`fast` runs PyTorch's own operations" in kernels_status()


@pytest.mark.slow
def test_what_a_compiler_says_in_other_bytes_is_no_hindrance(
    tmp_path, monkeypatch
):
    wrapper = compiler(tmp_path, "printf '\\377\\n'\nexec \"$@\"\n")
    monkeypatch.setenv("CC", f"{wrapper} cc")
    assert kernels() is not None


@pytest.mark.slow
def test_a_user_without_a_home_has_kernels_for_one_process(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    assert kernels() is not None
    assert kernels_status().endswith("for this process only")


def test_the_width_of_the_terminal_makes_no_other_kernels(monkeypatch):
    keys = []
    for columns in ("40", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        keys.append(build._key("source", ["cc"]))
    assert keys[0] == keys[1]


def test_without_a_compiler_the_function_is_the_same(monkeypatch):
    plan = cifar_plan(
        ROWS["full-preactivation"], depth=14, convs=2, image=(3, 8, 8), width=8
    )
    x = torch.randn(4, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    monkeypatch.setenv("CC", "false")
    with_none = fast(Network(plan, seed=0))(x)
    assert kernels() is None
    torch.testing.assert_close(with_none, Network(plan, seed=0)(x))


def test_a_compiler_may_have_a_wrapper_and_arguments(tmp_path, monkeypatch):
    wrapper = compiler(tmp_path, 'exec "$@"\n')
    monkeypatch.setenv("CC", f"{wrapper} cc -g0")
    assert kernels() is not None


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
    ],
)
def test_what_a_compiler_did_wrong_is_said(
    tmp_path, monkeypatch, lines, message
):
    monkeypatch.setenv("CC", str(compiler(tmp_path, lines)))
    assert kernels() is None
    assert message in kernels_status()


def test_a_compiler_that_hangs_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "TIMEOUT", 0.2)
    monkeypatch.setenv("CC", str(compiler(tmp_path, "exec sleep 60\n")))
    assert kernels() is None
    assert "gave no answer" in kernels_status()


@pytest.mark.slow
@pytest.mark.parametrize("mode", [0o775, 0o777])
def test_a_cache_in_which_others_may_write_is_not_trusted(
    tmp_path, caplog, mode
):
    folder = tmp_path / "preact"
    folder.mkdir()
    folder.chmod(mode)
    (folder / "planted.so").write_bytes(b"")
    assert kernels() is not None
    assert "who alone may write in it" in caplog.text
    assert kernels_status().endswith("for this process only")
    assert [p.name for p in folder.iterdir()] == ["planted.so"]


@pytest.mark.slow
def test_a_file_that_others_could_have_written_is_not_loaded(tmp_path):
    kernels()
    path = cached(tmp_path)
    path.chmod(0o666)
    assert load_again() is not None
    assert not stat.S_IMODE(cached(tmp_path).stat().st_mode) & 0o022


def test_a_relative_cache_folder_is_ignored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert build.trusted_cache() == tmp_path / "home" / ".cache" / "preact"
    assert not Path("here").exists()


@pytest.mark.slow
def test_a_cache_that_is_read_only_is_said(monkeypatch, caplog):
    # As root may write everywhere, the system's answer is put in its mouth.
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert kernels() is not None
    assert "is read-only" in caplog.text


@pytest.mark.slow
def test_a_cache_that_is_a_file_is_said(tmp_path, caplog):
    (tmp_path / "preact").write_text("")
    assert kernels() is not None
    assert "the C kernels are not kept" in caplog.text
