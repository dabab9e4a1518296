// Chapter 04: the reader places one BN and one ReLU. Every unit, line of code and
// number stands in the page; this shows one of them, and draws its measured curves
// beside those of one unit that stays.
import { figure, fill, key, node, numberText } from "#scripts/charts.js";
import { facts } from "#scripts/controls.js";
import { chartsOf } from "#scripts/depth.js";
import { Explorer } from "#scripts/explorer.js";

const PLACES = ["pre", "post", "after"];

// The name of a unit: what stands in pre/post/after. The order counts only
// where both stand in one place.
export function wayOf({ bn, relu, reluFirst }) {
  return PLACES.map((place) => {
    const here = [bn === place && "BN", relu === place && "ReLU"];
    if (reluFirst) here.reverse();
    return here.filter(Boolean).join(" ");
  }).join("/");
}

// The choice that leads to a unit: the inverse of wayOf.
export function choiceOf(way) {
  const places = way.split("/").map((ops) => ops.split(" "));
  const find = (op) => PLACES[places.findIndex((ops) => ops.includes(op))];
  return {
    bn: find("BN"),
    relu: find("ReLU"),
    reluFirst: places.some((ops) => ops.join(" ") === "ReLU BN"),
  };
}

class Builder extends Explorer {
  constructor(host) {
    super(host, "builder");
    const { words, ticks } = this;
    const cards = [...host.querySelectorAll("[data-way]")];
    this.cards = new Map(cards.map((card) => [card.dataset.way, card]));
    this.seen = new Set();
    this.makeControls();
    this.charts = chartsOf(words, ticks);
    this.pictures = figure();
    this.legend = node("p", { className: "legend" });
    this.built = facts();
    host.prepend(this.form);
    host.querySelector(".cards").after(this.legend, this.pictures, this.built);
    for (const card of cards) card.open = true;
    host.querySelector(".all").open = false;
    this.live();
    this.show();
  }

  // A table of places, and an order.
  makeControls() {
    const { words } = this;
    this.choice = choiceOf(this.start);
    const radio = (name, value, checked, more = {}) =>
      node("input", { type: "radio", name, value, checked, ...more });
    const row = (op) => {
      const cells = PLACES.map((place) => {
        const label = words[op] + words.colon + words[place];
        const chosen = this.choice[op] === place;
        const input = radio(op, place, chosen, { "aria-label": label });
        return node("td", {}, node("label", {}, input));
      });
      const head = node("th", { scope: "row", textContent: words[op] });
      return node("tr", {}, head, ...cells);
    };
    const head = PLACES.map((place) => {
      const code = node("code", { textContent: place });
      return node("th", { scope: "col" }, code, node("br"), words[place]);
    });
    const { reluFirst } = this.choice;
    this.order = node(
      "p",
      { className: "order" },
      words.order + words.colon,
      ...["bn_first", "relu_first"].map((name, i) => {
        const chosen = reluFirst === Boolean(i);
        return node("label", {}, radio("order", name, chosen), words[name]);
      }),
    );
    this.form = node(
      "fieldset",
      {},
      node("legend", { textContent: words.choose }),
      node(
        "table",
        {},
        node("thead", {}, node("tr", {}, node("td"), ...head)),
        node("tbody", {}, row("bn"), row("relu")),
      ),
      this.order,
    );
    this.form.addEventListener("input", ({ target: { name, value } }) => {
      if (name === "order") this.choice.reluFirst = value === "relu_first";
      else this.choice[name] = value;
      this.show();
    });
  }

  show() {
    const { words, ways, cards, seen, choice } = this;
    this.order.hidden = choice.bn !== choice.relu;
    const way = wayOf(choice),
      all = Object.keys(ways);
    for (const [name, card] of cards) {
      card.classList.toggle("chosen", name === way);
    }
    seen.add(way);
    this.host.dataset.way = way;
    this.draw(ways[way], ways[this.ghost]);
    const named = (names) => names.filter((name) => ways[name].named).length;
    this.built.textContent = fill(words.built, {
      ...{ seen: seen.size, count: all.length },
      ...{ named: named([...seen]), rows: named(all) },
    });
  }

  draw(unit, ghost) {
    const { words } = this;
    const name = fill(words.median, {
      name: unit.named ? unit.name : unit.unit,
    });
    this.legend.replaceChildren(
      key(unit.color, "curve", name),
      key(ghost.color, "ghost", words.ghost),
    );
    for (const { quantity, chart } of this.charts) {
      const { median, low, high } = unit[quantity];
      const other = ghost[quantity].median;
      const alt = fill(words.alt_chart, {
        quantity: words[quantity],
        unit: unit.unit,
        units: median.length - 1,
        first: numberText(median[0]),
        last: numberText(median.at(-1)),
        ghost_first: numberText(other[0]),
        ghost_last: numberText(other.at(-1)),
      });
      const own = { name, values: median, low, high, color: unit.color };
      const beside = { name: words.ghost, values: other, color: ghost.color };
      chart.draw([{ ...beside, ghost: true }, own], alt);
    }
    this.pictures.show(...this.charts.map(({ chart }) => chart.svg));
  }
}

export const places = {
  "preact-builder": (host) => new Builder(host),
};
