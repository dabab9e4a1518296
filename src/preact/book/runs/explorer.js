// Recorded runs, queried in the page: chosen by network, unit, tail and learning
// rate, laid over each other. Axes are logarithmic and never move.
import { figure, fill, node, stroke } from "#scripts/charts.js";
import { button, choice, control, facts } from "#scripts/controls.js";
import { DepthChart } from "#scripts/depth.js";
import { Explorer } from "#scripts/explorer.js";

const FIELDS = { network: "depth", unit: "row", tail: "tail", rate: "rate" };
const DASHES = ["none", "7 3", "2 3", "9 3 2 3"]; // of groups, in turn
const ACROSS = {
  marks: [1, 2, 4, 11, 31, 101, 300],
  share: (step) => Math.log10(step) / Math.log10(301),
};

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

class Runs extends Explorer {
  constructor(host) {
    super(host, "runs");
    const { words, runs, rows, ticks } = this;
    this.queries = this.start;
    const controls = node("div", { className: "controls" });
    const add = (name, options, value) => {
      const input = choice(options, value);
      return control(controls, name, words[name], input);
    };
    this.selects = Object.entries(FIELDS).map(([field, key]) => {
      const values = [...new Set(runs.map((run) => run[key]))];
      const text = (value) => (key === "row" ? rows[value].name : value);
      const options = values.map((v) => [JSON.stringify(v), text(v)]);
      const select = add(field, [["", words.any], ...options], "");
      select.dataset.own = "";
      return [key, select];
    });
    // What is drawn, as the address keeps it.
    this.kept = node("input", { type: "hidden", name: "runs" });
    this.kept.value = this.start.map(written).join(";");
    this.kept.addEventListener("input", () => this.restore());
    controls.append(
      button("add", words.add, () => this.add()),
      button("clear", words.clear, () => this.keep([])),
      this.kept,
    );
    const quantities = Object.keys(ticks).map((name) => [name, words[name]]);
    this.quantity = add("quantity", quantities, "ratio");
    this.quantity.addEventListener("change", () => this.show());
    this.said = facts();
    this.picture = figure();
    this.legend = node("ol", { className: "preact-arms" });
    host.prepend(controls, this.said, this.picture, this.legend);
    this.live();
    this.show();
  }

  add() {
    const chosen = this.selects.filter(([, select]) => select.value);
    const query = Object.fromEntries(
      chosen.map(([key, select]) => [key, JSON.parse(select.value)]),
    );
    if (matching(this.runs, query).length) this.keep([...this.queries, query]);
    else this.said.textContent = this.words.none;
  }

  keep(queries) {
    this.queries = queries;
    this.kept.value = [...new Set(queries.map(written))].join(";");
    this.kept.dispatchEvent(new Event("change", { bubbles: true }));
    this.show();
  }

  restore() {
    const texts = this.kept.value.split(";").filter(Boolean);
    const queries = texts.map((text) => readQuery(text, this.runs));
    const legal = queries.every((one) => matching(this.runs, one).length);
    if (legal) this.queries = queries;
    else this.kept.value = this.queries.map(written).join(";");
    this.show();
  }

  show() {
    const { words, queries, rows } = this;
    const quantity = this.quantity.value;
    const found = queries.flatMap((query) => matching(this.runs, query));
    const groups = groupsOf(new Set(found));
    const at = quantity === "loss" ? this.steps : this.at;
    const range = (runs) => {
      const errors = runs.map(({ error }) => error);
      const value = `${Math.min(...errors)}–${Math.max(...errors)}`;
      return fill(words.percent, { value });
    };
    const looks = groups.map(([{ depth, row, tail, rate }], i) => ({
      name: [
        `ResNet-${depth}`,
        rows[row].name,
        words.tail + words.colon + tail,
        `${words.rate} ${rate}`,
      ].join(words.comma),
      color: rows[row].color,
      dashes: DASHES[i % DASHES.length],
    }));
    const curves = groups.flatMap((group, i) =>
      group.map((run, k) => ({
        ...{ ...looks[i], values: run[quantity], at, run: true },
        end: k ? undefined : i + 1,
      })),
    );
    const title = words[quantity],
      each = looks.map(({ name }) => name).join(words.semicolon);
    const axes = {
      title,
      xlabel: words.iteration,
      across: ACROSS,
      margin: 24,
    };
    const chart = new DepthChart({ ...axes, ticks: this.ticks[quantity] });
    chart.draw(curves, fill(words.alt, { quantity: title, each }));
    this.picture.show(chart.svg);
    const items = groups.map((group, i) => {
      const { name, color, dashes } = looks[i];
      const text = ` ${name}${words.colon}${range(group)}`;
      return node("li", {}, stroke(color, dashes), text);
    });
    this.legend.replaceChildren(...items);
    const shown = groups.flat();
    const count = { count: shown.length, errors: range(shown) };
    this.said.textContent = shown.length ? fill(words.count, count) : "";
  }
}

export const places = {
  "preact-runs": (host) => new Runs(host),
};
