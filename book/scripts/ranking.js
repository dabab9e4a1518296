// The reader ranks networks before their errors are shown: those of the race of
// chapter 01, and the rows of Table 1 at the head of chapter 05.
import { bars } from "./bars.js";
import { figure, fill, icon, node, prose } from "./charts.js";
import { button } from "./controls.js";
import { Guess } from "./guess.js";

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

// A list whose items move by two buttons each, until the reader commits; then the
// errors are drawn in the reader's order, and below them what has waited till then.
export class Ranked extends Guess {
  constructor(host) {
    super(host, "ranking");
    const { words, arms } = this;
    this.order = Object.keys(arms).sort(); // says nothing
    this.items = new Map(this.order.map((key) => [key, this.item(key)]));
    this.list = node("ol", { className: "ranking" });
    this.told = host.querySelector(".told") ?? node("p");
    this.picture = figure();
    const asked = node("p", {}, ...prose(words.ask));
    this.ask(this.stored, words.rank, asked, this.list);
    this.live(this.form, this.picture, this.told);
    this.show();
  }

  guess() {
    return this.order;
  }

  take(kept) {
    const legal =
      Array.isArray(kept) && String(kept.toSorted()) === String(this.order);
    if (legal) this.order = kept;
    return legal;
  }

  item(key) {
    const { words } = this;
    const { name, formula } = this.arms[key];
    const move = (way, sign, by) => {
      const act = ({ target }) => {
        this.move(key, by);
        target.focus();
      };
      return button(way, sign, act, fill(words[way], { name }));
    };
    const moves = [move("up", "↑", -1), move("down", "↓", 1)];
    const rule = node("span", { textContent: formula, className: "formula" });
    return node(
      "li",
      {},
      icon(this.arms[key]),
      node("span", {}, name, " ", rule),
      node("span", { className: "moves" }, ...moves),
    );
  }

  move(key, by) {
    const { words, arms, order } = this;
    const from = order.indexOf(key),
      to = from + by;
    if (to < 0 || to >= order.length) return;
    this.order = order.with(from, order[to]).with(to, key);
    this.show();
    const moved = { name: arms[key].name, place: to + 1, count: order.length };
    this.verdict.textContent = fill(words.moved, moved);
  }

  show() {
    super.show();
    const { words, committed, order, errors } = this;
    this.list.replaceChildren(...order.map((key) => this.items.get(key)));
    for (const moves of this.list.querySelectorAll(".moves")) {
      moves.hidden = committed;
    }
    this.told.hidden = !committed;
    this.picture.show(...(committed ? [this.draw()] : []));
    if (!committed) return;
    this.verdict.textContent = fill(words.outcome, pairs(order, errors));
  }

  draw() {
    const { words, order, errors, arms, limits } = this;
    const text = (key) => {
      const value = errors[key]?.toFixed(this.digits);
      return fill(words.row, {
        label: arms[key].name,
        value: value ? fill(words.error, { value }) : words.fail,
      });
    };
    return bars({
      rows: order.map((key, i) => ({
        text: `${i + 1}. ${text(key)}`,
        share:
          ((errors[key] ?? limits[1]) - limits[0]) / (limits[1] - limits[0]),
        color: arms[key].color,
        dashes: errors[key] === null ? "7 3" : "none",
      })),
      alt: fill(words.alt, { rows: order.map(text).join(words.semicolon) }),
    });
  }
}
