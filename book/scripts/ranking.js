// The reader ranks networks before their errors are shown: those of the race of
// chapter 01, and the rows of Table 1 at the head of chapter 05. A ranking is kept in
// this browser and nowhere else.
import { element, figure, fill, icon, node, prose, record } from "./charts.js";
import { remembered } from "./remembered.js";

// ------------------------------------------------------------- ranking
// A list whose items move by two buttons each, until the reader commits.
class Ranking {
  arms;
  words;
  changed;
  stored;

  // `stored` is the name under which the browser keeps the ranking.
  constructor({ words, arms, stored }, changed) {
    Object.assign(this, { words, arms, changed, stored });
    const keys = Object.keys(arms),
      kept = remembered(stored);
    const valid =
      Array.isArray(kept?.order) &&
      String([...kept.order].sort()) === String([...keys].sort());
    this.order = valid ? kept.order : [...keys].sort(); // says nothing
    this.committed = valid && kept.committed === true;
    this.list = node("ol", { className: "ranking" });
    this.said = node("p", { className: "said" });
    this.said.setAttribute("aria-live", "polite");
    this.button = node("button", { type: "button", name: "commit" });
    this.button.addEventListener("click", () => this.toggle());
    this.box = node(
      "fieldset",
      {},
      node("legend", { textContent: words.rank }),
      node("p", {}, ...prose(words.ask)),
      this.list,
      this.button,
      this.said,
    );
    this.items = Object.fromEntries(keys.map((key) => [key, this.item(key)]));
    this.show();
  }

  item(key) {
    const { name, formula } = this.arms[key];
    const move = (by, sign, label) => {
      const button = node("button", {
        type: "button",
        textContent: sign,
        name: by < 0 ? "up" : "down",
      });
      button.setAttribute("aria-label", fill(label, { name }));
      button.addEventListener("click", () => this.move(key, by, button));
      return button;
    };
    const item = node(
      "li",
      {},
      icon(this.arms[key]),
      node("span", { textContent: name }),
      node("span", { textContent: formula, className: "formula" }),
      node(
        "span",
        { className: "moves" },
        move(-1, "↑", this.words.up),
        move(1, "↓", this.words.down),
      ),
    );
    item.dataset.arm = key;
    return item;
  }

  move(key, by, button) {
    const from = this.order.indexOf(key),
      to = from + by;
    if (to < 0 || to >= this.order.length) return;
    this.order.splice(from, 1);
    this.order.splice(to, 0, key);
    this.show();
    button.focus();
    this.said.textContent = fill(this.words.moved, {
      name: this.arms[key].name,
      place: to + 1,
      count: this.order.length,
    });
  }

  toggle() {
    this.committed = !this.committed;
    this.said.textContent = this.committed ? this.words.kept : "";
    this.show();
    this.changed();
  }

  show() {
    this.list.replaceChildren(...this.order.map((key) => this.items[key]));
    for (const button of this.list.querySelectorAll("button")) {
      button.hidden = this.committed;
    }
    this.button.textContent = this.committed
      ? this.words.again
      : this.words.commit;
    remembered(this.stored, { order: this.order, committed: this.committed });
  }
}

// When the ranking is made, the errors are drawn in the reader's order, and below
// them what has waited till then. A right order is a stair.
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

export class Ranked {
  stored;
  words;
  errors;
  arms;
  limits;

  constructor(host) {
    this.host = host;
    Object.assign(this, JSON.parse(host.dataset.ranking));
    this.ranking = new Ranking(this, () => this.show());
    this.told = host.querySelector(".told") ?? "";
    this.said = node("p", { className: "facts" });
    this.said.setAttribute("aria-live", "polite");
    this.picture = figure();
    host.replaceChildren(this.ranking.box, this.said, this.picture, this.told);
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
    if (this.told) this.told.hidden = !committed;
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
