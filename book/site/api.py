"""The package reference: its pages, and names in code that lead to them.

A room is a module with `__all__`; what that lists is public, and autodoc takes
what is said of it from docstrings. The English build writes the pages of all
editions into `book/LANGUAGE/api`; git ignores them.

A name in code leads to its entry if it can only mean one thing: it is written
with its room, as `preact.plan.cifar_plan`; or no other public name is called
so and it is no plain word; or the chapter's own cells import it.
"""

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import PycodeError
from sphinx.pycode import ModuleAnalyzer
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

import preact
from book.site.words import WORDS, language_of
from book.tools import ROOT
from book.tools.execution import imports
from preact.strings import LANGUAGES, ORIGINAL

FOLDER = "api"
# Code; a string of code, which is no quotation; a bar.
MARKED = re.compile(r'(`+[^`]*`+)|("(?:(?!\d")[\w+][^"`]*)?")|(\|)')
CALL = re.compile(r"^([A-Za-z_][\w.]*?)(?:\(.*\))?$")
HUMPS = re.compile(r"^(?:[A-Z][a-z0-9]+){2,}$")


def setup(app: Sphinx) -> None:
    """Add the pages, and what leads to them."""
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    app.connect("config-inited", configure, priority=0)
    app.connect("autodoc-process-docstring", edit_docstring, priority=0)
    app.add_post_transform(LeadFromCode)


def configure(app: Sphinx, config: Config) -> None:
    """Say how docstrings are read; write the pages, for all editions."""
    config.add_module_names = False
    config.html_domain_indices = False
    config.default_role = "py:obj"
    config.napoleon_use_ivar = True
    config.napoleon_use_rtype = False
    config.autodoc_member_order = "bysource"
    config.autodoc_preserve_defaults = True  # names, and no machine's paths
    config.autodoc_typehints = "description"
    config.autodoc_typehints_description_target = "documented_params"
    config.suppress_warnings.append("ref.python")  # a name of two rooms
    if language_of(app) == ORIGINAL:
        write_pages()


# --------------------------------------------------------------- public names
@cache
def rooms() -> tuple[ModuleType, ...]:
    """Return the modules with `__all__` from the bottom up, below the door."""
    listed = re.findall(r"^`(\w+)`", preact.__doc__ or "", re.MULTILINE)
    tops = (import_module(f"preact.{name}") for name in listed)
    return tuple(room for top in tops for room in with_all(top))


def with_all(module: ModuleType) -> Iterator[ModuleType]:
    """Yield a module, and those inside of it, that have `__all__`."""
    if hasattr(module, "__all__"):
        yield module
    for inner in iter_modules(getattr(module, "__path__", ())):
        if inner.name != "__main__":
            yield from with_all(
                import_module(f"{module.__name__}.{inner.name}")
            )


@cache
def door() -> dict[str, str]:
    """Return the path of each name that `import preact` alone reaches."""
    return {
        name: f"{room.__name__}.{name}"
        for name in preact.__all__
        for room in rooms()
        if name in room.__all__
        if getattr(room, name) is getattr(preact, name)
    }


# ------------------------------------------------------------------ docstrings
def edit_docstring(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: Any
) -> None:
    """Set strings of code as code; a bar is no substitution."""
    lines[:] = [
        line
        if line.lstrip().startswith((">>>", "..."))
        else MARKED.sub(
            lambda m: m[1] or (f"``{m[2]}``" if m[2] else r"\|"), line
        )
        for line in lines
    ]


def docs_of_data(name: str, value: Any) -> Iterator[list[str]]:
    """Yield what stands below a constant in the modules that assign it."""
    for path, module in list(sys.modules.items()):
        if path.startswith("preact") and vars(module).get(name) is value:
            try:
                docs = ModuleAnalyzer.for_module(path).find_attr_docs()
            except PycodeError:
                continue
            if ("", name) in docs:
                yield docs["", name]


# ----------------------------------------------------------------------- pages
def write_pages() -> None:
    """Write the pages of all editions; one that stays is not touched."""
    for language in LANGUAGES:
        folder = ROOT / "book" / language / FOLDER
        folder.mkdir(exist_ok=True)
        for name, text in pages(WORDS[language]).items():
            path = folder / f"{name}.md"
            if not path.exists() or path.read_text("utf-8") != text:
                path.write_text(text, "utf-8")


def pages(words: Mapping[str, str]) -> dict[str, str]:
    """Return the text of each page of an edition, by name."""
    made = {"index": index_text(words)}
    for room in rooms():
        page = room.__name__.split(".")[1]  # with the rooms inside of it
        title = "##" if page in made else "#"
        made[page] = made.get(page, "") + room_text(room, title)
    return made


