"""The public names of the package, read off its source: nothing is imported.

A room is a module with `__all__`; what that lists is public. A name lives in
the first room, from the bottom up, that lists it; others only repeat it.
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import griffe

import preact
from book.tools import ROOT
from preact.strings import ORIGINAL

PACKAGE = "preact"
IMPORT = re.compile(
    r"^ *(?:>>> )?from (preact[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE
)
# Fields of our strict classes are keyword arguments, as in dataclasses.
FIELDS = ("dataclass", "typed")
# The values a parameter can have, {"a", "b"}, and what is read for them.
CHOICES = re.compile(r"^( *[\w*, ]+ : )\{(.+)\}$", re.MULTILINE)
ONE_OF = "one of "


@dataclass(frozen=True)
class Entry:
    """A public name: where it is listed, and the object it stands for."""

    room: str
    name: str
    object: griffe.Object

    @property
    def path(self) -> str:
        """The path under which a user imports it."""
        return f"{self.room}.{self.name}"

    @property
    def sections(self) -> list[griffe.DocstringSection]:
        """The parts of its docstring, in order."""
        return sections(self.object)

    @property
    def file(self) -> str:
        """The file that defines it, seen from the root of the project."""
        return str(self.object.relative_filepath.as_posix())


@dataclass(frozen=True)
class Room:
    """A package or module with a face: `__all__`."""

    path: str
    module: griffe.Module
    entries: tuple[Entry, ...]
    repeated: tuple[Entry, ...]

    @property
    def page(self) -> str:
        """The page of its outermost room below the package."""
        parts = self.path.split(".")
        return parts[1] if len(parts) > 1 else "index"


@dataclass(frozen=True)
class API:
    """All rooms, from the bottom up."""

    rooms: tuple[Room, ...]

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """Each public name by its path."""
        return {e.path: e for room in self.rooms for e in room.entries}

    @cached_property
    def pages(self) -> tuple[str, ...]:
        """The pages' names, from the bottom up; the front door is `index`."""
        return tuple(dict.fromkeys(room.page for room in self.rooms))

    @cached_property
    def addresses(self) -> dict[str, str]:
        """Page and anchor by every path under which a name is reached."""
        made: dict[str, str] = {}
        for room in self.rooms:
            made[room.path] = f"{room.page}#{anchor(room.path)}"
            for entry in room.entries:
                address = f"{room.page}#{entry.path}"
                made[entry.path] = made[entry.object.path] = address
                for member in members(entry.object):
                    made[f"{entry.path}.{member.name}"] = (
                        f"{address}.{member.name}"
                    )
        for room in self.rooms:
            for entry in room.repeated:
                made[entry.path] = made[entry.object.path]
        return made

    @cached_property
    def homes(self) -> dict[str, tuple[str, ...]]:
        """By bare name, the paths of the entries that have it."""
        made: dict[str, tuple[str, ...]] = {}
        for path, entry in self.entries.items():
            made[entry.name] = (*made.get(entry.name, ()), path)
        return made


def anchor(room: str) -> str:
    """Return the id of a room's section."""
    return "api-" + room.removeprefix(f"{PACKAGE}.").replace(".", "-")


@cache
def read_api() -> API:
    """Read the package."""
    logging.getLogger("griffe").setLevel(logging.ERROR)
    package = griffe.load(
        PACKAGE,
        search_paths=[ROOT / "src"],
        docstring_parser="numpy",
        allow_inspection=False,
    )
    seen: set[str] = set()
    rooms = []
    for top in [*(package[name] for name in preact._ROOMS), package]:
        for module in faces(top):
            names = map(str, module.exports or ())
            listed = [entry_of(module, name) for name in names]
            own = [e for e in listed if e.object.path not in seen]
            seen.update(e.object.path for e in own)
            again = [e for e in listed if e not in own]
            rooms.append(Room(module.path, module, tuple(own), tuple(again)))
    return API(tuple(rooms))


