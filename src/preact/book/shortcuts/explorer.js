// Chapter 05: the reader ranks the rows of Table 1, then chooses a shortcut and a
// placement for a unit.
import { Builder, CHOICES } from "#scripts/builder.js";
import { element, figure, fill, node, record } from "#scripts/charts.js";
import { Ranking } from "#scripts/ranking.js";

// One choice from each list: the unit's name is the choices, joined.
class Lists extends Builder {
  makeControls() {
    const { words, options } = this;
    const first = this.start.split("/");
    const lists = Object.entries(options).map(([name, list], i) =>
      node(
        "p",
        { className: "list" },
        node("span", {}, words[name]),
        ...list.map(([value, text]) =>
          node("label", {}, this.radio(name, value, value === first[i]), text),
        ),
      ),
    );
    this.form = node(
      "fieldset",
      {},
      node("legend", { textContent: words.choose }),
      ...lists,
    );
    this.form.addEventListener("input", () => this.show());
  }

  chosen() {
    return Object.keys(this.options)
      .map((name) => this.form.querySelector(`[name=${name}]:checked`).value)
      .join("/");
  }
}

CHOICES.lists = Lists;

// When the ranking is made, the paper's errors are drawn in the reader's order. A
// right order is a stair.
const WIDTH = 376,
  LEFT = 8,
  RIGHT = 40,
  ROW = 34;

// Pairs that `order` has as the errors have them; two fails are no pair.
export function pairs(order, errors) {
  let right = 0,
    all = 0;
  order.forEach((better, i) => {
    for (const worse of order.slice(i + 1)) {
      const [a, b] = [errors[better] ?? Infinity, errors[worse] ?? Infinity];
      if (a === b) continue;
      all += 1;
      right += Number(a < b);
    }
  });
  return { right, all };
}

class Table1 {
  words;
  steps;
  errors;
  arms;
  limits;

  constructor(host) {
    this.host = host;
    Object.assign(this, JSON.parse(host.dataset.ranking));
    this.ranking = new Ranking(this, () => this.show(), "preact-table-1");
    this.said = node("p", { className: "facts" });
    this.said.setAttribute("aria-live", "polite");
    this.picture = figure();
    host.replaceChildren(this.ranking.box, this.said, this.picture);
    host.dataset.live = "true";
    this.show();
  }

  show() {
    const { committed, order } = this.ranking;
    this.host.dataset.state = committed ? "committed" : "open";
    this.picture.show();
    this.said.textContent = committed
      ? fill(this.words.outcome, pairs(order, this.errors))
      : "";
    if (committed) this.picture.show(this.draw(order));
  }

  text(key) {
    const { words, errors, arms } = this;
    const error =
      errors[key] === null
        ? words.fail
        : fill(words.error, { value: errors[key].toFixed(2) });
    return fill(words.row, { label: arms[key].name, value: error });
  }

  draw(order) {
    const {
      words,
      errors,
      arms,
      limits: [low, high],
    } = this;
    const height = ROW * order.length + 8;
    const svg = element("svg", {
      viewBox: `0 0 ${WIDTH} ${height}`,
      role: "img",
      style: `width:${WIDTH}px`,
      "aria-label": fill(words.alt, {
        rows: order.map((key) => this.text(key)).join(words.semicolon),
      }),
    });
    const x = (v) =>
      LEFT + ((WIDTH - LEFT - RIGHT) * (v - low)) / (high - low);
    order.forEach((key, i) => {
      const y = ROW * i + 24,
        fails = errors[key] === null;
      element(
        "text",
        { x: LEFT, y: y - 7 },
        svg,
        `${i + 1}. ${this.text(key)}`,
      );
      element(
        "path",
        {
          d: `M${LEFT} ${y}H${fails ? WIDTH - 4 : x(errors[key])}`,
          stroke: arms[key].color,
          "stroke-width": 7,
          "stroke-opacity": 0.8,
          "stroke-dasharray": fails ? "7 3" : "none",
        },
        svg,
      );
    });
    record(
      svg,
      order.map((key, i) => ({
        panel: "",
        name: arms[key].name,
        x: [i + 1],
        y: [errors[key] ?? words.fail],
      })),
    );
    return svg;
  }
}

export const places = {
  "preact-ranking": (host) => new Table1(host),
};
