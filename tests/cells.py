"""Code of the chapters, run alone."""

import re

from paths import ROOT


def cells(chapter, *wanted):
    """Run the cells of a chapter that contain one of some phrases."""
    text = (ROOT / f"book/en/{chapter}.md").read_text("utf-8")
    names = {}
    pattern = r"^```{code-cell} python\n(.*?)^```"
    for cell in re.findall(pattern, text, re.DOTALL | re.MULTILINE):
        if any(phrase in cell for phrase in wanted):
            exec(re.sub(r"^:tags:.*\n", "", cell), names)
    return names
