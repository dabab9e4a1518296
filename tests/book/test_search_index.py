"""What the index of the search holds of a page."""

import json

from book.site import search

PAGE = r"""<html><body><nav>Contents</nav><article class="bd-article">
<section id="gates"><h1>5. Gates<a class="headerlink">#</a></h1>
<p>A first word.</p><svg><text>tick</text></svg>
<section id="gates-one"><h2>5.1. One</h2>
<p>With <span class="math"><math><msubsup><mi>λ</mi><mrow><mi>l</mi><mo>+</mo>
<mn>1</mn></mrow><mi>L</mi></msubsup></math></span> and
<code><span>bn</span>_backward</code>.</p>
<div class="math"><div class="equation"><math><mfrac><mi>a</mi><mn>2</mn>
</mfrac></math></div>
<span class="eqno">(5.1)<a class="headerlink">#</a></span></div>
<div class="math"><math><msup><mn>2</mn><mi>L</mi></msup></math>
<span class="eqno">(1, 2)</span></div>
<div class="math"><math><mfrac><mn>1</mn><mrow><mn>1</mn><mo>+</mo><mi>v</mi>
</mrow></mfrac><mfrac><mn>1</mn><msqrt><mn>2</mn><mi>π</mi></msqrt></mfrac>
</math></div>
<pre>import numpy
for unit in stack_plan(units): unit</pre>
<div class="cell_output">printed</div></section>
<div class="exercise" id="gates-1"><p class="admonition-title">Exercise 5.1</p>
<section id="exercise-content"><p>Do it.</p></section></div>
<div class="solution"><p>Forty-two.</p></div>
</section></article></body></html>"""


def test_a_section_holds_its_own_text_and_no_output_label_or_solution():
    sections = {entry[0]: entry[1:] for entry in search.sections_of(PAGE)}
    assert list(sections) == ["gates", "gates-one", "gates-1"]
    assert sections["gates"] == ("5. Gates", "", "", "A first word.")
    _, equations, code, text = sections["gates-one"]
    assert equations == "(5.1) (1) (2)"
    assert code == "numpy unit stack_plan units"  # no word of the language
    for typed in ("λ_{l+1}^L", "a/2", "2^L", "1/(1+v)", "1/√(2π)"):
        assert typed in text
    assert "bn_backward" in text
    assert sections["gates-1"] == ("Exercise 5.1", "", "", "Do it.")
    for kept_back in ("Forty-two", "printed", "tick"):
        assert kept_back not in str(sections)
    assert list(search.sections_of("<html><body>404</body></html>")) == []


def test_an_entry_of_the_glossary_is_a_section_titled_by_its_name():
    page = """<article class="bd-article"><section id="glossary"><h1>Words</h1>
    <dl class="terms"><dt id="term-lr">rate <span class="math">η</span></dt>
    <dd><p>How far.</p></dd><dt id="term-l">layer</dt><dd><p>One.</p></dd></dl>
    </section></article>"""
    assert list(search.sections_of(page)) == [
        ("glossary", "Words", "", "", ""),
        ("term-lr", "rate", "", "", "η How far."),
        ("term-l", "layer", "", "", "One."),
    ]


def test_of_a_page_that_is_no_chapter_only_the_openings_are_kept(tmp_path):
    long = PAGE.replace("A first word.", "word " * 200)
    for name in ("01-why", "claims"):
        (tmp_path / f"{name}.html").write_text(long, "utf-8")
    search.write_index(tmp_path, "en")
    text = (tmp_path / search.INDEX).read_text("utf-8")
    index = json.loads(text.partition("detail:")[2].rpartition("}))")[0])
    assert [page[2] for page in index["pages"]] == [1, 0]
    lengths = [len(s[3]) for s in index["sections"] if s[1] == "gates"]
    assert lengths[0] > 900
    assert lengths[1] <= search.OPENING
