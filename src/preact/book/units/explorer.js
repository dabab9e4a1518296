// Chapter 04: the reader places one BN and one ReLU. Every unit, line of code and
// number stands in the page; this shows one of them, and draws its measured curves
// beside those of one unit that stays.
import { figure, fill, node, numberText, stroke } from "#scripts/charts.js";
import { DepthChart } from "#scripts/depth.js";

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

class Builder {
  form;
  words;
  ticks;
  ways;
  ghost;
  start;

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

  // A table of places, and an order.
  makeControls() {
    const { words } = this;
    this.choice = choiceOf(this.start);
    const row = (op) => {
      const radios = PLACES.map((place) =>
        this.radio(
          op,
          place,
          this.choice[op] === place,
          words[op] + words.colon + words[place],
        ),
      );
      return node(
        "tr",
        {},
        node("th", { scope: "row", textContent: words[op] }),
        ...radios.map((radio) => node("td", {}, node("label", {}, radio))),
      );
    };
    const head = PLACES.map((place) =>
      node(
        "th",
        { scope: "col" },
        node("code", { textContent: place }),
        node("br"),
        words[place],
      ),
    );
    this.order = node(
      "p",
      { className: "order" },
      words.order + words.colon,
      ...Object.entries({ bn_first: false, relu_first: true }).map(
        ([name, first]) =>
          node(
            "label",
            {},
            this.radio("order", name, this.choice.reluFirst === first),
            words[name],
          ),
      ),
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
    this.form.addEventListener("input", ({ target }) => {
      if (target.name === "order") {
        this.choice.reluFirst = target.value === "relu_first";
      } else {
        this.choice[target.name] = target.value;
      }
      this.show();
    });
  }

  chosen() {
    this.order.hidden = this.choice.bn !== this.choice.relu;
    return wayOf(this.choice);
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

export const places = {
  "preact-builder": (host) => new Builder(host),
};