def room_text(room: ModuleType, title: str) -> str:
    """Return the section of a room."""
    path = room.__name__
    anchor = path.removeprefix("preact.").replace(".", "-")
    parts = [
        f"(api-{anchor})=\n{title} {path}",
        "::::{container} language-en\n```{eval-rst}",
        f".. automodule:: {path}",
        *(entry_text(room, name) for name in room.__all__),
        "```\n::::\n\n",
    ]
    return "\n".join(parts)


def entry_text(room: ModuleType, name: str) -> str:
    """Return the directive of a public name.

    autodoc looks for what is said of a constant in the room itself.
    """
    value, path = getattr(room, name), room.__name__
    if inspect.isroutine(value):
        return f"\n.. autofunction:: {path}.{name}"
    if inspect.isclass(value) and value.__module__.startswith("preact"):
        undoc = "\n   :undoc-members:" if issubclass(value, Enum) else ""
        return f"\n.. autoclass:: {path}.{name}\n   :members:{undoc}"
    lines = [f"\n.. py:data:: {name}", f"   :module: {path}"]
    shown = repr(value)
    if len(shown) <= 60 and not re.match(r"<|\w*Path\(", shown):
        lines.append(f"   :value: {shown}")
    docs = next(docs_of_data(name, value))
    return "\n".join([*lines, "", *(f"   {line}" for line in docs)])


def index_text(words: Mapping[str, str]) -> str:
    """Return the page that leads to all others."""
    parts = [
        f"(api)=\n# {words['@api-title']}",
        words["@api-intro"] + words["@api-language"],
        f"(api-preact)=\n## {words['@api-door']}",
        names_text(door().values()),
        f"## {words['@api-rooms']}",
        "::::{container} language-en",
    ]
    for room in rooms():
        path = room.__name__
        (first, *_) = str(room.__doc__).splitlines()
        names = names_text(f"{path}.{name}" for name in room.__all__)
        parts.append(f"`{path}`\n: {first}\n\n  {names}")
    return "\n\n".join([*parts, "::::"]) + "\n"


def names_text(paths: Iterable[str]) -> str:
    """Return names that show no more than their last part."""
    return " ".join(f"`{path}`{{.api-name}}" for path in paths)


# ------------------------------------------------------------ what leads there
class LeadFromCode(SphinxPostTransform):
    """Let inline code lead to the entry that it names."""

    default_priority = 900  # links that are written come first

    def run(self, **_: Any) -> None:
        blocks = self.document.findall(nodes.literal_block)
        imported = dict(imports("\n".join(b.astext() for b in blocks)))
        for literal in list(self.document.findall(nodes.literal)):
            text = literal.astext()
            path = entry_of(text, known(self.env), imported)
            if path is None or inside(literal, nodes.reference, nodes.title):
                continue
            shown = literal.deepcopy()
            if "api-name" in literal["classes"]:
                last = text.rpartition(".")[2]
                shown = nodes.literal("", last, classes=["api-name"])
            here = self.env.docname
            literal.replace_self(link(self.env, here, path, shown))


def known(env: BuildEnvironment) -> Mapping[str, Any]:
    """Return the entries of all pages, and where they are, by path."""
    found: Mapping[str, Any] = env.get_domain("py").objects  # type: ignore[attr-defined]
    return found


def link(
    env: BuildEnvironment, here: str, path: str, content: nodes.Node
) -> nodes.reference:
    """Return a link to an entry."""
    entry = known(env)[path]
    made = make_refnode(
        env.app.builder, here, entry.docname, entry.node_id, content
    )
    made["classes"].append("api-link")
    return made


def inside(node: nodes.Node, *kinds: type[nodes.Node]) -> bool:
    """Whether a node stands in one of a kind."""
    while node := node.parent:
        if isinstance(node, kinds):
            return True
    return False


def entry_of(
    text: str, entries: Iterable[str], imported: Mapping[str, str]
) -> str | None:
    """Return the path of the entry that code means, if that is plain.

    Parameters
    ----------
    text : str
        A name, with dots or without, or a call.
    entries : iterable of str
        Paths of all entries.
    imported : mapping
        Names that the page's cells import, and their paths.
    """
    called = CALL.match(text)
    if called is None:
        return None
    head, dot, rest = called[1].removeprefix("preact.").partition(".")
    heads = []
    if "." in called[1]:
        heads += [f"preact.{head}", door().get(head, "")]
    if home := imported.get(head):
        heads += [home, *homes(home.rpartition(".")[2])]
    elif is_no_word(head):
        heads += homes(head)
    paths = (f"{one}{dot}{rest}" for one in heads)
    return next((path for path in paths if path in entries), None)


def homes(name: str) -> list[str]:
    """Return the path of a name that is public once."""
    paths = [f"{r.__name__}.{name}" for r in rooms() if name in r.__all__]
    return paths if len(paths) == 1 else []


def is_no_word(name: str) -> bool:
    """Whether a name could be no plain word of a text."""
    mixed = "_" in name or HUMPS.match(name) is not None
    return mixed and not name.isupper()
