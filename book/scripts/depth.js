// A chart of curves over depth, for the explorers that draw a network from its
// input to its output.
import {
  FRAME,
  KINDS,
  along,
  element,
  evenMarks,
  inside,
  record,
  rule,
  tickText,
} from "./charts.js";
const { WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM } = FRAME;

// How a fresh signal grows with depth, by what a unit adds.
export const LAWS = {
  root: (l) => Math.sqrt(l + 1),
  linear: (l) => (l > 0 ? l / Math.sqrt(2 * Math.PI) : NaN),
};

// Curves over depth, l = 0 ... units, on a logarithmic axis that does not
// move. One chart draws any curves, and its axis of depth changes only with
// their length.
export class DepthChart {
  // `margin` has room for names at the ends of curves.
  constructor({ title, xlabel, ticks, margin = 0 }) {
    this.labels = { x: xlabel, y: title };
    const [low, high] = [ticks[0], ticks[ticks.length - 1]].map(Math.log10);
    this.x = (l) =>
      LEFT + ((WIDTH - LEFT - RIGHT) * l) / Math.max(this.units, 1);
    this.y = (v) =>
      TOP + (HEIGHT - TOP - BOTTOM) * along(Math.log10(v), low, high);
    this.svg = element("svg", {
      viewBox: `0 0 ${WIDTH + margin} ${HEIGHT}`,
      role: "img",
      style: `width:${WIDTH + margin}px;overflow:visible`, // of the last depth
    });
    element("text", { x: 2, y: 14 }, this.svg, title);
    for (const tick of ticks) rule(this.svg, this.y(tick), tickText(tick));
    this.depths = element("g", {}, this.svg);
    element(
      "text",
      {
        x: (LEFT + WIDTH - RIGHT) / 2,
        y: HEIGHT - 5,
        "text-anchor": "middle",
      },
      this.svg,
      xlabel,
    );
    this.curves = inside(this.svg);
    this.names = element("g", {}, this.svg);
  }

  setUnits(units) {
    if (this.units === units) return;
    this.units = units;
    this.depths.replaceChildren();
    for (const l of evenMarks(units)) {
      element(
        "text",
        { x: this.x(l), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" },
        this.depths,
        l,
      );
    }
  }

  path(values) {
    return values
      .map((v, l) =>
        Number.isNaN(v)
          ? ""
          : `${this.x(l).toFixed(1)} ${this.y(v).toFixed(1)}`,
      )
      .filter(Boolean);
  }

  // Names stand beside the curves' ends, in the order of these and as near as
  // they can; a line leads to each.
  writeNames(ends) {
    ends.sort((one, other) => one.from - other.from);
    for (let round = 0; round < 50; round++) {
      for (let i = 1; i < ends.length; i++) {
        const lack = Math.max(0, 15 - (ends[i].y - ends[i - 1].y));
        ends[i - 1].y -= lack / 2;
        ends[i].y += lack / 2;
      }
    }
    this.names.replaceChildren();
    for (const { x, from, y, text } of ends) {
      const d = `M${x + 1} ${from}L${x + 10} ${y}`;
      element("path", { d, stroke: "#808080" }, this.names);
      element("text", { x: x + 13, y: y + 5 }, this.names, text);
    }
  }

  // `curves`: { name, values, color }, and a band { low, high }, or `ghost`,
  // `pinned`, or the name of a `law`; that or `end` is written at its end. The
  // data have `more` columns besides.
  draw(curves, alt, more = []) {
    this.setUnits(Math.max(...curves.map(({ values }) => values.length)) - 1);
    this.curves.replaceChildren();
    const ends = [];
    for (const { values, low, high, color, ...is } of curves) {
      const kind = Object.keys(KINDS).find((k) => is[k]) || "curve";
      const [width, dashes] = KINDS[kind];
      const group = element("g", { class: kind }, this.curves);
      if (low) {
        const band = [...this.path(low), ...this.path(high).reverse()];
        element(
          "path",
          { d: `M${band.join("L")}Z`, fill: color, "fill-opacity": 0.22 },
          group,
        );
      }
      element(
        "path",
        {
          d: `M${this.path(values).join("L")}`,
          fill: "none",
          stroke: color,
          "stroke-width": width,
          "stroke-dasharray": dashes,
        },
        group,
      );
      const end = values.findLastIndex(Number.isFinite);
      if (end < 1) continue;
      const [x, y] = [this.x(end), this.y(values[end])];
      const from = Math.min(Math.max(y, TOP), HEIGHT - BOTTOM);
      if (is.end) ends.push({ x, from, y: from, text: is.end });
      const above = { x, y: Math.max(y - 6, TOP + 12), "text-anchor": "end" };
      if (is.law) element("text", above, group, is.law);
    }
    this.writeNames(ends);
    const columns = curves.map(({ name, values, low, high, law }) => ({
      panel: this.labels.y,
      name: name ?? law,
      labels: this.labels,
      x: values.map((_, l) => l),
      y: values,
      low,
      high,
    }));
    record(this.svg, [...columns, ...more]);
    this.svg.setAttribute("aria-label", alt);
  }
}
