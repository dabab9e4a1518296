"""How a page looks, as far as a number can say it."""

import pytest

from preact.strings import LANGUAGES

PAGE = "/{}/02-signal.html"


def test_english_text_is_set_in_the_face_that_the_site_brings(open_page):
    page = open_page(PAGE.format("en"))
    faces = [url for url in page.requested if "source-serif-4" in url]
    assert len(faces) == 3
    assert (
        page.evaluate("""async () => (await document.fonts.ready,
        [...document.fonts].filter((face) => face.status == "loaded"
          && face.family.includes("Source Serif 4")).length)""")
        == 3
    )


@pytest.mark.parametrize("language", ["zh-Hans", "zh-Hant"])
def test_a_chinese_page_asks_for_no_face_that_it_does_not_use(
    open_page, language
):
    page = open_page(PAGE.format(language))
    assert not [url for url in page.requested if "source-serif-4/" in url]


@pytest.mark.parametrize("width", [1280, 1920])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_of_running_text_is_no_longer_than_an_eye_can_follow(
    open_page, language, width
):
    page = open_page(
        PAGE.format(language), viewport={"width": width, "height": 900}
    )
    widest = page.evaluate(
        """Math.max(...[...document.querySelectorAll(
          ".bd-article section > p")].map((p) => p.clientWidth))"""
    )
    assert 500 <= widest <= 42 * 16


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_mark_behind_a_heading_takes_no_line_of_its_own(
    open_page, language
):
    page = open_page(
        PAGE.format(language), viewport={"width": 390, "height": 800}
    )
    grown = page.evaluate(
        """[...document.querySelectorAll(".bd-article :is(h1, h2, h3)")]
        .filter((heading) => {
          const high = heading.clientHeight;
          const mark = heading.querySelector(".headerlink");
          mark.style.display = "none";
          return heading.clientHeight != high;
        }).length"""
    )
    assert grown == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_switch_keeps_the_section_that_is_read(open_page, language):
    page = open_page(PAGE.format(language))
    for _ in range(2):  # what is drawn late moves the page
        page.evaluate(
            "document.getElementById('signal-growth').scrollIntoView()"
        )
        page.wait_for_timeout(1500)
    other = next(code for code in LANGUAGES if code != language)
    page.evaluate(
        "code => document.querySelector("
        "`.language-switch a[hreflang=${code}]`).click()",
        other,
    )
    page.wait_for_url(
        f"**{PAGE.format(other)}#signal-growth", wait_until="commit"
    )
    page.locator("section#signal-growth > h2").wait_for(state="attached")


def loaded(page):
    page.wait_for_load_state("load")
    return page


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_section_has_the_address_that_it_has_in_english(
    open_page, language
):
    addresses = [
        loaded(open_page(PAGE.format(code))).evaluate(
            """[...document.querySelectorAll(".bd-article section[id]")]
            .map((section) => section.id)"""
        )
        for code in ("en", language)
    ]
    assert addresses[0] == addresses[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_chapter_offers_its_notebook(open_page, language):
    page = open_page(PAGE.format(language))
    link = page.locator(".btn-download-source-button")
    assert link.get_attribute("href") == "_notebooks/02-signal.ipynb"
    answer = page.request.get(
        page.url.rsplit("/", 1)[0] + "/_notebooks/02-signal.ipynb"
    )
    assert answer.json()["nbformat"] == 4


def test_the_menu_of_the_header_answers_to_mouse_and_keys(open_page):
    page = open_page(PAGE.format("en"))
    button = page.locator("[data-bs-toggle='dropdown']").first
    menu = button.locator("xpath=..").locator(".dropdown-menu")
    page.mouse.move(300, 500)
    assert not menu.is_visible()
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    focused = page.evaluate("document.activeElement.closest('.dropdown-menu')")
    assert focused is not None
    page.keyboard.press("Escape")
    assert button.get_attribute("aria-expanded") == "false"
    assert page.evaluate("document.activeElement.ariaExpanded") == "false"
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    page.mouse.click(300, 500)
    assert button.get_attribute("aria-expanded") == "false"


def test_every_button_of_the_header_has_a_name_to_see(open_page):
    page = open_page(PAGE.format("en"))
    nameless = page.evaluate(
        """[...document.querySelectorAll("[data-bs-toggle='tooltip']")]
        .filter((button) => !button.title).length"""
    )
    assert nameless == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_readout_sets_indices_and_powers(open_page, language):
    page = open_page(f"/{language}/03-gradient.html")
    facts = page.locator(".preact-stack .facts")
    assert facts.locator("sup").inner_text() == "L"
    assert "L" in facts.locator("sub").all_inner_texts()
    assert "^" not in facts.inner_text()
    assert "_" not in facts.inner_text()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_letters_of_the_memory_planner_do_not_shrink(open_page, width):
    page = open_page(
        "/en/08-training.html", viewport={"width": width, "height": 800}
    )
    sizes = page.evaluate(
        """[...document.querySelectorAll(".preact-planner svg text")]
        .map((text) => parseFloat(getComputedStyle(text).fontSize)
          * text.getScreenCTM().a)"""
    )
    assert min(sizes) >= 12
    assert page.evaluate(
        """[...document.querySelectorAll(".preact-planner svg")].every((svg) =>
          [...svg.querySelectorAll("text")].every((text) =>
            text.getBoundingClientRect().right
              <= svg.getBoundingClientRect().right + 1))"""
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_results_of_the_cover_can_be_read_on_a_phone(open_page, language):
    """Nothing to scroll sideways, and the five units in a row's few lines."""
    page = open_page(
        f"/{language}/index.html", viewport={"width": 360, "height": 800}
    )
    tables = page.locator("#index-results .preact-table")
    assert tables.count() == 2
    for table in tables.all():
        wide = "(box) => box.scrollWidth - box.parentElement.clientWidth"
        assert table.evaluate(wide) <= 1
    lines = tables.first.evaluate(
        """(table) => Math.max(...[...table.querySelectorAll("tbody tr")]
          .map((row) => row.getBoundingClientRect().height
            / parseFloat(getComputedStyle(row).lineHeight)))"""
    )
    assert lines <= 5.5
