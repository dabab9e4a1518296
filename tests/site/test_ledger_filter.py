"""The ledger narrowed in the page: by kind, by chapter and by words."""

from book.tools.claims import read_claims

CLAIMS = read_claims()
FORM = ".preact-ledger-filter"


def shown(page):
    """Ids of the entries that can be seen."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".claim-entry")]
          .filter((one) => one.offsetParent).map((one) => one.id)"""
    )


def wanted(**what):
    return [
        f"claim-{claim.id}"
        for claim in CLAIMS.values()
        if all(getattr(claim, key) == value for key, value in what.items())
    ]


def test_without_a_script_the_whole_ledger_is_there(open_page):
    page = open_page("/en/claims.html", java_script_enabled=False)
    assert page.locator(".claim-entry:visible").count() == len(CLAIMS)
    assert page.locator(f"{FORM} :visible").count() == 0


def test_kind_chapter_and_words_narrow_the_ledger(open_page):
    page = open_page("/zh-Hans/claims.html")
    assert len(shown(page)) == len(CLAIMS)
    page.select_option(f"{FORM} select[name=kind]", "proved")
    assert sorted(shown(page)) == sorted(wanted(kind="proved"))
    page.select_option(f"{FORM} select[name=chapter]", "claims-gradient")
    assert sorted(shown(page)) == sorted(
        wanted(kind="proved", chapter="03-gradient")
    )
    page.fill(f"{FORM} input", "EQ-8")
    assert shown(page) == ["claim-eq-8"]
    said = page.locator(f"{FORM} [role=status]")
    assert "1" in said.text_content()
    page.fill(f"{FORM} input", "xyzzy")
    assert shown(page) == []
    page.click(f"{FORM} button[type=reset]")
    page.wait_for_function(
        "n => document.querySelector('.preact-ledger-filter [role=status]')"
        ".textContent.split(String(n)).length > 2",
        arg=len(CLAIMS),
    )
    assert len(shown(page)) == len(CLAIMS)
    assert page.problems == []


def test_the_count_of_a_kind_leads_to_just_these(open_page):
    page = open_page("/en/claims.html")
    page.locator(".claim-kinds a.claim-disputed").click()
    page.wait_for_selector(f"{FORM}[data-live]")
    assert sorted(shown(page)) == sorted(wanted(kind="disputed"))


def test_a_link_to_a_hidden_claim_shows_it(open_page):
    page = open_page("/en/claims.html?ledger.kind=disputed")
    page.evaluate("location.hash = 'claim-eq-5'")
    page.wait_for_function(
        "document.getElementById('claim-eq-5').offsetParent !== null"
    )
