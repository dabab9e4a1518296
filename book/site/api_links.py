"""Names in code lead to their entries in the package reference.

They do if they can only mean one thing: a name is written with its room, as
`preact.plan.cifar_plan`; or no other public name is called so and it is no
plain word; or the chapter's own cells import it. Inside an entry Sphinx knows
what a name means.
"""

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform

from book.site.api import FOLDER, address_of, rooms
from book.tools.execution import imports
from preact.cli.parser import COMMANDS

CALL = re.compile(r"^([A-Za-z_][\w.]*?)(?:\(.*\))?$")
COMMAND = re.compile(rf"^preact ({'|'.join(COMMANDS)})\b")
HUMPS = re.compile(r"^(?:[A-Z][a-z0-9]+){2,}$")


def setup(app: Sphinx) -> None:
    """Add the steps."""
    app.connect("missing-reference", lead_from_entry)
    app.add_post_transform(LeadFromCode)


def lead_from_entry(
    app: Sphinx,
    env: BuildEnvironment,
    xref: addnodes.pending_xref,
    content: nodes.Element,
) -> nodes.reference | None:
    """Resolve a name in an entry that is none of the room's own."""
    if xref.get("refdomain") != "py":
        return None
    address = entry_address(xref["reftarget"], {})
    return address and link(app, env.docname, address, content)


def link(
    app: Sphinx, here: str, address: str, content: nodes.Node
) -> nodes.reference:
    """Return a link to a page of the reference."""
    page, _, anchor = address.partition("#")
    uri = app.builder.get_relative_uri(here, page)
    if anchor:
        uri += f"#{anchor}"
    return nodes.reference(
        "", "", content, internal=True, refuri=uri, classes=["api-link"]
    )


class LeadFromCode(SphinxPostTransform):
    """Let inline code lead to the entry that it names."""

    default_priority = 900  # links that are written come first

    def run(self, **_: Any) -> None:
        blocks = self.document.findall(nodes.literal_block)
        code = "\n".join(block.astext() for block in blocks)
        imported = dict(imports(code))
        for literal in list(self.document.findall(nodes.literal)):
            if inside(literal, nodes.reference, nodes.title):
                continue
            address = self.address(str(literal.astext()), imported)
            if address is None:
                continue
            shown = literal.deepcopy()
            if "api-name" in literal["classes"]:
                last = literal.astext().rpartition(".")[2]
                shown = nodes.literal("", last, classes=["api-name"])
            literal.replace_self(
                link(self.app, self.env.docname, address, shown)
            )

    def address(self, text: str, imported: dict[str, str]) -> str | None:
        """Return where a piece of code leads."""
        if self.env.docname.startswith(FOLDER) and text in self.env.found_docs:
            return text
        if command := COMMAND.match(text):
            return f"{FOLDER}/commands#command-{command[1]}"
        return entry_address(text, imported)


def inside(node: nodes.Node, *kinds: type[nodes.Node]) -> bool:
    """Whether a node stands in one of a kind."""
    while node := node.parent:
        if isinstance(node, kinds):
            return True
    return False


def entry_address(text: str, imported: dict[str, str]) -> str | None:
    """Return page and anchor of what code means, if that is plain.

    Parameters
    ----------
    text : str
        A name, with dots or without, or a call.
    imported : dict
        Names that the page's cells import, and their paths.
    """
    called = CALL.match(text)
    if called is None:
        return None
    path = called[1]
    head, _, rest = path.partition(".")
    candidates = [path, f"preact.{path}"] if rest else []
    homes = [imported.get(head), *unmistakable(head)]
    candidates += [f"{home}.{rest}".rstrip(".") for home in homes if home]
    return next(filter(None, map(address_of, candidates)), None)


def unmistakable(name: str) -> list[str]:
    """Return the path of a name that is public once and is no plain word."""
    homes = [f"{room.path}.{name}" for room in rooms() if name in room.names]
    plain = name.isupper() or ("_" not in name and not HUMPS.match(name))
    return homes if len(homes) == 1 and not plain else []
