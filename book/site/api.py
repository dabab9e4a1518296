"""The package reference: its pages, which autodoc fills from docstrings.

A room is a module with `__all__`; what that lists is public. A name lives in
the first room, from the bottom up, that lists it; others only repeat it.

The English build writes the pages of all editions into `book/LANGUAGE/api`;
git ignores them. `api_links` lets names in code lead to them.
"""

import argparse
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property, partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules, resolve_name
from types import FunctionType, ModuleType
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import PycodeError
from sphinx.pycode import ModuleAnalyzer

import preact
from book.site.words import WORDS, language_of
from book.tools import ROOT
from book.tools.execution import imports
from preact.cli.parser import COMMANDS, make_parser
from preact.strings import LANGUAGES, ORIGINAL

FOLDER = "api"
MEMBERS = (FunctionType, property, cached_property, classmethod, staticmethod)
# Code; a string of code, which is no quotation; a bar.
MARKED = re.compile(r'(`+[^`]*`+)|("(?:(?!\d")[\w+][^"`]*)?")|(\|)')


@dataclass(frozen=True)
class Room:
    """A module with `__all__`: the names that live here, and others."""

    path: str
    names: tuple[str, ...]
    repeated: tuple[str, ...]  # paths at which they live

    @property
    def module(self) -> ModuleType:
        """The module itself."""
        return import_module(self.path)

    @property
    def page(self) -> str:
        """The page of its outermost room below the package."""
        return (*self.path.split("."), "index")[1]

    @property
    def anchor(self) -> str:
        """The id of its section."""
        inner = self.path.removeprefix("preact.")
        return "api-" + inner.replace(".", "-")


def setup(app: Sphinx) -> None:
    """Add the pages, and what leads to them."""
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    app.connect("config-inited", configure, priority=0)
    app.connect("autodoc-process-docstring", edit_docstring, priority=0)


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
def rooms() -> tuple[Room, ...]:
    """Return all rooms from the bottom up, the package itself last."""
    homes: dict[tuple[str, int], str] = {}
    made = []
    listed = re.findall(r"^`(\w+)`", preact.__doc__ or "", re.MULTILINE)
    for top in [*(f"preact.{room}" for room in listed), "preact"]:
        for module in with_all(import_module(top)):
            own, repeated = [], []
            for name in module.__all__:
                here = f"{module.__name__}.{name}"
                key = name, id(getattr(module, name))
                if (home := homes.setdefault(key, here)) == here:
                    own.append(name)
                else:
                    repeated.append(home)
            made.append(Room(module.__name__, tuple(own), tuple(repeated)))
    return tuple(made)


def with_all(module: ModuleType) -> Iterator[ModuleType]:
    """Yield a module, and those inside of it, that have `__all__`."""
    if hasattr(module, "__all__"):
        yield module
    if module is not preact:
        for inner in iter_modules(getattr(module, "__path__", ())):
            if inner.name != "__main__":
                name = f"{module.__name__}.{inner.name}"
                yield from with_all(import_module(name))


@cache
def addresses() -> dict[str, str]:
    """Return page and anchor by the path of each public name and member."""
    made = {}
    for room in rooms():
        made[room.path] = f"{FOLDER}/{room.page}#{room.anchor}"
        for name in room.names:
            path = f"{room.path}.{name}"
            entry = room.anchor if room.page == "index" else path
            made[path] = f"{FOLDER}/{room.page}#{entry}"
            thing = getattr(room.module, name)
            if inspect.isclass(thing):
                for member, value in vars(thing).items():
                    is_shown = isinstance(value, MEMBERS) and value.__doc__
                    if is_shown and not member.startswith("_"):
                        made[f"{path}.{member}"] = f"{made[path]}.{member}"
    return made


@cache
def address_of(path: str) -> str | None:
    """Return the address of a path by which a name, or a member, is reached.

    It may be another than the one it lives under: `preact.cifar_plan`.
    """
    if path in addresses():
        return addresses()[path]
    outer, _, last = path.rpartition(".")
    if not outer.startswith("preact"):
        return None
    try:
        thing = resolve_name(path)
    except (AttributeError, ImportError, ValueError):
        return None
    for room in rooms():
        if last in room.names and getattr(room.module, last) is thing:
            return addresses()[f"{room.path}.{last}"]
    return None


