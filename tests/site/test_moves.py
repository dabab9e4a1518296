"""A move of a control leaves the page free: what it makes is counted."""

import pytest

from built import DRAWN, load, settle

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


# What a browser tells of the styles that it judges again.
TRACED = "disabled-by-default-devtools.timeline.invalidationTracking"


@pytest.mark.parametrize(
    ("chapter", "control"),
    [
        ("02-signal", ".preact-growth [name=units]"),
        ("playground", ".preact-playground [name='a.seed']"),
        ("04-units", ".preact-builder [type=radio]"),
    ],
)
def test_a_move_lets_no_sheet_ask_anew_what_a_box_holds(
    open_page, chapter, control
):
    page = open_page(f"/en/{chapter}.html")
    cdp = page.context.new_cdp_session(page)
    told, over = [], []
    cdp.on("Tracing.dataCollected", lambda part: told.extend(part["value"]))
    cdp.on("Tracing.tracingComplete", lambda end: over.append(end))
    cdp.send(
        "Tracing.start",
        {"categories": TRACED, "transferMode": "ReportEvents"},
    )
    for field in page.locator(control).all()[:3]:
        field.evaluate("""(field) => {
          if (field.type === "radio") return field.click();
          field.stepUp(3);
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }""")
        settle(page)
    page.evaluate(DRAWN)
    cdp.send("Tracing.end")
    while not over:
        page.evaluate("1")  # its answer comes after what was told
    judged = [
        event["args"]["data"]
        for event in told
        if event["name"] == "StyleRecalcInvalidationTracking"
    ]
    assert judged  # it does tell
    boxes = {
        one["nodeName"].split()[0]
        for one in judged
        if one.get("reason") == "Affected by :has()"
    }
    assert boxes <= {"LABEL"}  # of two nodes, and its own
