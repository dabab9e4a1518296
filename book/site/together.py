"""What a line does not part: a number and its unit, "Fig." and its number.

The space between them becomes one at which no line ends (U+00A0). Browsers
search for it, and copy it, as the plain one; the index of the search has it
as the plain one, too. Also the mark of a claim, and a citation in brackets,
stay with the word before them. A name with a number, "ResNet-110", stands in
a box that no line parts: another hyphen would be neither found nor copied as
the one that readers type.
"""

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

FIXED = "\N{NO-BREAK SPACE}"
FORMULA = "0n"  # a number behind a sign; after one a browser breaks anyway
MARK = "\N{OBJECT REPLACEMENT CHARACTER}"  # of a claim or a citation
UNITS = (
    *("%", "×", "points?", "percent", "px", "FLOPs?", "W"),
    *("[kKMGT]?i?B", "[KMGT]iB", "[kMGT]Hz", "[kMGT]?FLOPS?"),
    *("[mµn]?s", "min", "h", "seconds?", "minutes?", "hours?", "days?"),
    *("thousand", "[mb]illion", "times", "nats?", "bits?"),
    *("秒", "毫秒", "微秒", "分钟", "分鐘", "小时", "小時", "天", "倍"),
    *("字节", "位元組", "像素", "个百分点", "個百分點", "年", "月", "日"),
)
NAMED = (
    *(r"(?:Figs?|Eqs?|Secs?|Chs?|Nos?|pp?|vs)\.", "(?:Sec|Equa)tions?"),
    *("Chapters?", "Tables?", "Figures?", "Exercises?", "Appendix"),
    *("图", "圖", "表", "式", "第", "章", "练习", "練習", "附录", "附錄"),
)
# A space between two things that are read in one go.
SPACE = re.compile(
    rf"(?<=[\d)]) (?=(?:{'|'.join(UNITS)})(?![A-Za-z]))"
    r"|(?<=\d) (?=[章节節页頁步层層个個次种種条條]|[=×±≈] [\d−-])"
    r"|(?<=\w) (?=[=±≈] [−-]?\d)"
    r"|(?<=[=×±≈<>≤≥]) (?=[\d−-])"
    rf"|(?<![A-Za-z])(?:{'|'.join(NAMED)}) (?=[(（]?\d)"
    rf"| (?={MARK})"
)
# Browsers end a line at the hyphen of such a name.
NAME = re.compile(r"\b([A-Za-z]+(?:-\d+)+)\b", re.ASCII)
# What has spaces of its own, or is no text.
OTHERS = (
    *(nodes.literal, nodes.FixedTextElement, nodes.image),
    addnodes.desc_signature,
)


def setup(app: Sphinx) -> None:
    """Add the step."""
    app.add_post_transform(KeepTogether)


class KeepTogether(SphinxPostTransform):
    """Fix the spaces in all running text of a page."""

    default_priority = 700  # numbers and references have their text
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for block in list(self.document.findall(nodes.TextElement)):
            inner = isinstance(block.parent, nodes.TextElement)
            if not inner and not isinstance(block, OTHERS):
                keep_together(block)


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
    """Return a line whose numbers keep their signs.

    Parameters
    ----------
    line : str
        Running text; a formula begins with a digit.
    """
    return SPACE.sub(lambda m: f"{m[0][:-1]}{FIXED}", line)


def hold_names(text: str) -> list[nodes.Node]:
    """Return a text in pieces, each name with a number in a box.

    Parameters
    ----------
    text : str
        Running text, its spaces fixed.
    """
    return [
        nodes.inline("", part, classes=["held"]) if i % 2 else nodes.Text(part)
        for i, part in enumerate(NAME.split(text))
        if part
    ]
