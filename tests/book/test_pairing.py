"""Which block of a page is paired with which block of another edition."""

import json

import pytest

from book.site.parallel import FOLDER, pair_page
from book.tools.serve import deliver
from preact.strings import LANGUAGES

PAGE = """<html><body><article class="bd-article">
<section id="why"><h1>{0}</h1>
<p>{0} one <a class="headerlink" id="x">#</a></p>
<div class="math"><math><mi>x</mi></math></div>
{1}
<div class="cell"><div class="cell_input"><p>{0} code</p></div></div>
<p>12.5</p><p>Eq. (5)</p>
</section></article></body></html>"""


def write(folder, bodies):
    for language, body in zip(LANGUAGES, bodies, strict=True):
        (folder / language).mkdir(parents=True, exist_ok=True)
        text = PAGE.format(language, body)
        (folder / language / "01-why.html").write_text(text, "utf-8")


def said(folder, language):
    text = (folder / FOLDER / language / "01-why.js").read_text("utf-8")
    return json.loads(text.partition("detail:")[2].rpartition("}))")[0])


def test_where_paragraphs_were_merged_the_place_is_paired_as_one(tmp_path):
    write(tmp_path, ["<p>a</p><p>b</p>", "<p>c</p>", "<p>d</p>"])
    assert pair_page(tmp_path, "01-why") == (6, 4)
    assert said(tmp_path, "en")[2] == "a<br>b"
    text = (tmp_path / "en/01-why.html").read_text("utf-8")
    assert '<p>a</p><p data-twin="2">b</p>' in text


@pytest.mark.parametrize("edition", LANGUAGES)
def test_a_page_that_is_rebuilt_is_paired_again(tmp_path, edition):
    write(tmp_path, [f"<p>{code} two</p>" for code in LANGUAGES])
    built = tmp_path / "built"
    built.mkdir()
    text = PAGE.format(edition, "<p>new</p>")
    (built / "01-why.html").write_text(text, "utf-8")
    deliver([built / "01-why.html"], edition, tmp_path)
    assert said(tmp_path, edition)[2] == "new"
    text = (tmp_path / edition / "01-why.html").read_text("utf-8")
    assert '<p data-twin="2">new</p>' in text
