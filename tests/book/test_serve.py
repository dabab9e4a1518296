"""A chapter that is saved is seen: the rebuilding of one edition."""

import socket

from book.tools import serve
from book.tools.serve import main


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
