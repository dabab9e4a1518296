"""What a page waits for: its sheets, as two files."""

import re

import pytest

from book.site.loading import join_sheets

HEAD = """<html lang="en" data-theme="light"><head>
<link href="{up}_static/styles/theme.css?digest=1" rel="stylesheet" />
<link href="{up}_static/styles/bold.css" rel="stylesheet" />
<link rel="stylesheet" type="text/css" href="{up}_static/book.css?v=2" />
<link media="print" rel="stylesheet" href="{up}_static/sheets/print.css" />
<script defer="defer" src="{up}_static/page.js"></script>
</head><body><p>Text</p></body></html>"""
FILES = {
    "styles/theme.css": '@import "../basic.css";',
    "basic.css": "p{margin:0}",
    "styles/bold.css": '@charset "UTF-8";b{src:url(../fonts/a.woff2?1)}',
    "book.css": "i{mask:url('icon.svg');x:url(data:image/png;base64,AA)}",
    "sheets/print.css": "@page{margin:1cm}",
    "unused.css": "u{color:red}",
    "page.js": "page()",
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
    join_sheets(tmp_path)
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


def test_no_sheet_is_left_that_no_page_loads(joined):
    _, _, folder = joined
    left = {
        path.relative_to(folder / "_static").as_posix()
        for path in folder.glob("_static/**/*")
        if path.is_file() and path.parent.name != "joined"
    }
    assert left == {"page.js"}
