"""Functions of a page's script, called under Node."""

import json
import shutil
import subprocess
from typing import Any

import pytest

from paths import ROOT

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None, reason="the page's script runs in Node, which is not here"
)


def call(function: str, calls: list[list[Any]]) -> list[Any]:
    """Call `script.object.method` with each list of arguments."""
    answer = subprocess.run(
        [NODE, str(ROOT / "tests/engine/calls.js"), *function.split(".")],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)
