// Chapter 09: what a training step needs in memory, by depth, batch, precision
// and what is kept. The counts come from the package; here they are added up.
import {
  element,
  figure,
  fill,
  node,
  prose,
  record,
} from "#scripts/charts.js";

const WIDEST = 560,
  LEFT = 10,
  RIGHT = 30,
  ROW = 40,
  LINE = 19;
const LOW = 0.01,
  HIGH = 200;
const NARROW = 420,
  ASIDE = [-4, -4, -2, 5]; // where cards' numbers meet

// Bytes of weights, gradients and momentum, and of activations.
export function gigabytes(data, way, n, batch, width) {
  const [none, each] = data.parameters;
  const activations = data.peaks[way][n - 1] * 1e6 * width * batch;
  return (12 * (none + each * n) + activations) / 1e9;
}

class Planner {
  constructor(host) {
    this.host = host;
    this.data = JSON.parse(host.dataset.planner);
    const { words, start, peaks, batches } = this.data;
    this.ways = Object.keys(peaks);
    this.depth = node("input", {
      type: "range",
      min: 1,
      max: peaks[this.ways[0]].length,
      value: start.n,
      name: "depth",
    });
    this.depth.setAttribute("aria-label", words.layers);
    this.layers = node("output", {});
    this.batch = node("select", { name: "batch" });
    for (const b of batches) this.batch.append(new Option(b, b));
    this.batch.value = start.batch;
    this.precision = node("select", { name: "precision" });
    this.precision.append(
      new Option(words.fp32, "1"),
      new Option(words.half, "0.5"),
    );
    for (const control of [this.depth, this.batch, this.precision]) {
      control.addEventListener("input", () => this.show());
    }
    this.said = node("p", { className: "facts" });
    this.said.setAttribute("aria-live", "polite");
    this.picture = figure();
    host.replaceChildren(
      node(
        "div",
        { className: "controls" },
        node("label", {}, `${words.layers} `, this.depth, this.layers),
        node("label", {}, `${words.batch} `, this.batch),
        node("label", {}, `${words.precision} `, this.precision),
      ),
      this.said,
      this.picture,
    );
    host.dataset.live = "true";
    this.show();
    new ResizeObserver(() => this.fit()).observe(host);
  }

  // A picture that shrank with a phone would have letters too small to read.
  fit() {
    if (this.width !== this.room()) this.picture.show(this.draw());
  }

  room() {
    return Math.min(WIDEST, this.host.clientWidth || WIDEST);
  }

  show() {
    const { words } = this.data;
    const n = Number(this.depth.value),
      layers = 9 * n + 2;
    this.layers.textContent = layers;
    this.depth.setAttribute("aria-valuetext", layers);
    this.needs = Object.fromEntries(
      this.ways.map((way) => [
        way,
        gigabytes(
          this.data,
          way,
          n,
          Number(this.batch.value),
          Number(this.precision.value),
        ),
      ]),
    );
    const rows = this.ways.map((way) => this.row(way));
    this.said.replaceChildren(
      ...prose(
        fill(words.said, {
          depth: layers,
          rows: rows.join(words.semicolon),
        }),
      ),
    );
    this.picture.show(this.draw());
  }

  row(way) {
    const { words } = this.data,
      value = this.needs[way];
    const gb = value < 1 ? value.toFixed(2) : value.toFixed(1);
    return fill(words.row, { way: words[way], gb });
  }

  draw() {
    const { words, cards } = this.data,
      { needs } = this;
    const width = (this.width = this.room());
    // Its title is two sentences: on a phone, one below the other.
    const title =
      width < NARROW ? words.axis.split(/(?<=[;；]) */) : [words.axis];
    const top = 18 + LINE * title.length;
    const height = top + ROW * this.ways.length + 26;
    const svg = element("svg", {
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      style: `width:${width}px`,
      fill: "currentColor",
      "aria-label": this.said.textContent,
    });
    const span = Math.log(HIGH / LOW);
    const x = (gb) =>
      LEFT +
      ((width - LEFT - RIGHT) *
        Math.log(Math.min(Math.max(gb, LOW), HIGH) / LOW)) /
        span;
    const near = width < NARROW ? [0, 0, ...ASIDE] : [];
    [0.1, 1, ...cards].forEach((gb, i) => {
      element(
        "path",
        {
          d: `M${x(gb)} ${top - 12}V${height - 22}`,
          stroke: "#808080",
          "stroke-opacity": cards.includes(gb) ? 0.7 : 0.3,
          "stroke-dasharray": cards.includes(gb) ? "5 3" : "none",
        },
        svg,
      );
      element(
        "text",
        {
          x: x(gb) + (near[i] ?? 0),
          y: height - 6,
          "text-anchor": "middle",
        },
        svg,
        gb,
      );
    });
    title.forEach((line, i) =>
      element("text", { x: 0, y: 17 + LINE * i }, svg, line),
    );
    this.ways.forEach((way, i) => {
      const y = top + ROW * i + 26,
        end = x(needs[way]);
      element("text", { x: LEFT, y: y - 9 }, svg, this.row(way));
      element(
        "path",
        {
          d: `M${LEFT} ${y}H${end}`,
          stroke: "currentColor",
          "stroke-opacity": 0.25,
        },
        svg,
      );
      element(
        "circle",
        {
          cx: end,
          cy: y,
          r: 5,
          class: "need",
          fill: needs[way] > cards.at(-1) ? "none" : "#2f7fb8",
          stroke: "#2f7fb8",
          "stroke-width": 2,
        },
        svg,
      );
    });
    record(
      svg,
      this.ways.map((way) => ({
        panel: words.axis,
        name: words[way],
        labels: { y: words.axis },
        x: [9 * Number(this.depth.value) + 2],
        y: [needs[way]],
      })),
    );
    return svg;
  }
}

export const places = {
  "preact-planner": (host) => new Planner(host),
};
