"""Chapter 08 in a browser: units taken out and exchanged."""

import pytest

from built import query

CHAPTER = "/en/08-paths.html"


@pytest.fixture
def page(open_page):
    return open_page(CHAPTER)


def order_of(host):
    """The units in sight, and what is said of them."""
    cards = host.locator("ol.units li label").all_inner_texts()
    return [int(card.split()[-1]) for card in cards], host.locator(
        "[aria-live]"
    ).inner_text()


def errors_of(host):
    return host.locator("tbody td:nth-child(3)").all_inner_texts()


def test_a_switched_off_unit_changes_the_errors_and_comes_back(page):
    host = page.locator(".preact-subnetworks")
    whole = errors_of(host)
    assert whole == host.locator("tbody td:last-child").all_inner_texts()
    host.get_by_role("checkbox", name="unit 0").uncheck()
    changed = errors_of(host)
    assert all(a != b for a, b in zip(whole, changed, strict=True))
    host.get_by_role("checkbox", name="unit 0").check()
    assert errors_of(host) == whole
    for box in host.locator("[type=checkbox]").all():
        box.uncheck()
    assert order_of(host)[1].startswith("Order without any unit.")
    assert errors_of(host) != whole


def test_units_are_exchanged_by_keys_and_the_focus_goes_with_them(page):
    host = page.locator(".preact-subnetworks")
    whole = errors_of(host)
    host.get_by_label("Exchange unit 1 with the one after it").focus()
    for order in ([0, 2, 1, 3, 4, 5], [0, 2, 3, 1, 4, 5]):
        page.keyboard.press("Enter")
        found, said = order_of(host)
        assert found == order
        assert said.startswith(f"Order {', '.join(map(str, order))}.")
    assert errors_of(host) != whole
    page.keyboard.press("Shift+Tab")  # the other button of the same unit
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert order_of(host)[0] == [0, 1, 2, 3, 4, 5]
    assert errors_of(host) == whole
    assert query(page) == ""


def test_what_is_taken_out_is_stepped_over(page):
    host = page.locator(".preact-subnetworks")
    host.get_by_role("checkbox", name="unit 1").uncheck()
    first = host.get_by_label("Exchange unit 0 with the one before it")
    first.dispatch_event("click")
    assert first.get_attribute("aria-disabled") == "true"
    host.get_by_label("Exchange unit 0 with the one after it").click()
    found, said = order_of(host)
    assert found == [2, 1, 0, 3, 4, 5]
    assert said.startswith("Order 2, 0, 3, 4, 5.")


def test_an_order_stands_in_the_address_and_is_taken_back(open_page, page):
    host = page.locator(".preact-subnetworks")
    whole = errors_of(host)
    host.locator("[name=shuffle]").click()
    host.get_by_role("checkbox", name="unit 4").uncheck()
    shuffled = order_of(host), errors_of(host)
    again = open_page(f"{CHAPTER}?{query(page)}").locator(
        ".preact-subnetworks"
    )
    assert (order_of(again), errors_of(again)) == shuffled
    again.locator("[name=reset]").click()
    assert order_of(again)[0] == [0, 1, 2, 3, 4, 5]
    assert errors_of(again) == whole
    assert query(again.page) == ""


@pytest.mark.parametrize("order", ["01234", "001234"])
def test_what_is_no_order_is_ignored(open_page, order):
    page = open_page(f"{CHAPTER}?subnetworks.order={order}")
    host = page.locator(".preact-subnetworks")
    assert order_of(host)[0] == [0, 1, 2, 3, 4, 5]
    assert page.problems == []
