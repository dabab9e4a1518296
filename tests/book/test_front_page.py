"""The front page: its script, run in Node with what a browser hands it."""

import json
import re
import subprocess

import pytest
from jinja2 import Environment, FileSystemLoader

from book.site.editions import EDITIONS, WORDS
from engine.calls import NODE, needs_node
from paths import ROOT


def address(saved, languages):
    """Where the page sends a browser."""
    folder = FileSystemLoader(ROOT / "book/site/templates")
    page = Environment(loader=folder).get_template("front.html")
    html = page.render(editions=EDITIONS, words=WORDS, root="")
    (script,) = re.findall("<script>(.*?)</script>", html, re.DOTALL)
    browser = f"""
const localStorage = {{ getItem: () => {json.dumps(saved)} }};
const location = {{ hash: "#a", replace: (to) => process.stdout.write(to) }};
const navigator_ = {{ languages: {json.dumps(languages)} }};
Object.defineProperty(globalThis, "navigator", {{ value: navigator_ }});
"""
    return subprocess.run(
        [NODE, "-e", browser + script],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@needs_node
@pytest.mark.parametrize(
    ("saved", "language"),
    [
        (None, "zh-Hans"),
        ("zh-Hant", "zh-Hant"),
        ("en", "en"),
        ("de", "zh-Hans"),
        ("javascript:alert(1)//", "zh-Hans"),
        ("//a.example", "zh-Hans"),
    ],
)
def test_a_language_that_another_site_saved_leads_nowhere_else(
    saved, language
):
    to = address(saved, ["fr-FR", "zh-CN"])
    assert to == f"{language}/index.html#a"
