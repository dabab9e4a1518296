"""Ways through the site: languages, menus, tabs, folds, a page not there."""

from urllib.parse import urlsplit

import pytest

from book.tools.places import site_url
from built import LANGUAGES, SITE, load, reload


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("fr-FR", "en"),
        ("zh-CN", "zh-Hans"),
        ("zh-HK", "zh-Hant"),
    ],
)
def test_the_front_page_follows_the_browser(open_page, locale, language):
    page = open_page("/", locale=locale)
    page.wait_for_url(f"**/{language}/index.html")


def test_a_chosen_language_is_remembered_and_keeps_the_place(open_page, site):
    page = open_page("/en/04-units.html#units-bn")
    page.click(".language-switch a[hreflang='zh-Hant']")
    page.wait_for_url("**/zh-Hant/04-units.html#units-bn")
    assert page.locator("#units-bn").count() == 1
    page.goto(f"{site}/")
    page.wait_for_url("**/zh-Hant/index.html")


def test_the_switch_keeps_the_section_that_is_read(open_page):
    page = open_page("/en/02-signal.html")
    page.evaluate(
        """document.getElementById("signal-growth")
        .scrollIntoView({ behavior: "instant" })"""
    )
    link = page.locator(".language-switch a[hreflang=zh-Hans]")
    link.evaluate("link => link.click()")
    page.wait_for_url("**/zh-Hans/02-signal.html#signal-growth")
    page.locator("section#signal-growth > h2").wait_for(state="attached")


@pytest.mark.parametrize(
    ("base", "depth"), [("", ""), ("book/preact/", "en/deep/er/")]
)
def test_the_page_without_a_page_has_a_way_home(cold_page, base, depth):
    """At any depth, below any path, as a host serves it."""
    if site_url():  # then the path is known, and written into the page
        base = urlsplit(site_url()).path.strip("/") + "/"
    page = cold_page()

    def answer(route):
        path = urlsplit(route.request.url).path
        file = SITE / path.removeprefix(f"/{base}")
        if path.startswith(f"/{base}") and file.is_file():
            return route.fulfill(path=file)
        return route.fulfill(status=404, path=SITE / "404.html")

    page.route("**/*", answer)
    load(page, f"http://a.example/{base}{depth}none.html")
    for language in LANGUAGES:
        link = page.locator(f"p[lang={language}] a")
        address = f"http://a.example/{base}{language}/index.html"
        page.wait_for_function(
            "([a, address]) => a.href === address",
            arg=[link.element_handle(), address],
        )


def test_one_choice_of_engine_holds_for_all_tabs(open_page):
    page = open_page("/en/04-units.html")
    shown = page.locator(".sd-tab-content:visible")
    assert "forward(plan.pre" in shown.first.inner_text()
    page.locator("label", has_text="PyTorch").first.click()
    assert "self.pre(x)" in shown.first.inner_text()
    reload(page)
    assert "self.pre(x)" in shown.first.inner_text()


def test_the_menu_of_the_header_answers_to_mouse_and_keys(open_page):
    page = open_page("/en/02-signal.html")
    button = page.locator("[data-bs-toggle='dropdown']").first
    menu = button.locator("xpath=..").locator(".dropdown-menu")
    page.mouse.move(300, 500)
    assert not menu.is_visible()
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.closest('.dropdown-menu')")
    assert focused is not None
    page.keyboard.press("Escape")
    assert button.get_attribute("aria-expanded") == "false"
    assert page.evaluate("document.activeElement.ariaExpanded") == "false"
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    page.mouse.click(300, 500)
    assert button.get_attribute("aria-expanded") == "false"
