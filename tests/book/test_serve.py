"""A chapter that is saved is seen: the rebuilding of one edition."""

import pytest

from book.site.editions import one_edition
from book.tools import serve
from book.tools.serve import deliver, main


def test_a_rebuilt_page_is_finished_and_the_others_stay(tmp_path):
    built, site = tmp_path / "built", tmp_path / "site"
    for folder in (built, site / "zh-Hant"):
        folder.mkdir(parents=True)
    (site / "zh-Hant/02-signal.html").write_text("old")
    page = built / "01-why.html"
    page.write_text(
        '<p title="Copy to clipboard">new</p>'
        '<script src="_static/scripts/fontawesome.js"></script>',
        "utf-8",
    )
    deliver([page], "zh-Hant", site)
    made = (site / "zh-Hant/01-why.html").read_text("utf-8")
    assert "new" in made
    assert "fontawesome.js" not in made
    assert "fontawesome.js" in page.read_text("utf-8")
    assert (site / "zh-Hant/02-signal.html").read_text() == "old"


def test_an_edition_that_is_not_there_is_named_with_those_that_are():
    assert main("fr") == (
        "the edition must be one of en, zh-Hans, zh-Hant; got fr"
    )


def test_without_a_site_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(serve, "SITE", tmp_path)
    assert main("en") == "there is no site yet: run `make book` first"


@pytest.mark.parametrize("edition", ["en", "zh-Hans"])
def test_one_edition_is_built_where_the_whole_site_builds_it(
    tmp_path, edition
):
    options = one_edition(edition, tmp_path)
    assert options["sourcedir"].endswith(f"book/{edition}")
    assert options["outputdir"] == str(tmp_path / "html")
    assert options["doctreedir"] == str(tmp_path / "trees")
