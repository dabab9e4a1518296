"""The address of a page holds what its explorers show."""

from urllib.parse import parse_qs

import pytest

from built import address, query, reload, settle

# Chapter, explorer, what is done to it, and what the address then says.
STATES = [
    (
        "02-signal",
        ".preact-growth",
        "slider menu",
        {"growth.units", "growth.row"},
    ),
    (
        "playground",
        ".preact-playground",
        "menu",
        {"playground.steps"},
    ),
    ("04-units", ".preact-builder", "radio", None),
    ("07-depth", ".preact-training", "slider", {"training.1"}),
    ("08-paths", ".preact-subnetworks", "checkbox", {"subnetworks.1"}),
]
CHANGE = """(host, kinds) => {
  const tell = (field) => ["input", "change"].forEach((name) =>
    field.dispatchEvent(new Event(name, { bubbles: true })));
  const find = (what) => host.querySelector(what);
  for (const kind of kinds.split(" ")) {
    const field = find({ menu: "select", slider: "[type=range]",
      checkbox: "[type=checkbox]",
      radio: "[type=radio]:not(:checked)" }[kind]);
    if (kind == "menu")
      field.selectedIndex = (field.selectedIndex + 1) % field.options.length;
    else if (kind == "slider") field.stepDown();
    else field.checked = !field.checked;
    tell(field);
  }
}"""
# All that a reader can see or hear of it.
SHOWN = """(host) => [host, ...host.querySelectorAll("*")].map((one) =>
  [one.checkVisibility(), one.value, one.checked, one.getAttribute("d"),
   one.getAttribute("aria-label"), one.getAttribute("aria-valuetext"),
   one.children.length ? "" : one.textContent].join())"""


def asked(page):
    """Names of the settings that the address holds."""
    return set(parse_qs(query(page)))


@pytest.mark.parametrize(("chapter", "host", "kinds", "names"), STATES)
def test_what_was_set_is_there_when_the_page_is_loaded_again(
    open_page, chapter, host, kinds, names
):
    page = open_page(f"/en/{chapter}.html")
    explorer = page.locator(host).first
    first = explorer.evaluate(SHOWN)
    explorer.evaluate(CHANGE, kinds)
    settle(page)
    changed = explorer.evaluate(SHOWN)
    assert changed != first
    assert asked(page) == names if names else asked(page)
    again = open_page(address(page))
    assert again.locator(host).first.evaluate(SHOWN) == changed
    reload(page)
    settle(page)
    assert explorer.evaluate(SHOWN) == changed
    assert page.problems == again.problems == []


@pytest.mark.parametrize(
    ("chapter", "host", "bad"),
    [
        (
            "playground",
            ".preact-playground",
            "playground.a.lr=0.2&playground.b.tail=%00&playground.pinned="
            "original,1,none,20,0.1,0;original,1,none,20,0.1,21",
        ),
        (
            "02-signal",
            ".preact-growth",
            "growth.pinned=original,50,33,0&growth.units=0&growth.width=abc"
            "&growth.row=none&growth.seed=1e1&growth.x=1&growth2.units=3",
        ),
    ],
)
def test_what_an_address_says_wrongly_is_ignored(
    open_page, chapter, host, bad
):
    plain = open_page(f"/en/{chapter}.html")
    page = open_page(f"/en/{chapter}.html?{bad}")
    shown = [x.locator(host).first.evaluate(SHOWN) for x in (plain, page)]
    assert shown[0] == shown[1]
    assert page.problems == []


def test_moves_that_follow_each_other_change_the_address_once(open_page):
    page = open_page("/en/04-units.html")
    page.evaluate("""() => {
      window.written = [];
      const write = history.replaceState;
      history.replaceState = function (...state) {
        written.push(state[2]);
        write.apply(history, state);
      };
    }""")
    page.locator(".preact-builder").first.evaluate(
        """(host) => {
          for (const field of host.querySelectorAll("[type=radio]"))
            field.click();
        }"""
    )
    page.wait_for_function("written.length")  # the moves rest
    address(page)
    assert page.evaluate("written.length") == 1


def test_a_link_that_follows_a_move_at_once_knows_it(open_page):
    page = open_page("/en/02-signal.html")
    link = ".language-switch a[hreflang=zh-Hans]"
    with page.expect_navigation(url="**/zh-Hans/**"):  # not the address alone
        page.evaluate(
            """(link) => setTimeout(() => {
          const units = document.querySelector(".preact-growth [name=units]");
          units.value = 80;
          units.dispatchEvent(new Event("change", { bubbles: true }));
          document.querySelector(link).click();
        })""",
            link,
        )
    assert asked(page) == {"growth.units"}


def test_a_pinned_curve_is_part_of_the_view(open_page):
    page = open_page("/en/02-signal.html")
    growth = page.locator(".preact-growth")
    growth.locator("[name=row]").select_option("original")
    growth.locator("[name=pin]").click()
    growth.locator("[name=row]").select_option("bn-after-addition")
    settle(page)
    shown = growth.evaluate(SHOWN)
    again = open_page(address(page)).locator(".preact-growth")
    assert again.locator("svg .pinned").count() == 1
    assert again.evaluate(SHOWN) == shown
    growth.locator("[name=pin]").click()
    assert asked(page) == {"growth.row"}


LINES = "lines => lines.map(line => line.outerHTML)"


def test_the_runs_that_were_laid_over_each_other_are_part_of_the_view(
    open_page,
):
    page = open_page("/en/runs.html")
    runs = page.locator(".preact-runs")
    runs.locator("[name=clear]").click()
    runs.locator("[name=network]").select_option(index=2)
    runs.locator("[name=add]").click()
    drawn = runs.locator(".preact-figure svg .run").evaluate_all(LINES)
    again = open_page(address(page)).locator(".preact-runs .preact-figure")
    assert again.locator("svg .run").evaluate_all(LINES) == drawn
    assert again.locator("svg .run").count() > 0
