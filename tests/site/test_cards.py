"""What a mark in the text refers to is shown beside it."""

import pytest

from built import load


@pytest.fixture
def card(cold_page, site):
    page = cold_page()  # a clock that was replaced stays so in its tab
    load(page, f"{site}/en/01-why.html")
    page.clock.install()

    def shown(selector):
        page.mouse.move(0, 0)
        page.locator(selector).first.hover()
        page.clock.run_for(1000)
        card = page.locator(".reference-card:popover-open")
        return card.inner_text() if card.count() else None

    shown.page = page
    return shown


def test_a_mark_shows_its_publication_or_the_scope_of_its_claim(card):
    assert "Deep residual learning" in card("[href='#footcite-he2016deep']")
    assert "learning rate 0.1" in card("#said-toy-plain")
    card.page.keyboard.press("Escape")
    assert not card.page.locator(".reference-card").is_visible()


def test_no_card_shows_a_figure_before_its_prediction(card):
    figure = "a.internal[href='#why-figure-rates']"
    assert not card.page.locator(figure).is_visible()
    card.page.locator(".waits [name=skip]").first.click()
    assert "Fig. 1.2" in card(figure)
