"""From the keyboard alone, and without motion; axe asks `test_pages`."""

import pytest

from built import settle

# Sliders that do not say what is shown after a step down, or up again.
SILENT = """async (move) => {
  const sliders = [...document.querySelectorAll(".bd-article [type=range]")]
    .filter((slider) => slider.checkVisibility());
  for (const slider of sliders) {
    slider[move]();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  await new Promise((drawn) => requestAnimationFrame(() =>
    requestAnimationFrame(drawn)));
  return sliders.filter((slider) => {
    const shown = slider.parentElement.querySelector("output").textContent;
    return !shown || slider.ariaValueText !== shown.trim();
  }).map((slider) => slider.outerHTML.slice(0, 150));
}"""


def test_what_scrolls_is_a_stop_though_it_came_after_the_page(open_page):
    page = open_page("/en/04-units.html")
    stops = page.evaluate("""async () => {
      const host = document.querySelector(".preact-builder");
      const frame = () => new Promise((done) => requestAnimationFrame(() =>
        requestAnimationFrame(done)));
      host.click();
      await frame();
      const table = document.createElement("table");
      table.className = "preact-table";
      table.innerHTML = `<tr><td>${"9".repeat(400)}</td></tr>`;
      host.append(table);
      const before = table.tabIndex;
      host.click();
      await frame();
      return [before, table.tabIndex];
    }""")
    assert stops == [-1, 0]


def test_every_stop_of_the_keyboard_shows_that_it_is_one(open_page):
    page = open_page("/en/03-gradient.html")
    unseen = []
    for _ in range(70):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => {
              const own = document.activeElement;
              const marks = [own, own.nextElementSibling, own.parentElement]
                .filter(Boolean).map((node) => getComputedStyle(node));
              return marks.some((style) => style.outlineStyle != "none"
                && parseFloat(style.outlineWidth) >= 2)
                || own == document.body ? "" : own.outerHTML.slice(0, 120);
            }"""
        )
        if seen:
            unseen.append(seen)
    assert unseen == []


@pytest.mark.parametrize(
    "name", ["03-gradient", "07-depth", "12-find-the-bug"]
)
def test_a_slider_says_what_is_shown_beside_it(open_page, name):
    page = open_page(f"/en/{name}.html")
    for lab in page.locator(".preact-lab").all()[:2]:
        lab.locator("[type=radio]").first.check()
        lab.locator("[name=commit]").click()
    for move in ("stepDown", "stepUp"):
        assert page.evaluate(SILENT, move) == []
        settle(page)


def test_nothing_moves_for_who_wants_no_motion(open_page):
    page = open_page("/en/03-gradient.html", reduced_motion="reduce")
    moving = page.evaluate(
        """[...document.querySelectorAll("body *")].filter((node) => {
          const style = getComputedStyle(node);
          return style.transitionDuration != "0s" &&
            style.transitionProperty != "none";
        }).length"""
    )
    assert moving == 0
