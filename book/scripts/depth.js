// A chart of curves over depth, or over time, on a logarithmic axis that does not
// move, for the explorers.
import {
  FRAME,
  KINDS,
  along,
  drawing,
  element,
  evenMarks,
  inside,
  record,
  rule,
  tickText,
  trace,
  write,
} from "./charts.js";
const { WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM } = FRAME;

// How a fresh signal grows with depth, by what a unit adds.
export const LAWS = {
  root: (l) => Math.sqrt(l + 1),
  linear: (l) => (l > 0 ? l / Math.sqrt(2 * Math.PI) : NaN),
};

// One chart draws any curves, and its axis of depth changes only with their length,
// or never: `across` is then { marks, share }, what is written and where it stands.
export class DepthChart {
  line; // at a depth

  // `margin` has room for names at the ends of curves.
  constructor({ title, xlabel, ticks, across = null, margin = 0 }) {
    this.labels = { x: xlabel, y: title };
    this.across = across;
    const [low, high] = [ticks[0], ticks.at(-1)].map(Math.log10);
    this.x = (l) => LEFT + (WIDTH - LEFT - RIGHT) * this.across.share(l);
    this.y = (v) =>
      TOP + (HEIGHT - TOP - BOTTOM) * along(Math.log10(v), low, high);
    this.svg = drawing(WIDTH + margin, HEIGHT);
    this.svg.style.overflow = "visible"; // of the last depth
    write(this.svg, 2, 14, title);
    for (const tick of ticks) rule(this.svg, this.y(tick), tickText(tick));
    this.depths = element("g", {}, this.svg);
    const middle = (LEFT + WIDTH - RIGHT) / 2;
    write(this.svg, middle, HEIGHT - 5, xlabel, "middle");
    this.curves = inside(this.svg);
    this.names = element("g", {}, this.svg);
    this.moves = !across;
    if (across) this.writeMarks();
  }

  writeMarks() {
    this.depths.replaceChildren();
    for (const l of this.across.marks) {
      write(this.depths, this.x(l), HEIGHT - BOTTOM + 16, l, "middle");
    }
  }

  setUnits(units) {
    if (this.units === units) return;
    this.units = units;
    const share = (l) => l / Math.max(units, 1);
    this.across = { marks: evenMarks(units), share };
    this.writeMarks();
  }

  // What is no number, or null, is left out.
  path(values, at) {
    return values.flatMap((v, i) =>
      v === null || Number.isNaN(v)
        ? []
        : [`${this.x(at[i]).toFixed(1)} ${this.y(v).toFixed(1)}`],
    );
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
      if (ends.length) ends[0].y = Math.max(ends[0].y, TOP); // below the title
    }
    this.names.replaceChildren();
    for (const { x, from, y, text } of ends) {
      trace(this.names, `M${x + 1} ${from}L${x + 10} ${y}`, "#808080");
      write(this.names, x + 13, y + 5, text);
    }
  }

  // A line across all curves at a depth.
  mark(l) {
    this.line ??= trace(this.svg, "", "currentColor");
    this.line.setAttribute("d", `M${this.x(l)} ${TOP}V${HEIGHT - BOTTOM}`);
  }

  // `curves`: { name, values, color }, and a band { low, high }, or `ghost`,
  // `pinned`, or the name of a `law`; that or `end` is written at its end. They
  // stand at 0, 1, ... or `at` other places. The data have `more` columns besides.
  draw(curves, alt, more = []) {
    const longest = Math.max(...curves.map(({ values }) => values.length));
    if (this.moves) this.setUnits(longest - 1);
    this.curves.replaceChildren();
    const ends = [];
    const columns = [];
    for (const { name, values, low, high, color, ...is } of curves) {
      const { labels } = this;
      const at = is.at ?? [...values.keys()];
      const shown = { name: name ?? is.law, panel: labels.y, labels };
      columns.push({ ...shown, x: at, y: values, low, high });
      const kind = Object.keys(KINDS).find((k) => is[k]) || "curve";
      const [width, dashes] = KINDS[kind];
      const group = element("g", { class: kind }, this.curves);
      if (low) {
        const band = [...this.path(low, at), ...this.path(high, at).reverse()];
        const style = { fill: color, "fill-opacity": 0.22 };
        trace(group, `M${band.join("L")}Z`, "none", style);
      }
      const points = this.path(values, at);
      if (points.length) {
        trace(group, `M${points.join("L")}`, color, {
          "stroke-width": width,
          "stroke-dasharray": is.dashes ?? dashes,
        });
      }
      const end = values.findLastIndex(Number.isFinite);
      if (end < 1) continue;
      const [x, y] = [this.x(at[end]), this.y(values[end])];
      const from = Math.min(Math.max(y, TOP), HEIGHT - BOTTOM);
      if (is.end) ends.push({ x, from, y: from, text: is.end });
      if (is.law) write(group, x, Math.max(y - 6, TOP + 12), is.law, "end");
    }
    this.writeNames(ends);
    record(this.svg, [...columns, ...more]);
    this.svg.setAttribute("aria-label", alt);
  }
}

// A chart for each quantity that has ticks.
export const chartsOf = (words, ticks) =>
  Object.entries(ticks).map(([quantity, of]) => {
    const axes = { title: words[quantity], xlabel: words.depth, ticks: of };
    return { quantity, chart: new DepthChart(axes) };
  });
