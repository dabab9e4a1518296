"""The book's scripts, called under Node."""

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
PROGRAM = """import {{ readFileSync }} from "node:fs";
import {names} from "{module}";
const given = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(await ({function})(given)));"""


def evaluate(names: str, module: str, function: str, given: Any) -> Any:
    """Return what a function answers that uses names of a module.

    Parameters
    ----------
    names, module : str
        What is imported, and from which file of the repository.
    function : str
        A JavaScript function of one argument.
    given : object
        The argument.
    """
    program = PROGRAM.format(
        names=names, module=ROOT / module, function=function
    )
    answer = subprocess.run(
        [NODE, "--input-type=module", "--eval", program],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def call(function: str, calls: list[list[Any]]) -> list[Any]:
    """Call `script.function`, or `room.function`, with lists of arguments."""
    script, name = function.split(".")
    room = f"src/preact/book/{script}/explorer.js"
    return evaluate(
        f"{{ {name} }}",
        room if (ROOT / room).exists() else f"book/scripts/{script}.js",
        f"(calls) => calls.map((given) => {name}(...given))",
        calls,
    )


def bundled(path: str, name: str) -> str:
    """Return a module of the repository as a script that defines a name."""
    made = subprocess.run(
        [
            ROOT / "node_modules/.bin/esbuild",
            ROOT / path,
            "--bundle",
            "--format=iife",
            f"--global-name={name}",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return made.stdout
