"""A move of a control leaves the page free: what it makes is counted."""

import pytest

from built import load, settle

# Arrays of numbers made in the page, and questions that leave it.
COUNTED = """
  window.counts = { floats: 0, asked: 0, drawn: 0 };
  const Floats = Float64Array, Plain = Worker;
  window.Float64Array = new Proxy(Floats, { construct(...made) {
    counts.floats += 1;
    return Reflect.construct(...made);
  } });
  window.Worker = class extends Plain {
    postMessage(message) {
      counts.asked += 1;
      super.postMessage(message);
    }
  };
"""
# A slider is drawn from end to end faster than any frame.
DRAG = """(slider) => {
  Object.assign(counts, { floats: 0, asked: 0, drawn: 0 });
  const host = slider.closest(".curves, .preact-explorer");
  new MutationObserver(() => counts.drawn++).observe(
    host.querySelector(".preact-figure"), { childList: true, subtree: true });
  for (let step = 0; step < 20; step++) {
    slider.value = step;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
}"""


@pytest.mark.parametrize(
    ("chapter", "slider"),
    [
        ("02-signal", ".preact-growth [name=units]"),
        ("12-find-the-bug", ".preact-lab [name=seed]"),
    ],
)
def test_networks_are_computed_in_a_worker_and_only_those_that_are_seen(
    cold_page, site, chapter, slider
):
    page = cold_page()
    page.add_init_script(COUNTED)
    load(page, f"{site}/en/{chapter}.html")
    for lab in page.locator(".preact-lab").all()[:1]:
        lab.locator("[type=radio]").first.check()
        lab.locator("[name=commit]").click()
    settle(page)
    page.locator(slider).first.evaluate(DRAG)
    settle(page)
    counts = page.evaluate("counts")
    assert counts["floats"] == 0
    assert 1 <= counts["asked"] <= 2  # the first, and then the last
    assert 1 <= counts["drawn"] <= 2
