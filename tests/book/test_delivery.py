"""The notebooks that readers get, and what they need to run."""

import ast
import builtins
import re
import shutil
import sys
import tomllib
from base64 import b64decode
from functools import cache
from itertools import pairwise

import nbformat
import pytest

from book.tools import places
from book.tools.myst import tokens
from book.tools.notebooks import as_images, notebook
from book.tools.plain import Page, plain
from paths import ROOT
from preact.figures.variants import luminance
from preact.strings import EDITIONS

CHAPTERS = [
    path
    for path in sorted(ROOT.glob("book/*/*.md"))
    if "{code-cell}" in path.read_text("utf-8")
]
# What a notebook's Markdown does not know.
RAW = {
    "myst_role",
    "myst_target",
    "myst_line_comment",
    "colon_fence",
    "dl_open",
    "span_open",
    "footnote_ref",
    "math_block_label",
}


def read(text):
    return nbformat.reads(text, as_version=4)


@cache
def cells_of(path):
    """The cells of a chapter's notebook, to be read only."""
    return read(notebook(path)).cells


def raw_markup(text):
    """What of the book's own Markdown a text still holds."""
    return [
        token.content or token.type
        for token in tokens(text)
        if token.type in RAW
        or (token.type == "fence" and token.info.startswith("{"))
        or re.search(r"\{[\w:]+\}`|^:::", token.content or "", re.MULTILINE)
    ]


@pytest.fixture(autouse=True)
def nobody_says_where_the_book_is(monkeypatch):
    for name in ("GITHUB_REPOSITORY", "GITHUB_REF_NAME", "SITE_URL"):
        monkeypatch.delenv(name, raising=False)


SOLUTION = r"^:::{solution-start}(?s:.*?)^:::{solution-end}"


def test_a_notebook_has_the_chapters_code_and_plain_text():
    """Every sixth page: three editions are made by one program."""
    for path in CHAPTERS[::6]:
        book = read(notebook(path, site="https://a.example/book"))
        code = [c for c in book.cells if c.cell_type == "code"]
        text = re.sub(SOLUTION, "", path.read_text("utf-8"), flags=re.M)
        found = re.findall(r"^```{code-cell}", text, re.M)
        assert len(code) == len(found) + 1  # the first gets the package
        for cell in book.cells:
            assert not cell.get("outputs")
            if cell.cell_type == "markdown":
                assert raw_markup(cell.source) == []


def test_a_number_is_the_printed_one_or_said_to_be_printed():
    text = "It is {glue:text}`a-number`."
    path = ROOT / "book/en/01-why.md"
    assert plain(text, Page(path)) == "It is `a-number` (folded above)."
    page = Page(path, printed={"a-number": "7 %"})
    assert plain(text, page) == "It is 7 %."


def test_publications_are_numbered_and_listed():
    page = Page(ROOT / "book/en/01-why.md")
    text = (
        "A {footcite:p}`ioffe2015batch`, {footcite:t}`he2016deep`, "
        "{footcite:p}`ioffe2015batch`."
    )
    assert plain(text, page) == "A [1], He et al. [2], [1]."
    listed = plain("```{footbibliography}\n```\n", page)
    assert listed.startswith("[1] Sergey Ioffe and Christian Szegedy")
    assert "[2] Kaiming He" in listed
    assert "1512" in listed


def test_what_a_page_hides_is_folded_in_a_notebook():
    book = read(notebook(ROOT / "book/en/05-shortcuts.md"))
    words = [c.source for c in book.cells if c.cell_type == "markdown"]
    text = "\n".join(words)
    assert text.count("### Exercise 5.") == text.count("Hint: the idea") == 6
    assert "<details><summary>Hint: the idea</summary>\n\nEach of" in text
    folded = re.sub(r"<details>(?s:.*?)</details>", "", text)
    assert "The factors are exchanged." in text
    assert "The factors are exchanged." not in folded
    assert "## Exercises\n\n### Exercise 5.1. " in text
    assert "{claim}" not in text


def test_who_runs_all_cells_is_shown_no_solution():
    for path in CHAPTERS:
        cells = cells_of(path)
        code = [c.source for c in cells if c.cell_type == "code"]
        assert not any("assert check(" in source for source in code)
        text = "\n".join(c.source for c in cells if c.cell_type != "code")
        assert "{number}" not in text  # a section has its title here
        folds = re.findall(r"<details>(?s:.*?)</details>", text)
        solved = sum("assert check(" in fold for fold in folds)
        assert solved == path.read_text("utf-8").count("assert check(")


def names(code):
    """What code binds, and what it uses."""
    bound, used = set(), set()
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.Name(id=name) | ast.arg(arg=name):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                bound.add(other or name.partition(".")[0])
    return bound, used


def test_what_runs_and_each_solution_need_only_what_has_run_before():
    for path in CHAPTERS:
        if path.parent.name != "en":
            continue
        known = {*dir(builtins)}
        for cell in cells_of(path)[2:]:
            folded = cell.cell_type == "markdown"
            code = [cell.source]
            if folded:
                shown = cell.source.partition("<summary>Solution<")[2]
                code = re.findall(r"^```python\n(.*?)^```", shown, re.S | re.M)
            for one in code:
                bound, used = names(one)
                assert used <= known | bound, (path.stem, one)
                known |= set() if folded else bound


