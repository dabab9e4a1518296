"""Formulas as MathML, rendered once, when the book is built.

A page needs no script to show its formulas, reads aloud and prints as it
stands. One Node process, with Temml, answers for all formulas of an edition.
"""

import atexit
import functools
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinx.locale import _
from sphinx.util.math import get_node_equation_number

from book.tools import ROOT

RENDERER = Path(__file__).with_name("math.cjs")
TAG = re.compile(r"\s*\\tag\{([^{}]*)\}")
UNDERLINE = "\N{COMBINING LOW LINE}"  # as Temml marks what is wrong
WITH_SCRIPTS = {"msub", "msup", "msubsup", "munder", "mover", "munderover"}


def setup(app: Sphinx) -> None:
    """Add the renderer."""
    app.add_html_math_renderer(
        "mathml", (visit_math, None), (visit_displaymath, None)
    )
    app.connect("config-inited", choose_renderer)


def choose_renderer(app: Sphinx, config: Config) -> None:
    """Choose ours."""
    if not (shutil.which("node") and (ROOT / "node_modules/temml").exists()):
        raise ExtensionError(
            "formulas need Node and Temml: install npm, then `make setup`"
        )
    config.html_math_renderer = "mathml"


# ---------------------------------------------------------------- formulas
@functools.cache
def renderer() -> subprocess.Popen[str]:
    """Start the process that renders formulas; it ends with this one."""
    process = subprocess.Popen(
        ["node", RENDERER],
        env={"NODE_PATH": str(ROOT / "node_modules")},
        executable=shutil.which("node"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    atexit.register(process.communicate)
    return process


@functools.cache
def mathml(tex: str, display: bool = False) -> str:
    r"""Return a formula as a `math` element; without `\tag`."""
    process = renderer()
    assert process.stdin is not None
    assert process.stdout is not None
    question = json.dumps({"tex": tex, "display": display})
    process.stdin.write(question + "\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    if "error" in answer:
        message = answer["error"].replace(UNDERLINE, "")
        raise ValueError(" ".join(message.split()))
    formula = ElementTree.fromstring(answer["mathml"])
    tighten(formula)
    return ElementTree.tostring(
        formula, encoding="unicode", short_empty_elements=False
    )


def tighten(formula: ElementTree.Element) -> None:
    """Set signs in scripts without space, and primes where they are drawn.

    Dots stand in a list, whose commas have their space. A sign that begins or
    ends a formula has the line's own space beside it.
    """
    for place, side in (0, "lspace"), (-1, "rspace"):
        end = formula
        while len(end) and end.tag in ("math", "mrow"):
            end = end[place]
        if end.tag == "mo":
            end.set(side, "0")
    for element in formula.iter():
        if element.tag == "msup" and "tml-prime" in element[1].get(
            "class", ""
        ):
            element.tag = "mrow"  # the face has it raised already
        if element.tag == "mo" and element.text == "…":
            element.attrib |= {"lspace": "0", "rspace": "0"}
        if element.tag in WITH_SCRIPTS:
            for script in list(element)[1:]:
                for sign in script.iter("mo"):
                    sign.set("lspace", "0")
                    sign.set("rspace", "0")


# ------------------------------------------------------------------- pages
def visit_math(self: Any, node: nodes.math) -> None:
    """Write a formula in a line of text."""
    formula = rendered(self, node, node.astext(), display=False)
    self.body.append(
        self.starttag(node, "span", "", CLASS="math notranslate nohighlight")
        + f"{formula}</span>"
    )
    raise nodes.SkipNode


def visit_displaymath(self: Any, node: nodes.math_block) -> None:
    """Write an equation, and its number behind it."""
    tag = TAG.search(node.astext())
    tex = TAG.sub("", node.astext())
    formula = rendered(self, node, tex, display=True)
    self.body.append(
        self.starttag(node, "div", CLASS="math notranslate nohighlight")
        + f'<div class="equation">{formula}</div>'
    )
    if node["number"]:
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    elif tag:
        self.body.append(f'<span class="eqno">({tag[1]})</span>')
    self.body.append("</div>\n")
    raise nodes.SkipNode


def rendered(self: Any, node: nodes.Node, tex: str, display: bool) -> str:
    """Return a node's formula; an error names its file and line."""
    try:
        return mathml(tex.strip(), display)
    except ValueError as error:
        place = f"{self.docnames[0]}" if self.docnames else ""
        where = node.source or place
        line = f":{node.line}" if node.line else ""
        raise ExtensionError(
            f"{where}{line}: no formula: {tex.strip()!r}: {error}"
        ) from None
