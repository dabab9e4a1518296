// The reader ranks networks: before the race of chapter 01, and at the head of
// chapter 05. A ranking is kept in this browser and nowhere else.
import {
  drawMarkers,
  element,
  fill,
  icon,
  node,
  prose,
  record,
  shape,
} from "./charts.js";

// A page opened as a file, or a private window, may refuse to remember.
function remembered(stored) {
  try {
    return JSON.parse(localStorage.getItem(stored));
  } catch {
    return null;
  }
}

function remember(stored, value) {
  try {
    localStorage.setItem(stored, JSON.stringify(value));
  } catch {
    /* it works all the same */
  }
}

// ------------------------------------------------------------- ranking
// A list whose items move by two buttons each, until the reader commits.
export class Ranking {
  arms;
  words;
  changed;
  stored;

  // `stored` is the name under which the browser keeps the ranking.
  constructor({ words, arms, steps }, changed, stored = "preact-race") {
    Object.assign(this, { words, arms, changed, stored });
    const keys = Object.keys(arms),
      kept = remembered(stored);
    const valid =
      Array.isArray(kept?.order) &&
      String([...kept.order].sort()) === String([...keys].sort());
    this.order = valid ? kept.order : keys;
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
      node("p", {}, ...prose(fill(words.ask, { steps }))),
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
    remember(this.stored, { order: this.order, committed: this.committed });
  }
}

// Two rankings side by side, a line from each network's place to the other.
export function rankings(left, right, arms, titles, alt) {
  const width = 390,
    row = 26,
    first = 40,
    from = 34,
    to = 116;
  const height = first + row * (right.length - 0.4);
  const svg = element("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": alt,
    style: `width:${width}px`,
  });
  element("text", { x: 4, y: 14 }, svg, titles[0]);
  element("text", { x: to, y: 14 }, svg, titles[1]);
  for (const [place, key] of right.entries()) {
    const arm = arms[key],
      guessed = left.indexOf(key);
    const [a, b] = [first + row * guessed, first + row * place];
    element(
      "path",
      {
        d: `M${from} ${a}L${to} ${b}`,
        stroke: arm.color,
        fill: "none",
        "stroke-width": guessed === place ? 4 : 2,
        "stroke-dasharray": arm.dashed ? "5 3" : "none",
      },
      svg,
    );
    drawMarkers(
      arm,
      shape(arm.marker, from, a) + shape(arm.marker, to, b),
      svg,
    );
    element("text", { x: 10, y: a + 4 }, svg, `${guessed + 1}.`);
    element(
      "text",
      { x: to + 14, y: b + 4 },
      svg,
      `${place + 1}. ${arm.name}`,
    );
  }
  record(
    svg,
    right.map((key, place) => ({
      panel: alt,
      name: arms[key].name,
      x: titles,
      y: [left.indexOf(key) + 1, place + 1],
    })),
  );
  return svg;
}
