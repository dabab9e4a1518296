"""Entries of the package reference as MyST text.

A docstring is prose with `names` in it; what numpydoc's headings set apart
(parameters, what is returned, errors, examples) becomes lists of the same
make for each entry. The words of headings are the edition's, the rest is
English.
"""

import re
from collections.abc import Iterator
from typing import Any

import griffe

from book.tools.api import (
    ONE_OF,
    Entry,
    Room,
    anchor,
    members,
    parameters,
    read_api,
    readers,
    sections,
)

# A list of names with a word on each, as module docstrings have them.
NAMED = re.compile(r"^`([^`]+)`\s{2,}(\S.*)$")
# Code; a string of code, which is no quotation; a tag.
MARKED = re.compile(r'`[^`]*`|"(?:(?!\d")[\w+][^"`]*)?"|<(?=[a-zA-Z/!])')
IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*\w")
STARS: dict[griffe.ParameterKind | None, str] = {
    griffe.ParameterKind.var_positional: "*",
    griffe.ParameterKind.var_keyword: "**",
}
MARKS = {"`": "{}", '"': "`{}`", "<": "\\{}"}
BUILT_IN = ("int", "float", "str", "bool", "tuple", "list", "dict", "type")
OF_PARAMETERS = ("parameters", "attributes")
Words = dict[str, str]


def room_text(room: Room, words: Words, level: int = 2) -> str:
    """Return a room: what it is for, and its entries."""
    title = "#" * level + f" {room.path}"
    parts = [f"({anchor(room.path)})=", title, '<div lang="en">']
    for section in sections(room.module):
        parts += section_text(section, words)
    if room.repeated:
        names = ", ".join(f"`{entry.path}`" for entry in room.repeated)
        parts.append(f"{words['@api-repeated']}{names}")
    for kind in ("function", "class", "attribute"):
        parts += [
            entry_text(entry, room, words)
            for entry in room.entries
            if entry.object.kind.value == kind
        ]
    return "\n\n".join([*parts, "</div>"])


def entry_text(entry: Entry, room: Room, words: Words) -> str:
    """Return a public name as a directive of Sphinx's Python domain."""
    thing: Any = entry.object
    body = [source_line(entry, words), *described(thing, words)]
    for member in members(thing):
        body.append(member_text(member, words))
    kind = thing.kind.value
    options = [f":module: {entry.room}", ":no-index-entry:"]
    if kind == "attribute":
        kind = "data"
        options += [f":value: {value}" for value in short_value(thing)]
    head = f"{entry.name}{signature(thing)}"
    return fenced(f"py:{kind}", head, options, body, 6)


def member_text(member: Any, words: Words) -> str:
    """Return a method or a property inside the entry of its class."""
    options = [":no-index-entry:"]
    body = described(member, words)
    if member.is_function:
        head = f"{member.name}{signature(member)}"
        options += [
            f":{label}:"
            for label in ("classmethod", "staticmethod")
            if label in member.labels
        ]
        return fenced("py:method", head, options, body, 5)
    options += [f":type: {kind}" for kind in [member.annotation] if kind]
    return fenced("py:property", member.name, options, body, 5)


def fenced(
    name: str, head: str, options: list[str], body: list[str], ticks: int
) -> str:
    """Return a directive."""
    fence = "`" * ticks
    text = "\n\n".join(part for part in body if part)
    lines = "\n".join(options)
    return f"{fence}{{{name}}} {head}\n{lines}\n\n{text}\n{fence}"


def signature(thing: griffe.Object) -> str:
    """Return names and defaults; types too, if no list below has them."""
    if not (thing.is_class or thing.is_function):
        return ""
    if is_enumeration(thing):
        return ""
    with_types = not lists_parameters(thing)
    kinds = griffe.ParameterKind
    given: list[str] = []
    before: griffe.ParameterKind | None = None
    for one in parameters(thing):
        if one.kind is kinds.keyword_only and before not in (
            kinds.keyword_only,
            kinds.var_positional,
        ):
            given.append("*")
        if before is kinds.positional_only and one.kind is not before:
            given.append("/")
        text = STARS.get(one.kind, "") + one.name
        if with_types and one.annotation:
            text += f": {one.annotation}"
        if one.default is not None and one.kind not in STARS:
            text += f"={one.default}"
        given.append(text)
        before = one.kind
    returned = getattr(thing, "returns", None)
    arrow = f" -> {returned}" if returned and str(returned) != "None" else ""
    return f"({', '.join(given)}){arrow}"


def lists_parameters(thing: griffe.Object) -> bool:
    """Whether something is said of the parameters."""
    return any(part.kind.value in OF_PARAMETERS for part in sections(thing))


def is_enumeration(thing: griffe.Object) -> bool:
    """Whether it is a class that lists its members."""
    return any("Enum" in str(base) for base in getattr(thing, "bases", ()))


def short_value(thing: Any) -> Iterator[str]:
    """Yield the value of a constant, if it fits a line."""
    text = str(thing.value or "")
    if text and len(text) <= 60 and "\n" not in text:
        yield text


def source_line(entry: Entry, words: Words) -> str:
    """Return where an entry is defined, and the chapters that use it."""
    first, last = entry.object.lineno, entry.object.endlineno
    lines = f"{first}–{last}" if last and last != first else f"{first}"
    text = f"{words['@api-source']}[{entry.file}:{lines}]{{.api-source}}"
    address = read_api().addresses[entry.path]
    if chapters := readers().get(address):
        names = words["@list"].join(f"`{chapter}`" for chapter in chapters)
        text += f"{words['@semicolon']}{words['@api-readers']}{names}"
    return f"[{text}]{{.api-place}}"


