"""The package reference: every name, what is said of it, what leads to it."""

import ast
import doctest
import importlib
import pkgutil
import re
from functools import cache

import pytest
import yaml

import preact
from book.site.api import pages
from book.site.api_links import ELSEWHERE, entry_address
from book.site.api_text import parameter_rows, room_text, signature
from book.site.commands import commands_text
from book.site.words import WORDS
from book.tools.api import parameters, read_api, sections
from paths import ROOT
from preact.cli import COMMANDS, make_parser
from preact.strings import LANGUAGES
from sampled import sampled

SHAPE = re.compile(r"^\([^)]*\) \w+")  # (N, C, H, W) float64


# Read by the worker that asks, not by each that collects.
@cache
def rooms():
    return {room.path: room for room in read_api().rooms}


def modules():
    yield preact
    for module in pkgutil.walk_packages(preact.__path__, "preact."):
        if not module.name.endswith("__main__"):
            yield importlib.import_module(module.name)


def test_every_public_name_has_an_entry():
    listed = {
        f"{module.__name__}.{name}"
        for module in modules()
        for name in getattr(module, "__all__", ())
    }
    assert len(listed) > 150
    assert listed - set(read_api().addresses) == set()


def test_every_entry_says_what_it_is():
    mute = [
        path
        for path, entry in read_api().entries.items()
        if not any(part.kind.value == "text" for part in entry.sections)
    ]
    assert mute == []


def untold(entry):
    """Parameters of which neither a list nor the text has a word."""
    thing = entry.object
    told = {
        name.strip("* ")
        for names, kind, text in parameter_rows(thing)
        if text or SHAPE.match(kind)
        for name in names.split(",")
    }
    said = " ".join(
        str(part.value)
        for part in sections(thing)
        if part.kind.value == "text"
    )
    return [
        one.name
        for one in parameters(thing)
        if one.name not in told and not re.search(rf"\b{one.name}\b", said)
    ]


def test_only_what_a_method_is_bound_to_is_no_parameter():
    method = read_api().entries["preact.plan.Conv"].object["deviation"]
    assert [one.name for one in parameters(method)] == ["init"]


def test_every_parameter_of_every_entry_is_described():
    offenders = {
        path: names
        for path, entry in read_api().entries.items()
        if (names := untold(entry))
    }
    assert offenders == {}


def calls(entry):
    """Whether it is used by a call: a function, or a class."""
    return entry.object.kind.value in ("function", "class")


def example(entry):
    """What the reference shows under an entry's heading of examples."""
    return "\n\n".join(
        text
        for part in entry.sections
        if part.kind.value == "examples"
        for kind, text in part.value
        if kind.value == "examples"
    )


@cache
def shown():
    """Paths of what has an example in the reference."""
    entries = read_api().entries
    return [path for path, entry in entries.items() if example(entry)]


def test_every_function_and_class_has_an_example():
    assert any(map(calls, read_api().entries.values()))
    offenders = [
        path
        for path, entry in read_api().entries.items()
        if calls(entry) and not example(entry)
    ]
    assert offenders == []


def test_an_example_of_a_function_calls_it():
    entries = {path: read_api().entries[path] for path in shown()}
    offenders = [
        path
        for path, entry in entries.items()
        if entry.object.is_function
        and not re.search(rf"\b{entry.name}\(|@{entry.name}\b", example(entry))
    ]
    assert offenders == []


@cache
def documented():
    """Room to name and text of every docstring with an example."""
    found = {}
    for file in sorted(ROOT.glob("src/preact/**/*.py")):
        text = file.read_text("utf-8")
        # most files have none, and need no parser
        for node in ast.walk(ast.parse(text if ">>> " in text else "")):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                told = ast.get_docstring(node) or ""
                if ">>> " in told:
                    place = file.relative_to(ROOT / "src/preact").parts[0]
                    name = getattr(node, "name", "")
                    found.setdefault(place, []).append((name, told))
    return found


ROOMS = sorted(  # those of which a docstring has an example
    {
        file.relative_to(ROOT / "src/preact").parts[0]
        for file in ROOT.glob("src/preact/**/*.py")
        if ">>> " in file.read_text("utf-8")
    }
)


def test_what_the_reference_shows_is_among_the_examples():
    entries = read_api().entries
    told = {entries[path].object.docstring.value for path in shown()}
    assert len(told) > 100
    assert told <= {text for held in documented().values() for _, text in held}


@pytest.mark.parametrize("room", [*sampled(ROOMS, 5)])
def test_an_example_needs_no_more_than_it_imports(room, tmp_path, monkeypatch):
    """It is copied from the page into a session where nothing is known."""
    monkeypatch.chdir(tmp_path)
    for name, text in documented()[room]:
        session = doctest.DocTestParser().get_doctest(
            text, {"__name__": "__main__"}, name, room, 0
        )
        assert session.examples
        assert doctest.DocTestRunner(verbose=False).run(session).failed == 0
    assert [*tmp_path.iterdir()] == []


