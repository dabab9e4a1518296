"""A section's address is its label, the same in every language.

Left alone, the id of a section comes from its title, so that a link to a
section leads nowhere in another edition.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


def setup(app: Sphinx) -> None:
    """Add the step."""
    app.add_transform(LabelFirst)


class LabelFirst(SphinxTransform):
    """Put the id of a section's label before the one made from its title."""

    default_priority = 800  # the labels have reached their sections

    def apply(self, **_: Any) -> None:
        labels = {
            self.document.nameids.get(name)
            for name, explicit in self.document.nametypes.items()
            if explicit
        }
        for section in self.document.findall(nodes.section):
            section["ids"].sort(key=lambda name: name not in labels)
