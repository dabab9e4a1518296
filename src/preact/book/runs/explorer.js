// Recorded runs, queried in the page: chosen by network, unit, tail and learning
// rate, laid over each other. Axes are logarithmic and never move.
import {
  along,
  element,
  figure,
  fill,
  inside,
  node,
  record,
  stroke,
  tickText,
} from "#scripts/charts.js";
const WIDTH = 560,
  HEIGHT = 336,
  LEFT = 54,
  RIGHT = 20,
  TOP = 40,
  BOTTOM = 46;
const FIELDS = { network: "depth", unit: "row", tail: "tail", rate: "rate" };
const DASHES = ["none", "7 3", "2 3", "9 3 2 3"]; // of groups, in turn
const MARKS = [1, 2, 4, 11, 31, 101, 300];

// Runs that agree with a query; what it does not name is not asked.
export function matching(runs, query) {
  return runs.filter((run) =>
    Object.entries(query).every(([key, value]) => run[key] === value),
  );
}

// Equal networks and rates are one group; its number stands at its curves.
export function groupsOf(runs) {
  const groups = new Map();
  for (const run of runs) {
    const key = [run.depth, run.row, run.tail, run.rate].join("|");
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()];
}

// A query in the address: its four values, * for any.
function written(query) {
  return Object.values(FIELDS)
    .map((key) => query[key] ?? "*")
    .join("|");
}

function readQuery(text, runs) {
  const values = text.split("|"),
    keys = Object.values(FIELDS);
  const query = {};
  for (const [i, key] of keys.entries()) {
    if (values[i] === "*") continue;
    query[key] = runs.find((run) => String(run[key]) === values[i])?.[key];
  }
  return values.length === keys.length ? query : { depth: null };
}

class Chart {
  constructor(words, quantity, ticks) {
    const [low, high] = [ticks[0], ticks.at(-1)].map(Math.log10);
    this.low = low;
    this.high = high;
    this.svg = element("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      style: `width:${WIDTH}px`,
    });
    element("text", { x: 2, y: 18 }, this.svg, words[quantity]);
    for (const tick of ticks) {
      const y = this.y(tick);
      element(
        "path",
        {
          d: `M${LEFT} ${y}H${WIDTH - RIGHT}`,
          stroke: "#808080",
          "stroke-opacity": 0.3,
        },
        this.svg,
      );
      element(
        "text",
        { x: LEFT - 6, y: y + 4, "text-anchor": "end" },
        this.svg,
        tickText(tick),
      );
    }
    for (const mark of MARKS) {
      element(
        "text",
        {
          x: this.x(mark),
          y: HEIGHT - BOTTOM + 18,
          "text-anchor": "middle",
        },
        this.svg,
        mark,
      );
    }
    element(
      "text",
      {
        x: (LEFT + WIDTH - RIGHT) / 2,
        y: HEIGHT - 5,
        "text-anchor": "middle",
      },
      this.svg,
      words.iteration,
    );
    this.curves = inside(this.svg, {
      WIDTH,
      HEIGHT,
      LEFT,
      RIGHT,
      TOP,
      BOTTOM,
    });
  }

  x(step) {
    const share = Math.log10(step) / Math.log10(301);
    return LEFT + (WIDTH - LEFT - RIGHT) * share;
  }

  y(value) {
    const down = along(Math.log10(value), this.low, this.high);
    return TOP + (HEIGHT - TOP - BOTTOM) * down;
  }

  draw(run, color, steps, quantity, number, dashes) {
    const points = run[quantity]
      .map((v, i) => (v === null ? null : [this.x(steps[i]), this.y(v)]))
      .filter((point) => point)
      .map((point) => point.map((c) => c.toFixed(1)));
    if (!points.length) return;
    element(
      "path",
      {
        d: `M${points.join("L")}`,
        fill: "none",
        stroke: color,
        "stroke-width": 1.6,
        "stroke-dasharray": dashes,
        class: "run",
      },
      this.curves,
    );
    const [x, y] = points.at(-1).map(Number);
    if (number) {
      const seen = Math.min(Math.max(y, TOP), HEIGHT - BOTTOM);
      element("text", { x: x + 5, y: seen + 4 }, this.svg, number);
    }
  }
}

class Runs {
  start;
  words;
  runs;
  rows;
  ticks;
  steps;
  at;