def test_every_parameter_has_a_type_in_its_list_or_in_the_signature():
    for path, entry in read_api().entries.items():
        rows = parameter_rows(entry.object)
        typed = {
            name.strip("* ")
            for names, kind, _ in rows
            if kind
            for name in names.split(",")
        }
        head = signature(entry.object)
        for one in parameters(entry.object):
            assert one.name in typed or f"{one.name}: " in head, path


def test_an_entry_names_the_lines_that_define_it():
    for entry in read_api().entries.values():
        lines = (ROOT / entry.file).read_text("utf-8").splitlines()
        first = entry.object.lineno - 1
        # decorators stand above the name
        assert any(entry.object.name in x for x in lines[first : first + 6])


def test_the_contents_list_every_page_of_the_reference():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    (index,) = (
        chapter
        for part in toc["parts"]
        for chapter in part["chapters"]
        if chapter["file"] == "book/en/api/index"
    )
    files = [index["file"], *(one["file"] for one in index["sections"])]
    listed = [file.removeprefix("book/en/api/") for file in files]
    for language in LANGUAGES:
        written = [name for name, _ in pages(WORDS[language])]
        assert sorted(listed) == sorted(written)


def test_the_page_of_commands_names_each_option_of_each_command(capsys):
    text = dict(pages(WORDS["en"]))["commands"]
    parts = re.split(r"^## preact (\w+)$", text, flags=re.MULTILINE)
    told = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert list(told) == list(COMMANDS)
    for name in COMMANDS:
        # what its own `--help` lists, one option a line
        with pytest.raises(SystemExit):
            make_parser([name]).parse_args([name, "--help"])
        options = re.findall(r"^  (--[\w-]+)", capsys.readouterr().out, re.M)
        for option in {*options} - {"--help"}:
            assert re.search(rf"^`.*{option}\b", told[name], re.M), option


def test_a_name_leads_to_its_entry_if_it_can_mean_only_one():
    for text, address in [
        ("preact.plan.cifar_plan", "api/plan#preact.plan.cifar_plan"),
        ("plan.cifar_plan(...)", "api/plan#preact.plan.cifar_plan"),
        ("cifar_plan", "api/plan#preact.plan.cifar_plan"),
        ("preact.cifar_plan", "api/plan#preact.plan.cifar_plan"),
        ("preact.plan.makers.cifar_plan", "api/plan#preact.plan.cifar_plan"),
        ("UnitSpec", "api/spec#preact.spec.UnitSpec"),
        (
            "UnitSpec.is_identity_after",
            "api/spec#preact.spec.UnitSpec.is_identity_after",
        ),
        ("preact.train", "api/train#api-train"),
        ("data.load", "api/data#preact.data.load"),
        ("preact.load", "api/weights#preact.weights.load"),
        ("load", None),  # of data or of weights
        ("propagate", None),  # of either engine
        ("train", None),  # a folder, a word
        ("Network", None),  # without an import
        ("x_l", None),
        ("nn.Linear", ELSEWHERE["torch.nn.Linear"]),
    ]:
        assert entry_address(text, {}) == address


def test_a_name_that_the_chapter_imports_means_what_it_imports():
    imported = {"load": "preact.data.load", "Network": "preact.nn.Network"}
    assert entry_address("load", imported) == "api/data#preact.data.load"
    assert entry_address("Network(plan)", imported).endswith(".nn.Network")


def test_what_is_linked_elsewhere_is_there():
    for path in ELSEWHERE:
        module, _, name = path.rpartition(".")
        assert hasattr(importlib.import_module(module), name), path


def room_page(path):
    return room_text(rooms()[path], WORDS["en"])


def test_the_values_of_a_parameter_are_shown_as_they_are_written():
    page = room_page("preact.plan")
    assert '[`"fan-in"` \\| `"fan-out"`]' in page
    assert '[`None` \\| `"pad"` \\| `"conv"` \\| `"conv BN"`]' in page
    assert '[`"conv1x1"` \\| `"two conv3x3"`]' in room_page("preact.spec")


def test_an_empty_string_is_code_in_the_reference():
    page = room_page("preact.records")
    assert '`""` in records older than it' in page


def test_a_string_of_code_keeps_its_quotes_in_the_reference():
    page = room_page("preact.experiment")
    assert '`"cpu"`, `"cuda"` or `"cuda:<number>"`.' in page
    assert "(N, c_out, H′, W′)" in room_page("preact.reference")


def test_an_argument_without_a_word_on_it_has_no_colon():
    assert "\n: \n" not in commands_text(WORDS["en"]) + "\n"