@cache
def readers() -> dict[str, list[str]]:
    """Return, by address, the chapters whose cells import a name."""
    made: dict[str, list[str]] = {}
    for chapter in sorted((ROOT / "book" / ORIGINAL).glob("[0-9]*.md")):
        named = {address_of(p) for _, p in imports(chapter.read_text("utf-8"))}
        for address in named - {None}:
            made.setdefault(str(address), []).append(chapter.stem)
    return made


# ------------------------------------------------------------------ docstrings
def edit_docstring(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: Any
) -> None:
    """Say where a name is defined and read; set strings of code as code."""
    text = [
        line
        if line.lstrip().startswith((">>>", "..."))
        else MARKED.sub(
            lambda m: m[1] or (f"``{m[2]}``" if m[2] else r"\|"), line
        )
        for line in lines
    ]
    if what in ("function", "class") and name in addresses():
        words = WORDS[language_of(app)]
        place = Path(inspect.getfile(inspect.unwrap(thing)))
        told = f"{words['@api-source']}``{place.relative_to(ROOT)}``"
        if chapters := readers().get(addresses()[name]):
            names = words["@list"].join(f"`{chapter}`" for chapter in chapters)
            told += f"{words['@semicolon']}{words['@api-readers']}{names}"
        text = [".. container:: api-place", "", f"   {told}", "", *text]
    lines[:] = text


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


def pages(words: dict[str, str]) -> dict[str, str]:
    """Return the text of each page of an edition, by name."""
    made = {"index": index_text(words), "commands": commands_text(words)}
    for room in rooms()[:-1]:
        title = "##" if room.page in made else "#"
        before = made.get(room.page, "")
        made[room.page] = before + room_text(room, title, words)
    return made


def commands_text(words: dict[str, str]) -> str:
    """Return the page of all commands: what `preact COMMAND --help` prints."""
    parts = [
        "(api-commands)=",
        f"# {words['@api-commands']}",
        words["@api-commands-intro"],
    ]
    (group,) = (
        action
        for action in make_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    for name in COMMANDS:
        command = group.choices[name]
        command.formatter_class = partial(argparse.HelpFormatter, width=72)
        parts += [
            f"(command-{name})=\n## preact {name}",
            "::::{container} language-en",
            f"```text\n{command.format_help()}```",
            "::::",
        ]
    return "\n\n".join(parts)


def room_text(room: Room, title: str, words: dict[str, str]) -> str:
    """Return the section of a room."""
    parts = [
        f"({room.anchor})=\n{title} {room.path}",
        "::::{container} language-en\n```{eval-rst}",
        f".. automodule:: {room.path}",
        *(entry_text(room, name) for name in room.names),
        "```",
    ]
    if room.repeated:
        names = ", ".join(f"`{path}`" for path in room.repeated)
        parts.append(f"\n{words['@api-repeated']}{names}")
    return "\n".join([*parts, "::::\n\n"])


def entry_text(room: Room, name: str) -> str:
    """Return the directive of a public name.

    autodoc looks for what is said of a constant in the room itself.
    """
    value = getattr(room.module, name)
    if inspect.isroutine(value):
        return f"\n.. autofunction:: {room.path}.{name}"
    if inspect.isclass(value) and value.__module__.startswith("preact"):
        undoc = "\n   :undoc-members:" if issubclass(value, Enum) else ""
        return f"\n.. autoclass:: {room.path}.{name}\n   :members:{undoc}"
    lines = [f"\n.. py:data:: {name}", f"   :module: {room.path}"]
    shown = repr(value)
    if len(shown) <= 60 and not re.match(r"<|\w*Path\(", shown):
        lines.append(f"   :value: {shown}")
    told = next(docs_of_data(name, value))
    return "\n".join([*lines, "", *(f"   {line}" for line in told)])


def index_text(words: dict[str, str]) -> str:
    """Return the page that leads to all others."""
    *inner, door = rooms()
    parts = [
        f"(api)=\n# {words['@api-title']}",
        words["@api-intro"] + words["@api-language"],
        f"({door.anchor})=\n## {words['@api-door']}",
        names_text(door.repeated),
        f"## {words['@api-rooms']}",
        "::::{container} language-en",
    ]
    for room in inner:
        (first, *_) = str(room.module.__doc__).splitlines()
        names = names_text(f"{room.path}.{name}" for name in room.names)
        parts.append(f"`{room.path}`\n: {first}\n\n  {names}")
    return "\n\n".join([*parts, "::::"]) + "\n"


def names_text(paths: Any) -> str:
    """Return names that show no more than their last part."""
    return " ".join(f"`{path}`{{.api-name}}" for path in paths)
