"""The page's scripts: bundled, deferred, and what they load later."""

import json
import subprocess

import pytest
from sphinx.errors import ExtensionError

from book.site import scripts
from book.site.scripts import bundle_scripts, explorers, handed_over
from engine.calls import NODE, needs_node

LOADS = """
const script = new EventTarget();
globalThis.document = { currentScript: script };
script.addEventListener("data", ({ detail }) =>
  process.stdout.write(JSON.stringify(detail)));
"""


@pytest.mark.parametrize(
    ("place", "bundle"),
    [
        ("preact-explorer preact-playground", "explorers-engine.js"),
        ("preact-explorer preact-playgrounds", "explorers.js"),
        ("preact-table", ""),
    ],
)
def test_only_a_page_that_computes_loads_an_engine(place, bundle):
    assert explorers(f'<div class="{place}">') == bundle


@needs_node
@pytest.mark.parametrize("data", [[1, "a</b>"], {"x": "λ^L"}, []])
def test_what_a_script_hands_over_reaches_the_one_that_loaded_it(data):
    program = LOADS + handed_over(data)
    heard = subprocess.run(
        [NODE, "--eval", program], capture_output=True, text=True, check=True
    )
    assert json.loads(heard.stdout) == data


def test_without_npm_the_book_says_in_one_sentence_what_it_needs(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(scripts, "ROOT", tmp_path)
    with pytest.raises(ExtensionError, match="the book needs npm"):
        bundle_scripts(tmp_path)
