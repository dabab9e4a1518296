"""The notebooks that readers get, and what they need to run."""

import ast
import re
import shutil
import tomllib

import nbformat
import pytest

from book.tools import places
from book.tools.myst import tokens
from book.tools.notebooks import notebook
from book.tools.plain import Page, plain
from paths import ROOT

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


def test_a_notebook_has_the_chapters_code_and_plain_text():
    """Every sixth page: three editions are made by one program."""
    for path in CHAPTERS[::6]:
        book = read(notebook(path, site="https://a.example/book"))
        code = [c for c in book.cells if c.cell_type == "code"]
        found = re.findall(r"^```{code-cell}", path.read_text("utf-8"), re.M)
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
    assert text.count("**Exercise 5.") == text.count("Hint: the idea") == 6
    assert "<details><summary>Hint: the idea</summary>\n\nEach of" in text
    folded = re.sub(r"<details>(?s:.*?)</details>", "", text)
    assert "The factors are exchanged." in text
    assert "The factors are exchanged." not in folded
    hidden = [c.source for c in book.cells if "jupyter" in c.metadata]
    assert any("def repaired" in code for code in hidden)
    assert not any(code == 'check("shortcuts-4", ...)' for code in hidden)
    assert "{claim}" not in text


def test_no_open_text_behind_a_prediction_is_the_answer():
    cells = read(notebook(ROOT / "book/en/01-why.md")).cells
    (place,) = (
        i for i, cell in enumerate(cells) if "conceal=True" in cell.source
    )
    texts = [c.source for c in cells[place:] if c.cell_type == "markdown"]
    told, _, _ = "\n".join(texts).partition("\n## ")
    assert told.startswith("<details><summary>Shown after your guess.")
    assert told.rstrip().endswith("</details>")
    assert "full pre-activation is the worst of the three" in told


def test_no_open_output_behind_a_prediction_is_the_answer():
    made = nbformat.reads(notebook(ROOT / "book/en/02-signal.md"), 4)
    codes = [cell for cell in made.cells if cell.cell_type == "code"]
    (asked,) = (i for i, c in enumerate(codes) if "conceal=True" in c.source)
    answer, unasked = codes[asked + 1], codes[asked + 2]
    assert "product of the w" in answer.source
    assert answer.metadata["jupyter"]["outputs_hidden"]
    assert "outputs_hidden" not in unasked.metadata.get("jupyter", {})
    handed = [cell for cell in codes if cell.source.startswith("glue(")]
    assert handed
    assert all(cell.metadata["jupyter"]["outputs_hidden"] for cell in handed)


def test_a_notebook_links_to_notebooks_that_are_there():
    for path in CHAPTERS:
        there = ROOT / "notebooks" / path.parent.name
        for name in re.findall(r"\]\(([\w-]+\.ipynb)\)", notebook(path)):
            assert (there / name).exists()


def test_the_first_cell_promises_no_place_that_is_not_there(monkeypatch):
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
            ast.parse(first.source)
            assert places.wheel_name() in first.source


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
