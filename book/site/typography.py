"""How lines and titles are set, where no renderer knows.

A line does not part a number and its unit, "Fig." and its number.

The space between them becomes one at which no line ends (U+00A0). Browsers
search for it, and copy it, as the plain one; the index of the search has it
as the plain one, too. Also the mark of a claim, and a citation in brackets,
stay with the word before them. A name with a number, "ResNet-110", stands in
a box that no line parts: another hyphen would be neither found nor copied as
the one that readers type. A formula is held with the marks at its sides.

In Chinese, brackets of exercises' titles are as wide as a character, and
"et al." is slanted, where emphasis is not. Between the names before a citation
stand the words of the page's language.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_exercise.nodes import is_exercise_node, solution_node
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import PersonStyle
from sphinxcontrib.bibtex.style.referencing.foot import FootReferenceStyle

from book.site.words import WORDS, language_of

FIXED = "\N{NO-BREAK SPACE}"
FORMULA = "0n"  # a number behind a sign; after one a browser breaks anyway
MARK = "\N{OBJECT REPLACEMENT CHARACTER}"  # of a claim or a citation
UNITS = (
    "%|×|points?|percent|px|FLOPs?|W|[kKMGT]?i?B|[KMGT]iB|[kMGT]Hz|"
    "[kMGT]?FLOPS?|[mµn]?s|min|h|seconds?|minutes?|hours?|days?|thousand|"
    "[mb]illion|times|nats?|bits?|秒|毫秒|微秒|分钟|分鐘|小时|小時|天|倍|"
    "字节|位元組|像素|个百分点|個百分點|年|月|日"
)
NAMED = (
    r"(?:Figs?|Eqs?|Secs?|Chs?|Nos?|pp?|vs)\.|(?:Sec|Equa)tions?|Chapters?|"
    "Tables?|Figures?|Exercises?|Appendix|图|圖|表|式|第|章|练习|練習|附录|附錄"
)
# A space between two things that are read in one go.
SPACE = re.compile(
    rf"(?<=[\d)]) (?=(?:{UNITS})(?![A-Za-z]))"
    r"|(?<=\d) (?=[章节節页頁步层層个個次种種条條]|[=×±≈] [\d−-])"
    r"|(?<=\w) (?=[=±≈] [−-]?\d)"
    r"|(?<=[=×±≈<>≤≥]) (?=[\d−-])"
    rf"|(?<![A-Za-z])(?:{NAMED}) (?=[(（]?\d)"
    rf"| (?={MARK})"
)
# Browsers end a line at the hyphen of such a name.
NAME = re.compile(r"\b([A-Za-z]+(?:-\d+)+)\b", re.ASCII)
# What has spaces of its own, or is no text.
OTHERS = (
    *(nodes.literal, nodes.FixedTextElement, nodes.image),
    addnodes.desc_signature,
)


# No line begins with a mark that closes, nor ends with one that opens; a
# browser breaks it on either side of a formula's box.
CLOSING = re.compile(r"[,.;:!?)\]’”，。、；：？！）」』〉》】]+")
OPENING = re.compile(r"[(\[‘“（「『〈《【]+$")
WIDE = {" (": "（", ")": "）"}
CITATIONS = "sphinxcontrib.bibtex.style.referencing"
NAMES = "edition"  # the style of references in _config.yml


def setup(app: Sphinx) -> None:
    """Add the steps; names are chosen before the citations are read."""
    app.add_post_transform(SetType)
    app.connect("config-inited", choose_names, priority=3)


def choose_names(app: Sphinx, _config: Config) -> None:
    """Let the edition's words stand between and behind names."""
    words = WORDS[language_of(app)]
    person = PersonStyle(sep2=words["@and"], other=words["@others"])
    style = partial(
        FootReferenceStyle, person=person, text_reference_sep=FIXED
    )
    register_plugin(CITATIONS, NAMES, style, force=True)  # type: ignore[arg-type]


class SetType(SphinxPostTransform):
    """Set the text of a page."""

    default_priority = 700  # numbers and references have their text
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for block in list(self.document.findall(nodes.TextElement)):
            inner = isinstance(block.parent, nodes.TextElement)
            if not inner and not isinstance(block, OTHERS):
                keep_together(block)
        for formula in list(self.document.findall(nodes.math)):
            hold_marks(formula)
        if language_of(self.app).startswith("zh"):
            set_chinese(self.document)


def keep_together(block: nodes.TextElement) -> None:
    """Fix the spaces of one paragraph, across the pieces that it has."""
    pieces = list(pieces_of(block))
    line = "".join(text for _, text in pieces)
    fixed = fix_spaces(line)
    place = 0
    for node, text in pieces:
        new = fixed[place : place + len(text)]
        place += len(text)
        if node is not None and (new != text or NAME.search(new)):
            row = node.parent  # where another text may read the same
            here = next(i for i, one in enumerate(row) if one is node)
            row[here : here + 1] = hold_names(new)


def pieces_of(block: nodes.Element) -> Iterator[tuple[Any, str]]:
    """Yield texts in their order; of others no node, but what they are."""
    for child in block.children:
        if isinstance(child, nodes.Text):
            yield child, str(child).replace("\n", " ")
        elif isinstance(child, nodes.math):
            yield None, FORMULA
        elif "claim-mark" in child.get("classes", ()) or isinstance(
            child, nodes.footnote_reference
        ):
            yield None, MARK
        elif isinstance(child, OTHERS):
            yield None, "\n"
        else:
            yield from pieces_of(child)


def fix_spaces(line: str) -> str:
    """Return a line whose numbers keep their signs."""
    return SPACE.sub(lambda m: f"{m[0][:-1]}{FIXED}", line)


def hold_names(text: str) -> list[nodes.Node]:
    """Return a text in pieces, each name with a number in a box."""
    return [
        nodes.inline("", part, classes=["held"]) if i % 2 else nodes.Text(part)
        for i, part in enumerate(NAME.split(text))
        if part
    ]


def hold_marks(formula: nodes.math) -> None:
    """Put a formula into one box with the marks at its sides."""
    row, place = formula.parent, formula.parent.index(formula)
    after = row[place + 1] if place + 1 < len(row) else None
    before = row[place - 1] if place else None
    held: list[nodes.Node] = [formula]
    if isinstance(before, nodes.Text) and (mark := OPENING.search(before)):
        row[place - 1] = nodes.Text(before[: mark.start()])
        held.insert(0, nodes.Text(mark[0]))
    if isinstance(after, nodes.Text) and (mark := CLOSING.match(after)):
        row[place + 1] = nodes.Text(after[mark.end() :])
        held.append(nodes.Text(mark[0]))
    if len(held) > 1:
        row[place] = nodes.inline("", "", *held, classes=["held"])


def set_chinese(document: nodes.document) -> None:
    """Slant "et al."; set brackets of titles as wide as characters."""
    for name in document.findall(nodes.emphasis):
        if name.astext() == "et al.":
            name["classes"].append("et-al")
    for node in list(document.findall(nodes.Element)):
        if is_exercise_node(node) or isinstance(node, solution_node):
            for text in list(node[0].findall(nodes.Text)):
                if wide := WIDE.get(text):
                    text.parent.replace(text, nodes.Text(wide))
