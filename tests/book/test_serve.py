"""A chapter that is saved is seen: the rebuilding of one edition."""

import socket

import pytest
from sphinx.cmd.build import build_main

from book.site.editions import one_edition
from book.tools import serve
from book.tools.serve import deliver, main


def test_a_rebuilt_page_is_finished_and_the_others_stay(tmp_path):
    built, site = tmp_path / "built", tmp_path / "site"
    for folder in (built, site / "zh-Hant"):
        folder.mkdir(parents=True)
    (site / "zh-Hant/02-signal.html").write_text("old")
    page = built / "01-why.html"
    page.write_text('<summary aria-label="more">new</summary>', "utf-8")
    deliver([page], "zh-Hant", site)
    made = (site / "zh-Hant/01-why.html").read_text("utf-8")
    assert made == "<summary>new</summary>"
    assert "aria-label" in page.read_text("utf-8")
    assert (site / "zh-Hant/02-signal.html").read_text() == "old"


def test_an_edition_that_is_not_there_is_named_with_those_that_are():
    assert main("fr") == (
        "the edition must be one of en, zh-Hans, zh-Hant; got fr"
    )


def test_without_a_site_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(serve, "SITE", tmp_path)
    assert main("en") == "there is no site yet: run `make book` first"


def test_a_port_that_is_taken_or_none_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(serve, "SITE", tmp_path)
    (tmp_path / "index.html").write_text("")
    assert main("en", "80 80").endswith("from 1 to 65535; got 80 80")
    with socket.create_server(("localhost", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = main("en", port)
    assert told.startswith(f"port {port}: Address already in use")
    assert told.endswith("try `make serve PORT=8001`")


@pytest.mark.parametrize("edition", ["en", "zh-Hans"])
def test_one_edition_is_built_where_the_whole_site_builds_it(
    tmp_path, edition
):
    options = one_edition(edition, tmp_path)
    assert options["sourcedir"].endswith(f"book/{edition}")
    assert options["outputdir"] == str(tmp_path / "html")
    assert options["doctreedir"] == str(tmp_path / "trees")


PROJECT = """
from pathlib import Path
from book.site.editions import fingerprint
html_static_path = ["_static"]
html_js_files = ["script.js"]
def setup(app):
    parts = fingerprint(Path("{static}"))
    app.add_config_value("page_parts", parts, "html")
"""


def test_a_changed_script_alone_is_built_anew(tmp_path):
    source, built = tmp_path / "source", tmp_path / "built"
    script = source / "_static/script.js"
    script.parent.mkdir(parents=True)
    (source / "index.rst").write_text("Page\n====\n")
    (source / "conf.py").write_text(
        PROJECT.format(static=script.parent.as_posix())
    )
    pages = []
    for text in ("let a;", "let b;"):
        script.write_text(text)
        assert build_main(["-q", str(source), str(built)]) == 0
        assert (built / "_static/script.js").read_text() == text
        pages.append((built / "index.html").read_text("utf-8"))
    assert pages[0] != pages[1]  # each names the script that it loads
