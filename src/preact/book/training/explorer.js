// Chapter 09: what a training step needs in memory, by depth, batch, precision
// and what is kept. The counts come from the package; here they are added up.
import { bars } from "#scripts/bars.js";
import { figure, fill, node, prose } from "#scripts/charts.js";
import { choice, control, facts, range } from "#scripts/controls.js";
import { Explorer } from "#scripts/explorer.js";
import { scale } from "#scripts/predict.js";

const AXIS = scale([0.01, 200], true); // GB
const ASIDE = [0, 0, -4, -4, -2, 5]; // where cards' numbers meet

// Bytes of weights, gradients and momentum, and of activations.
export function gigabytes(data, way, n, batch, width) {
  const [none, each] = data.parameters;
  const activations = data.peaks[way][n - 1] * 1e6 * width * batch;
  return (12 * (none + each * n) + activations) / 1e9;
}

class Planner extends Explorer {
  constructor(host) {
    super(host, "planner");
    const { words, start, peaks, batches } = this;
    this.ways = Object.keys(peaks);
    const controls = node("div", { className: "controls" });
    const add = (name, label, input, say) =>
      control(controls, name, `${words[label]} `, input, say);
    const most = peaks[this.ways[0]].length;
    const layers = (n) => 9 * n + 2;
    this.depth = add("depth", "layers", range(1, most, 1, start.n), layers);
    const sizes = batches.map((b) => [b, b]);
    this.batch = add("batch", "batch", choice(sizes, start.batch));
    const widths = { 1: words.fp32, 0.5: words.half };
    const precision = choice(Object.entries(widths), "1");
    this.precision = add("precision", "precision", precision);
    controls.addEventListener("input", () => this.show());
    this.said = facts();
    this.picture = figure();
    this.live(controls, this.said, this.picture);
    this.show();
  }

  show() {
    const { words, ways, cards, depth, batch, precision } = this;
    const n = Number(depth.value);
    const rows = ways.map((way) => {
      const sizes = [n, Number(batch.value), Number(precision.value)];
      const need = gigabytes(this, way, ...sizes);
      const gb = need.toFixed(need < 1 ? 2 : 1);
      const text = fill(words.row, { way: words[way], gb });
      const share = AXIS.place(need);
      // what no card holds is dashed
      const dashes = need > cards.at(-1) ? "7 3" : "none";
      return { text, share, dashes, color: "#2f7fb8" };
    });
    const said = fill(words.said, {
      depth: 9 * n + 2,
      rows: rows.map(({ text }) => text).join(words.semicolon),
    });
    this.said.replaceChildren(...prose(said));
    const marks = [0.1, 1, ...cards].map((gb, i) => ({
      ...{ share: AXIS.place(gb), text: gb, aside: ASIDE[i] },
      dashes: cards.includes(gb) ? "5 3" : "none",
    }));
    this.picture.show(bars({ title: words.axis, rows, marks, alt: said }));
  }
}

export const places = {
  "preact-planner": (host) => new Planner(host),
};