  constructor(host) {
    this.host = host;
    Object.assign(this, JSON.parse(host.dataset.runs));
    this.queries = this.start;
    const choose = (field, key) => {
      const select = node("select", { name: field });
      select.append(new Option(this.words.any, ""));
      const values = new Map(
        this.runs.map((run) => [
          run[key],
          key === "row" ? this.rows[run.row].name : String(run[key]),
        ]),
      );
      for (const [value, text] of values) {
        select.append(new Option(text, JSON.stringify(value)));
      }
      select.dataset.own = "";
      this.selects[field] = select;
      return node("label", {}, this.words[field], select);
    };
    this.selects = {};
    this.quantity = node("select", { name: "quantity" });
    for (const name of Object.keys(this.ticks)) {
      this.quantity.append(new Option(this.words[name], name));
    }
    this.quantity.value = "ratio";
    this.quantity.addEventListener("change", () => this.show());
    const button = (name, act) => {
      const made = node("button", {
        type: "button",
        name,
        textContent: this.words[name],
      });
      made.addEventListener("click", act);
      return made;
    };
    // What is drawn, as the address keeps it.
    this.kept = node("input", {
      type: "hidden",
      name: "runs",
      value: this.start.map(written).join(";"),
    });
    this.kept.addEventListener("input", () => this.restore());
    this.said = node("p", { className: "facts" });
    this.said.setAttribute("aria-live", "polite");
    this.picture = figure();
    this.legend = node("ol", { className: "preact-arms" });
    const controls = node(
      "div",
      { className: "controls" },
      ...Object.entries(FIELDS).map(([f, key]) => choose(f, key)),
      button("add", () => this.add()),
      button("clear", () => this.clear()),
      node("label", {}, this.words.quantity, this.quantity),
      this.kept,
    );
    host.prepend(controls, this.said, this.picture, this.legend);
    host.dataset.live = "true";
    this.show();
  }

  query() {
    return Object.fromEntries(
      Object.entries(FIELDS)
        .filter(([field]) => this.selects[field].value)
        .map(([f, key]) => [key, JSON.parse(this.selects[f].value)]),
    );
  }

  add() {
    const more = matching(this.runs, this.query());
    if (more.length) this.keep([...this.queries, this.query()]);
    this.show(more.length ? null : this.words.none);
  }

  clear() {
    this.keep([]);
    this.show();
  }

  keep(queries) {
    this.queries = queries;
    this.kept.value = [...new Set(queries.map(written))].join(";");
    this.kept.dispatchEvent(new Event("change", { bubbles: true }));
  }

  restore() {
    const queries = this.kept.value
      .split(";")
      .filter(Boolean)
      .map((text) => readQuery(text, this.runs));
    const legal = queries.every((one) => matching(this.runs, one).length);
    if (legal) this.queries = queries;
    else this.kept.value = this.queries.map(written).join(";");
    this.show();
  }

  show(message = null) {
    const { words, queries } = this,
      quantity = this.quantity.value;
    const shown = [
      ...new Set(queries.flatMap((query) => matching(this.runs, query))),
    ];
    const groups = groupsOf(shown);
    const steps = quantity === "loss" ? this.steps : this.at;
    const chart = new Chart(words, quantity, this.ticks[quantity]);
    const range = (errors) =>
      fill(words.percent, {
        value: `${Math.min(...errors)}–${Math.max(...errors)}`,
      });
    const names = groups.map(([run]) =>
      [
        `ResNet-${run.depth}`,
        this.rows[run.row].name,
        words.tail + words.colon + run.tail,
        `${words.rate} ${run.rate}`,
      ].join(words.comma),
    );
    for (const [i, group] of groups.entries()) {
      for (const [k, run] of group.entries()) {
        chart.draw(
          run,
          this.rows[run.row].color,
          steps,
          quantity,
          k ? null : i + 1,
          DASHES[i % DASHES.length],
        );
      }
    }
    const labels = { x: words.iteration, y: words[quantity] };
    record(
      chart.svg,
      groups.flatMap((group, i) =>
        group.map((run) => ({
          panel: labels.y,
          name: names[i],
          labels,
          x: steps.slice(0, run[quantity].length),
          y: run[quantity],
        })),
      ),
    );
    chart.svg.setAttribute(
      "aria-label",
      fill(words.alt, {
        quantity: words[quantity],
        each: names.join(words.semicolon),
      }),
    );
    this.picture.show(chart.svg);
    this.legend.replaceChildren(
      ...groups.map((group, i) => {
        const errors = group.map((run) => run.error);
        const item = node(
          "li",
          {},
          stroke(this.rows[group[0].row].color, DASHES[i % DASHES.length]),
        );
        item.append(` ${names[i]}${words.colon}`, range(errors));
        return item;
      }),
    );
    const errors = shown.map((run) => run.error);
    this.said.textContent =
      message ??
      (shown.length
        ? fill(words.count, {
            count: shown.length,
            errors: range(errors),
          })
        : "");
  }
}

export const places = {
  "preact-runs": (host) => new Runs(host),
};
