"""What a page loads: its sheets and scripts as few files, its faces early."""

import json
import re

import pytest

from book.site.loading import join_assets, opening

HEAD = """<html lang="en" data-theme="auto"><head>
<link href="{up}_static/styles/theme.css?digest=1" rel="stylesheet" />
<link href="{up}_static/styles/bold.css" rel="stylesheet" />
<link rel="stylesheet" type="text/css" href="{up}_static/book.css?v=2" />
<link media="print" rel="stylesheet" href="{up}_static/sheets/print.css" />
<link rel="preload" as="script" href="{up}_static/scripts/theme.js" />
<script src="{up}_static/documentation_options.js?v=1"></script>
<script src="{up}_static/copy.js?v=2"></script>
<script>OPTIONS.page = "a";</script>
<script defer="defer" src="{up}_static/engine/network.js?v=3"></script>
<script data-words="{{&quot;x&quot;: 1}}" defer="defer"
 src="{up}_static/charts.js?v=4"></script>
<script defer="defer" src="{up}_static/menus.js"></script>
</head><body><p>Text</p>
<script defer src="{up}_static/scripts/theme.js?digest=5"></script>
</body></html>"""
FILES = {
    "styles/theme.css": '@import "../basic.css";',
    "basic.css": "p{margin:0}",
    "styles/bold.css": '@charset "UTF-8";b{src:url(../fonts/a.woff2?1)}',
    "book.css": "i{mask:url('icon.svg');x:url(data:image/png;base64,AA)}",
    "sheets/print.css": "@page{margin:1cm}",
    "unused.css": "u{color:red}",
    "documentation_options.js": "const OPTIONS = {};",
    "copy.js": "copy()",  # no semicolon; the next begins with "("
    "engine/network.js": "network()",
    "charts.js": "charts()",
    "menus.js": "(menus)()",
    "scripts/theme.js": "theme()",
    "later.js": "later()",  # what a script asks for on use
}


@pytest.fixture(params=["", "../"])
def joined(request, tmp_path):
    """A page of an edition, at its root or below; its head; the folder."""
    for name, text in FILES.items():
        path = tmp_path / "_static" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    page = tmp_path / ("reference/a.html" if request.param else "a.html")
    page.parent.mkdir(exist_ok=True)
    page.write_text(HEAD.format(up=request.param), "utf-8")
    join_assets(tmp_path)
    return page, page.read_text("utf-8").split("</head>")[0], tmp_path


def contents(page, addresses):
    texts = [(page.parent / a).resolve().read_text("utf-8") for a in addresses]
    return [text.replace("\n", "") for text in texts]


def test_a_page_has_the_sheet_of_the_theme_and_one_more_in_their_order(joined):
    page, head, _ = joined
    sheets = re.findall(r'<link rel="stylesheet" href="([^"]*)"', head)
    assert contents(page, sheets) == [
        'p{margin:0}b{src:url("../fonts/a.woff2?1")}',
        'i{mask:url("../icon.svg");x:url(data:image/png;base64,AA)}'
        "@media print{@page{margin:1cm}}",
    ]


def test_scripts_are_the_engine_the_explorers_and_what_pages_share(joined):
    page, _, folder = joined
    text = page.read_text("utf-8")
    assert not re.search(r"<script[^>]*src=", text)  # the page waits for none
    told = json.loads(re.search(r"told=(\[\{.*?\}\]);", text)[1])
    found = [script.pop("src").split("?")[0] for script in told]
    assert contents(page, found) == [
        "network()",
        "charts()",
        "copy();(menus)();theme()",
    ]
    assert told == [{}, {"data-words": '{"x": 1}'}, {}]
    assert (folder / "_static/engine/network.js").exists()


def test_what_a_head_says_itself_is_read_before_its_sheets(joined):
    _, head, _ = joined
    before = head.split("<link")[0]
    options, page = "const OPTIONS = {};", 'OPTIONS.page = "a";'
    assert before.index(options) < before.index(page)


def test_no_file_is_left_that_no_page_loads(joined):
    _, _, folder = joined
    left = {
        path.relative_to(folder / "_static").as_posix()
        for path in folder.glob("_static/**/*")
        if path.is_file() and path.parent.name != "joined"
    }
    assert left == {"engine/network.js", "later.js"}


def test_a_page_without_scripts_is_light(joined):
    _, head, _ = joined
    assert head.startswith('<html lang="en" data-theme="light">')


@pytest.mark.parametrize(
    ("language", "shown", "faces"),
    [
        ("en", "<math>", ["400-normal", "600-normal", "book-math"]),
        ("en", "", ["400-normal", "600-normal"]),
        ("zh-Hans", "<math>", ["book-math"]),
    ],
)
def test_a_page_asks_early_for_the_faces_that_it_is_set_in(
    language, shown, faces
):
    link = '<link rel="stylesheet" href="_static/fonts.css?v=1" />'
    page = f'<html lang="{language}">\n{link}{shown}'
    asked = re.findall(
        r'"\.\./_vendor/[^"]*?([\w]+-\w+)\.woff2"', opening(page, "", [])
    )
    assert asked == faces
    assert '"../../_vendor/' in opening(page, "../", [])


def test_a_page_of_a_book_without_its_faces_asks_for_none():
    assert "_vendor" not in opening('<html lang="en">', "", [])