# -------------------------------------------------------------- docstrings
def described(thing: griffe.Object, words: Words) -> list[str]:
    """Return what a docstring says, the parameters after its first text."""
    parts: list[str] = []
    rows = listed(words["@api-parameters"], merged(parameter_rows(thing)))
    for section in sections(thing):
        if section.kind.value in OF_PARAMETERS:
            continue
        if section.kind.value != "text":
            parts, rows = [*parts, *rows], []
        parts += section_text(section, words)
    parts += rows
    if is_enumeration(thing):
        values = [
            (name, "", f"`{member.value}`")
            for name, member in thing.attributes.items()
            if member.value is not None and not name.startswith("_")
        ]
        parts += listed(words["@api-values"], values)
    return parts


def parameter_rows(thing: griffe.Object) -> list[tuple[str, str, str]]:
    """Return name, type and meaning of all parameters.

    First those of the docstring; the rest have the signature's type.
    """
    told = [
        row
        for section in sections(thing)
        if section.kind.value in OF_PARAMETERS
        for row in section.value
    ]
    named = {name.strip("* ") for row in told for name in row.name.split(",")}
    rows = [(row.name, type_of(row), row.description) for row in told]
    if not lists_parameters(thing):
        return rows
    for one in parameters(thing):
        if one.name in named:
            continue
        rows.append((one.name, str(one.annotation or ""), ""))
    return rows


def merged(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Join neighbors that numpydoc's `a, b : type` has made of one line."""
    made: list[tuple[str, str, str]] = []
    for name, kind, text in rows:
        if made and text and made[-1][1:] == (kind, text):
            made[-1] = (f"{made[-1][0]}, {name}", kind, text)
        else:
            made.append((name, kind, text))
    return made


def type_of(row: Any) -> str:
    """Return the type that a docstring gives, as it is written there."""
    return str(row.annotation or "")


def section_text(section: Any, words: Words) -> list[str]:
    """Return one part of a docstring."""
    kind = section.kind.value
    if kind == "text":
        return [prose(section.value)]
    if kind == "examples":
        return examples(section.value, words)
    if kind == "admonition":
        title = words.get(f"@api-{section.value.kind}", section.title)
        return [heading(title), prose(section.value.description)]
    rows = []
    for row in section.value:
        name, made = getattr(row, "name", ""), type_of(row)
        made = made.strip("()") if kind == "raises" else made
        rows.append((name or made, made if name else "", row.description))
    return listed(words[f"@api-{kind}"], rows, kind)


def heading(title: str) -> str:
    """Return a small heading in the edition's language."""
    return f"[{title}]{{.api-heading}}"


def listed(
    title: str, rows: list[tuple[str, str, str]], kind: str = ""
) -> list[str]:
    """Return rows of name, type and description as a definition list."""
    if not rows:
        return []
    lines = []
    for name, type_text, text in rows:
        head = kinds(name) if kind else f"`{name}`{{.api-parameter}}"
        if type_text:
            head += f" [{kinds(type_text)}]{{.api-type}}"
        paragraphs = prose(text).split("\n") or [""]
        lines += [head, f": {paragraphs[0]}"]
        lines += [f"  {line}" if line else "" for line in paragraphs[1:]]
        lines.append("")
    return [heading(title), "\n".join(lines).rstrip()]


def kinds(text: str) -> str:
    """Return a type: its names as code, so that they lead somewhere."""
    plain = re.sub(
        r"\s+", " ", text.replace("`", "").replace("H', W'", "H′, W′")
    )
    if plain.startswith(ONE_OF):
        values = plain.removeprefix(ONE_OF).split(", ")
        return r" \| ".join(f"`{value}`" for value in values)
    return IDENTIFIER.sub(
        lambda m: f"`{m[0]}`" if known(m[0]) else m[0], escaped(plain)
    )


def known(name: str) -> bool:
    """Whether a word of a type is a name in code."""
    return name[0].isupper() or "." in name or name in BUILT_IN


def escaped(text: str) -> str:
    """Keep Markdown from reading brackets as links."""
    return re.sub(r"([\[\]<>*|{}\\])", r"\\\1", text)


def examples(parts: list[Any], words: Words) -> list[str]:
    """Return examples as a session, what is said between them as prose."""
    made = [heading(words["@api-examples"])]
    for kind, text in parts:
        if kind.value == "examples":
            code = re.sub(r"  # doctest:.*", "", text)
            made.append(f"```pycon\n{code}\n```")
        else:
            made.append(prose(text))
    return made


def prose(text: str) -> str:
    """Return text of a docstring as Markdown, a paragraph on a line."""
    made = []
    coded = MARKED.sub(lambda m: MARKS[m[0][0]].format(m[0]), text.strip())
    for block in re.split(r"\n\s*\n", coded.replace("H', W'", "H′, W′")):
        if NAMED.match(block):
            made.append(named_list(block))
        elif re.match(r"\s*[-*] ", block):
            made.append(block)
        else:
            made.append(re.sub(r"\s+", " ", block.strip()))
    return "\n\n".join(made)


def named_list(block: str) -> str:
    """Return lines of `name` and a word on it as a definition list."""
    made: list[str] = []
    for line in block.splitlines():
        if found := NAMED.match(line):
            made += ["", f"`{found[1]}`", f": {found[2]}"]
        else:
            made[-1] += f" {line.strip()}"
    return "\n".join(made).strip()
