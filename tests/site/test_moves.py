"""A move of a control leaves the page free; no clock on the wall is asked."""

import pytest

from paths import ROOT

PAGES = sorted(p.stem for p in (ROOT / "book/en").glob("*.md"))
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
        ("03-gradient", ".preact-stack [name=units]"),
        ("11-find-the-bug", ".preact-lab [name=seed]"),
    ],
)
def test_networks_are_computed_in_a_worker_and_only_those_that_are_seen(
    browser, site, chapter, slider
):
    page = browser.new_page()
    page.add_init_script(COUNTED)
    page.goto(f"{site}/en/{chapter}.html")
    for lab in page.locator(".preact-lab").all()[:1]:
        lab.locator("[type=radio]").first.check()
        lab.locator("[name=commit]").click()
    idle = "!document.querySelector('[aria-busy=true]')"
    page.wait_for_function(idle)
    page.locator(slider).first.evaluate(DRAG)
    page.wait_for_function(idle)
    counts = page.evaluate("counts")
    page.close()
    assert counts["floats"] == 0
    assert 1 <= counts["asked"] <= 2  # the first, and then the last
    assert 1 <= counts["drawn"] <= 2


# Every explorer's controls, each moved to both ends; what all are measured by
# is a drawing of 400 words, more than the largest chart has.
MOVES = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() =>
    requestAnimationFrame(() => setTimeout(done))));
  const tell = (field) => ["input", "change"].forEach((name) =>
    field.dispatchEvent(new Event(name, { bubbles: true })));
  for (const lab of document.querySelectorAll(".preact-lab")) {
    lab.querySelector("[type=radio]").click();
    lab.querySelector("[name=commit]").click();
  }
  const fields = [...document.querySelectorAll(`.bd-article
    :is(.preact-explorer, .preact-ledger-filter) :is(input, select)`)]
    .filter((field) => field.checkVisibility() && !field.disabled
      && /range|select|radio|checkbox/.test(field.type));
  const seen = new Set();
  const one = fields.filter((field) => {
    const name = (field.closest("[class*=preact-]").className + field.name
      + field.type).replace(/lab-[\\w-]+/, "");
    return !seen.has(name) && seen.add(name);
  });
  const box = document.querySelector(".bd-article").appendChild(
    document.createElement("div"));
  const reference = (i) => {
    const SVG = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(SVG, "svg");
    for (let k = 0; k < 400; k++) {
      const text = document.createElementNS(SVG, "text");
      text.setAttribute("x", k % 20 * 15);
      text.setAttribute("y", k / 2 + i);
      text.textContent = k + i;
      svg.append(text);
    }
    box.replaceChildren(svg);
  };
  window.moves = [[box, reference], ...one.map((field) => [field, (i) => {
    if (field.type === "range") field.value = i % 2 ? field.max : field.min;
    else if (/select/.test(field.type))
      field.selectedIndex = i % 2 * (field.options.length - 1);
    else {
      const host = field.closest("[class*=preact-]");
      const fields = host.querySelectorAll(`[name="${field.name}"]`);
      return (fields[i % 2] ?? field).click();
    }
    tell(field);
  }])];
  window.move = async (n, i) => {
    if (n !== null) moves[n][1](i);
    await frame();
  };
  window.see = async (n) => {
    moves[n][0].scrollIntoView({ block: "center" });
    await frame();
  };
  return one.map((field) => field.closest("[class*=preact-]").className
    + " " + field.name);
}"""


def processor_ms(page, cdp, n, i):
    """Main thread's own processor time of a move, to the frame after it.

    Other processes do not count, and a slow processor draws slowly, too.
    """

    def now():
        answer = cdp.send("Performance.getMetrics")["metrics"]
        return next(m["value"] for m in answer if m["name"] == "TaskDuration")

    before = now()
    page.evaluate("([n, i]) => move(n, i)", [n, i])
    return 1e3 * (now() - before)


@pytest.mark.parametrize("name", PAGES)
def test_no_move_costs_more_than_two_drawings_of_a_large_chart(
    open_page, name
):
    page = open_page(f"/en/{name}.html")
    hosts = page.evaluate(MOVES)
    page.settle()
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable", {"timeDomain": "threadTicks"})

    def cost(n):
        page.evaluate("(n) => see(n)", n)
        ends = [
            [processor_ms(page, cdp, n, i) for i in range(end, 8, 2)]
            for end in (0, 1)
        ]
        return max(map(min, ends))

    drawing = cost(0)
    costs = {host: cost(n) / drawing for n, host in enumerate(hosts, 1)}
    assert {host: c for host, c in costs.items() if c > 2} == {}


# What a browser tells of the styles that it judges again.
TRACED = "disabled-by-default-devtools.timeline.invalidationTracking"


@pytest.mark.parametrize(
    ("chapter", "control"),
    [
        ("02-signal", ".preact-growth [name=units]"),
        ("03-gradient", ".preact-stack [name=units]"),
        ("04-units", ".preact-builder [type=radio]"),
        ("05-shortcuts", ".preact-builder [type=radio]"),
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
        page.settle()
        page.evaluate("new Promise(requestAnimationFrame)")
    page.evaluate("new Promise((drawn) => setTimeout(drawn, 100))")
    cdp.send("Tracing.end")
    while not over:
        page.evaluate("1")
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