def faces(module: griffe.Module) -> Iterator[griffe.Module]:
    """Yield a room, and the rooms inside of it."""
    if module.exports is not None:
        yield module
    if module.path != PACKAGE:
        for inner in module.modules.values():
            if not inner.is_alias:
                yield from faces(inner)


def entry_of(module: griffe.Module, name: str) -> Entry:
    """Return what a room lists under a name.

    A function may have the name of the module that defines it: what the room
    imports is meant, not the module.
    """
    target: Any = module.members.get(name)
    imported = module.imports.get(name)
    if imported is not None:
        target = module.modules_collection[imported]
    if target is None:
        raise ValueError(f"{module.path}.__all__ lists {name}, assigned how?")
    final = target.final_target if target.is_alias else target
    return Entry(module.path, name, final)


def sections(thing: griffe.Object) -> list[griffe.DocstringSection]:
    """Return the parts of a docstring, none if there is none."""
    return parsed(thing.docstring) if thing.docstring else []


@cache
def parsed(told: griffe.Docstring) -> list[griffe.DocstringSection]:
    """Return the parts of a docstring, values of a parameter as words.

    griffe reads numpydoc's `{"fan-in", "fan-out"}` as code: it takes strings
    in a type for names, and `fan-out` for a difference.
    """
    text = CHOICES.sub(rf"\1{ONE_OF}\2", told.value)
    return griffe.Docstring(
        text, parent=told.parent, parser=told.parser
    ).parsed


def members(thing: griffe.Object) -> list[Any]:
    """Return the public methods and properties of a class."""
    if not thing.is_class:
        return []
    return [
        member
        for member in thing.members.values()
        if not member.is_alias
        and not member.name.startswith("_")
        and (member.is_function or "property" in member.labels)
    ]


def parameters(thing: griffe.Object) -> list[griffe.Parameter]:
    """Return what a function or a class is called with."""
    if not isinstance(thing, griffe.Class | griffe.Function):
        return []
    if isinstance(thing, griffe.Class) and lists_fields(thing):
        kinds = griffe.ParameterKind
        in_order = is_named_tuple(thing)
        return [
            griffe.Parameter(
                field.name,
                annotation=field.annotation,
                kind=kinds.positional_or_keyword
                if in_order
                else kinds.keyword_only,
                default=field.value,
            )
            for field in thing.attributes.values()
            if field.annotation is not None
            and not field.name.startswith("_")
            and "property" not in field.labels
        ]
    is_method = thing.is_class or getattr(thing.parent, "is_class", False)
    bound = ("self", "cls") if is_method else ()
    return [p for p in thing.parameters if p.name not in bound]


@cache
def readers() -> dict[str, tuple[str, ...]]:
    """Return, by address, the chapters whose cells import a name."""
    made: dict[str, tuple[str, ...]] = {}
    addresses = read_api().addresses
    for chapter in sorted((ROOT / "book" / ORIGINAL).glob("[0-9]*.md")):
        named = imports(chapter.read_text("utf-8"))
        for path in {
            addresses[path] for _, path in named if path in addresses
        }:
            made[path] = (*made.get(path, ()), chapter.stem)
    return made


def imports(code: str) -> Iterator[tuple[str, str]]:
    """Yield name and path of what code imports from the package."""
    for statement in IMPORT.finditer(code):
        for one in statement[2].strip("()").split(","):
            name, _, other = one.strip().partition(" as ")
            if name.isidentifier():
                yield other or name, f"{statement[1]}.{name}"


def lists_fields(thing: griffe.Class) -> bool:
    """Whether fields are arguments, and no `__init__` lists them."""
    made = {str(d.value).split("(")[0] for d in thing.decorators}
    has_fields = any(name.split(".")[-1] in FIELDS for name in made)
    return (has_fields or is_named_tuple(thing)) and not thing.parameters


def is_named_tuple(thing: griffe.Class) -> bool:
    """Whether it is a tuple whose fields have names."""
    return any("NamedTuple" in str(base) for base in thing.bases)
