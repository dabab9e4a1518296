"""The package reference: its pages, and what leads to them.

The English build writes the pages of all editions into `book/LANGUAGE/api`;
git ignores them. A name in code, such as `preact.plan.cifar_plan`, then leads
to its entry wherever it stands, if it can only mean one thing: it is written
with its room, or no other public name is called so and it is no plain word,
or the chapter's own cells import it.
"""

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms.post_transforms import SphinxPostTransform

from book.site.api_text import room_text
from book.site.commands import commands_text
from book.site.words import WORDS, language_of
from book.tools import ROOT
from book.tools.api import PACKAGE, Entry, read_api
from preact.cli import COMMANDS
from preact.strings import LANGUAGES, ORIGINAL

FOLDER = "api"
CALL = re.compile(r"^([A-Za-z_][\w.]*?)(?:\(.*\))?$")
COMMAND = re.compile(rf"^preact ({'|'.join(COMMANDS)})\b")
HUMPS = re.compile(r"^(?:[A-Z][a-z0-9]+){2,}$")
IMPORT = re.compile(
    r"^ *(?:>>> )?from (preact[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE
)
ELSEWHERE = {
    "Tensor": "https://docs.pytorch.org/docs/stable/tensors.html",
}


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the pages, and the step that leads to them."""
    app.connect("config-inited", configure, priority=0)
    app.add_post_transform(LeadToEntries)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


def configure(app: Sphinx, config: Config) -> None:
    """Write the pages once, for all editions; keep signatures narrow."""
    config.python_maximum_signature_line_length = 56
    config.add_module_names = False
    config.html_domain_indices = False
    if language_of(app) == ORIGINAL:
        write_pages()


def write_pages() -> None:
    """Write the pages of all editions; one that stays is not touched."""
    for language in LANGUAGES:
        folder = ROOT / "book" / language / FOLDER
        folder.mkdir(exist_ok=True)
        for name, text in pages(WORDS[language]):
            path = folder / f"{name}.md"
            if not path.exists() or path.read_text("utf-8") != text:
                path.write_text(text, "utf-8")


def pages(words: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield name and text of each page of an edition."""
    yield "commands", commands_text(words)
    api = read_api()
    for page in api.pages:
        rooms = [room for room in api.rooms if room.page == page]
        if page == "index":
            yield page, index_text(words)
            continue
        text = [
            room_text(room, words, level=1 + bool(i))
            for i, room in enumerate(rooms)
        ]
        yield page, "\n\n".join(text) + "\n"


def index_text(words: dict[str, str]) -> str:
    """Return the page that leads to all others."""
    api = read_api()
    door = api.rooms[-1]
    parts = [
        f"(api)=\n# {words['@api-title']}",
        f"{words['@api-intro']} {words['@api-language']}",
        f"## {words['@api-door']}",
        names_text(door.repeated),
        f"## {words['@api-rooms']}",
    ]
    for room in api.rooms[:-1]:
        first = str(room.module.docstring.value).splitlines()[0]
        names = names_text(room.entries)
        parts.append(f"`{room.path}`\n: {first}\n\n  {names}")
    return "\n\n".join(parts) + "\n"


def names_text(entries: tuple[Entry, ...]) -> str:
    """Return names that show no more than their last part."""
    return " ".join(f"`{entry.path}`{{.api-name}}" for entry in entries)


# ------------------------------------------------------------------- links
class LeadToEntries(SphinxPostTransform):
    """Let names in code lead to their entries."""

    default_priority = 900  # links that are written come first

    def run(self, **_: Any) -> None:
        here = self.env.docname
        imported = dict(imports(self.document))
        room = PACKAGE + "." + here.removeprefix(f"{FOLDER}/")
        for literal in list(self.document.findall(nodes.literal)):
            if inside(literal, nodes.reference, nodes.title):
                continue
            text = literal.astext()
            if address := self.address(text, imported, room):
                link = nodes.reference(
                    "", "", internal="://" not in address, refuri=address
                )
                link["classes"] = ["api-link"]
                literal.replace_self(link)
                if "api-name" in literal["classes"]:
                    last = text.rpartition(".")[2]
                    literal = nodes.literal("", last, classes=["api-name"])
                link += literal

    def address(
        self, text: str, imported: dict[str, str], room: str
    ) -> str | None:
        """Return where a piece of code leads, seen from this page."""
        here = self.env.docname
        if text in ELSEWHERE:
            return ELSEWHERE[text]
        if here.startswith(FOLDER) and text in self.env.found_docs:
            return self.uri(text)
        if command := COMMAND.match(text):
            return self.uri(f"{FOLDER}/commands") + f"#command-{command[1]}"
        found = entry_address(text, imported, room)
        if found is None:
            return None
        page, _, anchor = found.partition("#")
        return f"{self.uri(f'{FOLDER}/{page}')}#{anchor}"

    def uri(self, page: str) -> str:
        """Return a page as seen from this one."""
        return str(self.app.builder.get_relative_uri(self.env.docname, page))


def inside(node: nodes.Node, *kinds: type[nodes.Node]) -> bool:
    """Whether a node stands in one of a kind."""
    while node := node.parent:
        if isinstance(node, kinds):
            return True
    return False


def imports(document: nodes.document) -> Iterator[tuple[str, str]]:
    """Yield name and path of what the cells of a chapter import."""
    for block in document.findall(nodes.literal_block):
        for found in IMPORT.finditer(block.astext()):
            for one in found[2].strip("()").split(","):
                name, _, other = one.strip().partition(" as ")
                if name.isidentifier():
                    yield other or name, f"{found[1]}.{name}"


def entry_address(
    text: str, imported: dict[str, str], room: str = PACKAGE
) -> str | None:
    """Return page and anchor of the entry that code means, if it is one.

    Parameters
    ----------
    text : str
        A name, with dots or without, or a call.
    imported : dict
        Names that the page's cells import, and their paths.
    room : str
        On whose page it stands.
    """
    api = read_api()
    called = CALL.match(text)
    if called is None:
        return None
    path = called[1]
    head, _, rest = path.partition(".")
    candidates = [path, f"{PACKAGE}.{path}"] if rest else []
    homes = (imported.get(head), f"{room}.{head}", *unmistakable(head))
    candidates += [f"{home}.{rest}".rstrip(".") for home in homes if home]
    for candidate in candidates:
        if candidate in api.addresses:
            return api.addresses[candidate]
    return None


def unmistakable(name: str) -> tuple[str, ...]:
    """Return the path of a name that is public once and is no plain word."""
    homes = read_api().homes.get(name, ())
    plain = name.isupper() or "_" not in name and not HUMPS.match(name)
    return homes if len(homes) == 1 and not plain else ()
