// The unit builders: a room adds its own kind. Every unit, line of code and number
// stands in the page; this shows one of them, and draws its measured curves beside
// those of one unit that stays.
import { DepthChart } from "./depth.js";
import { figure, node, numberText, fill, stroke } from "./charts.js";

export class Builder {
  form;
  words;
  ticks;
  ways;
  ghost;
  start;
  options;

  constructor(host) {
    this.host = host;
    Object.assign(this, JSON.parse(host.dataset.builder));
    this.cards = new Map(
      [...host.querySelectorAll("[data-way]")].map((card) => [
        card.dataset.way,
        card,
      ]),
    );
    this.seen = new Set();
    this.makeControls();
    this.makePictures();
    host.prepend(this.form);
    host.querySelector(".cards").after(this.legend, this.pictures, this.built);
    for (const card of this.cards.values()) card.open = true;
    host.querySelector(".all").open = false;
    host.dataset.live = "true";
    this.show();
  }

  // What a builder of its kind has: its form, and the name of what was chosen.
  makeControls() {}

  /** @returns {string} */
  chosen() {
    return this.start;
  }

  radio(name, value, checked, label = "") {
    const made = node("input", { type: "radio", name, value, checked });
    if (label) made.setAttribute("aria-label", label);
    return made;
  }

  makePictures() {
    const { words, ticks } = this;
    const chart = (quantity) =>
      new DepthChart({
        title: words[quantity],
        xlabel: words.depth,
        ticks: ticks[quantity],
      });
    this.charts = { signal: chart("signal"), gradient: chart("gradient") };
    this.pictures = figure();
    this.legend = node("p", { className: "legend" });
    this.built = node("p", { className: "facts" });
    this.built.setAttribute("aria-live", "polite");
  }

  show() {
    const { words, ways, cards, seen } = this;
    const way = this.chosen(),
      all = Object.keys(ways);
    for (const [name, card] of cards) {
      card.classList.toggle("chosen", name === way);
    }
    seen.add(way);
    this.host.dataset.way = way;
    this.draw(ways[way], ways[this.ghost]);
    const named = (names) => names.filter((name) => ways[name].named).length;
    this.built.textContent = fill(words.built, {
      seen: seen.size,
      count: all.length,
      named: named([...seen]),
      rows: named(all),
    });
  }

  draw(unit, ghost) {
    const { words } = this;
    const color = ghost.color;
    const key = (kind, color, text) =>
      node("span", {}, stroke(color, kind), text);
    const name = fill(words.median, {
      name: unit.named ? unit.name : unit.unit,
    });
    this.legend.replaceChildren(
      key("curve", unit.color, name),
      key("ghost", color, words.ghost),
    );
    for (const [quantity, chart] of Object.entries(this.charts)) {
      const { median, low, high } = unit[quantity];
      const other = ghost[quantity].median;
      chart.draw(
        [
          { name: words.ghost, values: other, color, ghost: true },
          { name, values: median, low, high, color: unit.color },
        ],
        fill(words.alt_chart, {
          quantity: words[quantity],
          unit: unit.unit,
          units: median.length - 1,
          first: numberText(median[0]),
          last: numberText(median.at(-1)),
          ghost_first: numberText(other[0]),
          ghost_last: numberText(other.at(-1)),
        }),
      );
    }
    this.pictures.show(...Object.values(this.charts).map(({ svg }) => svg));
  }
}

// Builders by the choice that the page's data name; rooms put theirs here.
export const CHOICES = {};

export function makeBuilder(host) {
  new CHOICES[JSON.parse(host.dataset.builder).choice](host);
}