def test_a_function_is_to_be_written_with_its_signature_or_repaired():
    written = repaired = 0
    for path in CHAPTERS:
        for before, cell in pairwise(cells_of(path)):
            begun = cell.source.startswith("def ")
            own = '"""' in cell.source  # the chapter's
            if not begun or own or "\n\n\ncheck(" not in cell.source:
                continue
            code, _, asked = cell.source.rpartition("\n\n\n")
            text = before.source.rpartition("### ")[2]
            if asked.endswith(", ...)"):
                assert f"```python\n{code}\n```" in text
                repaired += 1
                continue
            head = code.removesuffix(":\n    raise NotImplementedError")
            call = head.removeprefix("def ")
            assert asked.endswith(f", {call.partition('(')[0]})")
            assert f"`{call}`" in text
            written += 1
    assert written > repaired > len(EDITIONS)


def test_a_term_is_bold_and_what_is_folded_keeps_its_distance():
    page = Page(ROOT / "book/en/01-why.md")
    assert plain("Tap\n: where it leaves", page) == (
        "- **Tap**<br>\n  where it leaves"
    )
    text = ":::{admonition} More\n:class: dropdown\nA.\n:::\n\nB.\n"
    folded = "<details><summary>More</summary>\n\nA.\n\n</details>"
    assert plain(text, page) == f"{folded}\n\n<br>\n\nB.\n"


def test_no_open_text_behind_a_prediction_is_the_answer():
    cells = read(notebook(ROOT / "book/en/01-why.md")).cells
    (place,) = (
        i for i, cell in enumerate(cells) if "conceal=True" in cell.source
    )
    texts = [c.source for c in cells[place:] if c.cell_type == "markdown"]
    told, _, _ = "\n".join(texts).partition("\n## ")
    assert told.startswith(
        "<details><summary>Result (to guess first, run the cell"
    )
    assert told.rstrip().endswith("</details>")
    assert "at 0.1, and behind\nboth at 0.01" in told


def test_a_notebook_links_to_notebooks_that_are_there():
    for path in CHAPTERS:
        there = ROOT / "notebooks" / path.parent.name
        for name in re.findall(r"\]\(([\w-]+\.ipynb)\)", notebook(path)):
            assert (there / name).exists()


def test_a_question_of_the_playground_names_its_settings_in_its_notebook():
    here, elsewhere = (
        notebook(ROOT / f"book/en/{name}.md")
        for name in ("playground", "01-why")
    )
    assert "](#playground?playground.b.row=original&playground.b.seed=1)" in (
        here
    )
    there = "[in the playground](playground.ipynb) (there set"
    assert f"{there} `a.row=original, b.row=original, b.shortcut=0`)" in (
        elsewhere
    )


def test_a_stored_drawing_is_as_plain_on_a_dark_page_as_on_a_light_one():
    shown = as_images('<svg aria-label="A line"><path d="M0 0h9"/></svg>')
    code = b64decode(re.search(r"base64,([^\"]+)", shown)[1]).decode()
    assert "background" not in code
    ink = luminance(re.search(r"color:(#\w{6})", code)[1])
    light, dark = (
        1.05 / (ink + 0.05),
        (ink + 0.05) / (luminance("#111111") + 0.05),
    )
    assert min(light, dark) > 4.2


def test_the_first_cell_promises_no_place_that_is_not_there(
    monkeypatch, capsys
):
    for repository, site, address in [
        ("", "", None),
        ("a/b", "", "git+https://github.com/a/b"),
        ("a/b", "https://a.example/b/", "https://a.example/b/_wheel/"),
    ]:
        monkeypatch.setenv("GITHUB_REPOSITORY", repository)
        monkeypatch.setenv("SITE_URL", site)
        path = ROOT / "book/zh-Hans/01-why.md"
        title, first = read(notebook(path, places.package_address())).cells[:2]
        assert title.source.startswith("# ")
        assert first.id == "install"
        if address:
            asked = f'%pip install -q "preact-resnet[notebook] @ {address}'
            assert asked in first.source
        else:
            assert "%pip install -q" not in first.source
            assert "http" not in first.source
            with monkeypatch.context() as missing:
                missing.setitem(sys.modules, "preact", None)
                with pytest.raises(ModuleNotFoundError):
                    exec(first.source, {})
            _, command, _ = capsys.readouterr().out.strip().split("\n")
            assert command.strip().startswith("%pip install")
            assert places.wheel_name() in command


def test_the_repository_is_a_setting(tmp_path, monkeypatch):
    config = tmp_path / "_config.yml"
    for setting, name in [
        ("title: A\n", ""),
        ("repository:\n  url: ''\n", ""),
        ("repository:\n  url: https://github.com/a/b.git\n", "a/b"),
    ]:
        config.write_text(setting, "utf-8")
        assert places.repository(tmp_path) == name
    config.write_text("repository:\n  url: https://example.org/a\n", "utf-8")
    with pytest.raises(ValueError, match=r"got 'https://example.org/a'"):
        places.repository(tmp_path)
    monkeypatch.setenv("GITHUB_REPOSITORY", "c/d")
    assert places.repository(tmp_path) == "c/d"


def pins(path):
    return dict(
        line.partition(";")[0].split("==")
        for line in path.read_text("utf-8").splitlines()
        if "==" in line and not line.startswith("#")
    )


def test_binder_has_what_the_package_needs_at_the_books_versions():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {re.split("[>=<]", one)[0] for one in project["dependencies"]}
    binder = pins(ROOT / "binder/requirements.txt")
    book = pins(ROOT / "requirements.txt")
    assert set(binder) == needed | {"anywidget", "matplotlib"}
    for name, version in binder.items():
        assert version.removesuffix("+cpu") == book[name]
    post = ROOT / "binder/postBuild"
    assert "pip install --no-deps ." in post.read_text("utf-8")
    assert shutil.which(str(post)), "postBuild must be executable"
