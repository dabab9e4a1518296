// The explorer of chapter 08: units of trained networks are taken out and
// exchanged. Every selection in every order has been tested when the chapter
// was run; nothing is computed here but where an order stands.
import { fill, node } from "#scripts/charts.js";
import { button, facts } from "#scripts/controls.js";
import { Explorer } from "#scripts/explorer.js";

const LETTERS = 2; // a number of wrong images, base 36

// How many orders begin alike, with `left` units to go on with.
const alike = (left) => (left ? 1 + left * alike(left - 1) : 1);

// Each order comes before those that begin with it, these by their next unit.
function placeOf(order, units) {
  const left = [...Array(units).keys()];
  let place = 0;
  for (const unit of order) {
    const before = left.indexOf(unit);
    left.splice(before, 1);
    place += 1 + before * alike(left.length);
  }
  return place;
}

// Errors in percent of an arm with its units in an order: least, median and
// greatest of the seeds.
/** @returns {[number, number, number]} */
export function errorsOf(arm, order, /** @type {any} */ page) {
  const { units, seeds, images } = page;
  const first = placeOf(order, units) * seeds;
  const found = Array.from({ length: seeds }, (_, seed) => {
    const at = (first + seed) * LETTERS;
    return (100 * parseInt(arm.wrong.slice(at, at + LETTERS), 36)) / images;
  }).sort((a, b) => a - b);
  const [low, high] = [(seeds - 1) >> 1, seeds >> 1];
  return [found[0], (found[low] + found[high]) / 2, found.at(-1)];
}

class Subnetworks extends Explorer {
  constructor(host) {
    super(host, "subnetworks");
    const { words } = this;
    this.whole = [...Array(this.units).keys()];
    this.order = this.whole;
    this.cards = this.whole.map((unit) => this.card(unit));
    // The order, as the address keeps it; what is taken out has its place.
    this.kept = node("input", { type: "hidden", name: "order" });
    this.kept.value = this.order.join("");
    this.kept.addEventListener("input", () => this.restore());
    this.list = node("ol", { className: "units" });
    const box = node(
      "fieldset",
      { className: "controls" },
      node("legend", { textContent: words.title }),
      this.list,
      this.kept,
      button("shuffle", words.shuffle, () => this.keep(shuffled(this.order))),
      button("reset", words.reset, () => {
        for (const { there } of this.cards) there.checked = true;
        this.keep(this.whole);
      }),
    );
    box.addEventListener("change", () => this.show());
    this.said = facts();
    this.live(box, this.table(), this.said);
    this.show();
  }

  // A unit: whether it is there, and two buttons that exchange it.
  card(unit) {
    const { words } = this;
    const there = node("input", {
      ...{ type: "checkbox", defaultChecked: true, name: `${unit + 1}` },
    });
    const move = (name, sign, by) => {
      const act = ({ target }) => {
        const other = this.neighbor(unit, by);
        if (other === undefined) return;
        this.keep(exchanged(this.order, unit, other));
        target.focus(); // it has moved with its unit
      };
      return button(name, sign, act, fill(words[name], { unit }));
    };
    const moves = [move("before", "←", -1), move("after", "→", 1)];
    const name = fill(words.unit, { unit });
    const item = node(
      "li",
      {},
      node("label", {}, there, name),
      node("span", { className: "moves" }, ...moves),
    );
    return { there, moves, item };
  }

  table() {
    const { words, arms } = this;
    const head = [words.network, "", words.error, words.intact].map(
      (textContent) => node("th", { textContent, scope: "col" }),
    );
    this.rows = arms.map((arm) => {
      const [bar, mark] = [node("span"), node("i")];
      const errors = errorsOf(arm, this.whole, this);
      const now = node("td");
      bar.style.background = arm.color;
      mark.style.left = `${errors[1]}%`;
      const row = node(
        "tr",
        {},
        node("th", { textContent: arm.name, scope: "row" }),
        node("td", { className: "bar" }, node("div", {}, bar, mark)),
        now,
        node("td", {}, ...written(errors)),
      );
      return { arm, bar, now, row };
    });
    const body = this.rows.map(({ row }) => row);
    return node(
      "table",
      { className: "preact-table" },
      node("thead", {}, node("tr", {}, ...head)),
      node("tbody", {}, ...body),
    );
  }

  // The units that are there, in their order.
  present() {
    return this.order.filter((unit) => this.cards[unit].there.checked);
  }

  // The next unit that is there, on one side of another.
  neighbor(unit, by) {
    const present = this.present();
    return this.cards[unit].there.checked
      ? present[present.indexOf(unit) + by]
      : undefined;
  }

  keep(order) {
    this.order = order;
    this.kept.value = order.join("");
    this.kept.dispatchEvent(new Event("change", { bubbles: true }));
  }

  restore() {
    const order = [...this.kept.value].map(Number);
    const legal = String([...order].sort()) === String(this.whole);
    if (legal) this.order = order;
    else this.kept.value = this.order.join("");
    this.show();
  }

  show() {
    const { words } = this,
      present = this.present();
    const items = this.order.map((unit) => this.cards[unit].item);
    if (items.some((item, i) => this.list.children[i] !== item)) {
      this.list.replaceChildren(...items);
    }
    for (const [unit, { item, moves, there }] of this.cards.entries()) {
      item.classList.toggle("out", !there.checked);
      for (const [i, button] of moves.entries()) {
        const stays = this.neighbor(unit, i ? 1 : -1) === undefined;
        button.setAttribute("aria-disabled", stays);
      }
    }
    const each = this.rows.map(({ arm, bar, now }) => {
      const errors = errorsOf(arm, present, this);
      bar.style.width = `${errors[1]}%`;
      now.replaceChildren(...written(errors));
      const value = errors[1].toFixed(1);
      return `${arm.name} ${fill(words.percent, { value })}`;
    });
    this.said.textContent = fill(words.said, {
      order: present.join(words.list) || words.none,
      each: each.join(words.semicolon),
    });
  }
}

function exchanged(order, one, other) {
  const turned = { [one]: other, [other]: one };
  return order.map((unit) => turned[unit] ?? unit);
}

// Any other order, each as likely.
function shuffled(order) {
  const left = [...order];
  const drawn = order.map(
    () => left.splice(Math.floor(Math.random() * left.length), 1)[0],
  );
  return String(drawn) === String(order) ? shuffled(order) : drawn;
}

function written([low, median, high]) {
  const [a, m, b] = [low, median, high].map((error) => error.toFixed(1));
  return [`${m} `, node("small", { textContent: `(${a}–${b})` })];
}

export const places = {
  "preact-subnetworks": (host) => new Subnetworks(host),
};
