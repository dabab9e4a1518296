"""Names in code lead to their entries in the package reference.

They do if they can only mean one thing: a name is written with its room, as
`preact.plan.cifar_plan`; or no other public name is called so and it is no
plain word; or the chapter's own cells import it. Inside an entry a name means
what it means in the source.
"""

import re
from typing import Any

import griffe
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from book.tools.api import PACKAGE, imports, parameters, read_api
from preact.cli import COMMANDS

FOLDER = "api"
CALL = re.compile(r"^([A-Za-z_][\w.]*?)(?:\(.*\))?$")
COMMAND = re.compile(rf"^preact ({'|'.join(COMMANDS)})\b")
HUMPS = re.compile(r"^(?:[A-Z][a-z0-9]+){2,}$")
# Links to other packages' pages; where these lie, torch 2.13 and numpy 2.4.
TORCH = "https://docs.pytorch.org/docs/stable/"
NUMPY = "https://numpy.org/doc/stable/reference/"
SHORT = {"np": "numpy", "nn": "torch.nn", "F": "torch.nn.functional"}
ELSEWHERE = {
    "numpy.ndarray": f"{NUMPY}generated/numpy.ndarray.html",
    "numpy.random.Generator": f"{NUMPY}random/generator.html",
    "torch.Tensor": f"{TORCH}tensors.html",
    "torch.device": f"{TORCH}tensor_attributes.html#torch.device",
    "torch.dtype": f"{TORCH}tensor_attributes.html#torch.dtype",
    "torch.compile": f"{TORCH}generated/torch.compile.html",
    "torch.nn.Module": f"{TORCH}generated/torch.nn.Module.html",
    "torch.utils.data.Dataset": f"{TORCH}data.html#torch.utils.data.Dataset",
    "torch.utils.data.DataLoader": (
        f"{TORCH}data.html#torch.utils.data.DataLoader"
    ),
    "torch.nn.parallel.DistributedDataParallel": (
        f"{TORCH}generated/torch.nn.parallel.DistributedDataParallel.html"
    ),
    "torch.nn.functional.batch_norm": (
        f"{TORCH}generated/torch.nn.functional.batch_norm.html"
    ),
    "torch.nn.functional.conv2d": (
        f"{TORCH}generated/torch.nn.functional.conv2d.html"
    ),
    "torch.nn.BatchNorm2d": f"{TORCH}generated/torch.nn.BatchNorm2d.html",
    "torch.nn.Conv2d": f"{TORCH}generated/torch.nn.Conv2d.html",
    "torch.nn.Linear": f"{TORCH}generated/torch.nn.Linear.html",
    "torch.nn.SyncBatchNorm": f"{TORCH}generated/torch.nn.SyncBatchNorm.html",
}


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the steps."""
    app.add_post_transform(LeadFromSignatures)
    app.add_post_transform(LeadFromCode)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


class Leading(SphinxPostTransform):
    """What both steps share: from an address to a link of this page."""

    def link(self, address: str) -> nodes.reference:
        """Return a link to a page of the reference, or to elsewhere."""
        if "://" in address:
            return nodes.reference("", "", internal=False, refuri=address)
        page, _, anchor = address.partition("#")
        uri = self.app.builder.get_relative_uri(self.env.docname, page)
        if anchor:
            uri += f"#{anchor}"
        return nodes.reference(
            "", "", internal=True, refuri=uri, classes=["api-link"]
        )


class LeadFromSignatures(Leading):
    """Resolve types in signatures as the source does, not by their looks."""

    default_priority = 5  # before Sphinx guesses

    def run(self, **_: Any) -> None:
        for xref in list(self.document.findall(addnodes.pending_xref)):
            if xref.get("refdomain") != "py":
                continue
            thing = described(xref)
            address = thing and meant(xref["reftarget"], thing)
            if address:
                link = self.link(address)
                link += xref.children
                xref.replace_self(link)
            else:
                xref.replace_self(xref.children)


class LeadFromCode(Leading):
    """Let inline code lead to the entry that it names."""

    default_priority = 900  # links that are written come first

    def run(self, **_: Any) -> None:
        blocks = self.document.findall(nodes.literal_block)
        code = "\n".join(block.astext() for block in blocks)
        imported = dict(imports(code))
        for literal in list(self.document.findall(nodes.literal)):
            if inside(literal, nodes.reference, nodes.title):
                continue
            if "api-parameter" in literal["classes"]:
                continue
            address = self.address(literal, imported)
            if address is None:
                continue
            link = self.link(address)
            literal.replace_self(link)
            if "api-name" in literal["classes"]:
                last = literal.astext().rpartition(".")[2]
                literal = nodes.literal("", last, classes=["api-name"])
            link += literal

    def address(
        self, literal: nodes.literal, imported: dict[str, str]
    ) -> str | None:
        """Return where a piece of code leads."""
        here, text = self.env.docname, str(literal.astext())
        if here.startswith(FOLDER) and text in self.env.found_docs:
            return text
        if command := COMMAND.match(text):
            return f"{FOLDER}/commands#command-{command[1]}"
        thing = described(literal)
        if thing is not None and (address := meant(text, thing)):
            return address
        folder, _, page = here.rpartition("/")
        room = f"{PACKAGE}.{page}" if folder == FOLDER else ""
        return entry_address(text, imported, room)


def inside(node: nodes.Node, *kinds: type[nodes.Node]) -> bool:
    """Whether a node stands in one of a kind."""
    while node := node.parent:
        if isinstance(node, kinds):
            return True
    return False


def described(node: nodes.Node) -> griffe.Object | None:
    """Return the object in whose entry a node stands."""
    entries = read_api().entries
    while node := node.parent:
        if isinstance(node, addnodes.desc):
            for name in node[0]["ids"]:
                if name in entries:
                    return entries[name].object
    return None


def meant(text: str, thing: griffe.Object) -> str | None:
    """Return the address of what a name means where a thing is defined."""
    called = CALL.match(text)
    if called is None:
        return None
    try:
        path = thing.resolve(called[1])
    except griffe.NameResolutionError:
        return None
    arguments = {one.name for one in parameters(thing)}
    if path == thing.path or called[1] in arguments:
        return None  # it would lead to itself
    if path.removeprefix(f"{PACKAGE}.") == called[1]:
        return None  # a word that happens to be a room's
    return address_of(path)


def address_of(path: str) -> str | None:
    """Return the address of a path, here or elsewhere."""
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    address = read_api().addresses.get(path)
    return f"{FOLDER}/{address}" if address else None


def entry_address(
    text: str, imported: dict[str, str], room: str = ""
) -> str | None:
    """Return page and anchor of what code means, if that is plain.

    Parameters
    ----------
    text : str
        A name, with dots or without, or a call.
    imported : dict
        Names that the page's cells import, and their paths.
    room : str
        On whose page it stands, if it does.
    """
    called = CALL.match(text)
    if called is None:
        return None
    path = called[1]
    head, _, rest = path.partition(".")
    candidates = [path, f"{PACKAGE}.{path}"] if rest else []
    if head in SHORT and rest:
        candidates.append(f"{SHORT[head]}.{rest}")
    homes = [imported.get(head), room and f"{room}.{head}"]
    homes += unmistakable(head)
    candidates += [f"{home}.{rest}".rstrip(".") for home in homes if home]
    for candidate in candidates:
        if address := address_of(candidate):
            return address
    return None


def unmistakable(name: str) -> tuple[str, ...]:
    """Return the path of a name that is public once and is no plain word."""
    homes = read_api().homes.get(name, ())
    plain = name.isupper() or ("_" not in name and not HUMPS.match(name))
    return homes if len(homes) == 1 and not plain else ()
