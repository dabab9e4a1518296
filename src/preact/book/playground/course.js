// A network's course through its training: the network at one step, and two maps, in
// which a row grows with every step, as on the cover.
import { element, fill } from "#scripts/charts.js";

const LOUD = "#cf3f4f",
  QUIET = "#4a6fd0"; // as on the cover
const FULL = 2; // powers of ten at which a color is at its strongest
const LEVELS = 12; // of opacity
const WIDTH = 400,
  LEFT = 32,
  PLOT = 362;
const UNITS = { y: 21, high: 20 },
  GRADIENT = { y: 72, tall: 120 },
  OPEN = { y: 213, tall: 60 };

// From -LEVELS, far smaller than at the last unit, to LEVELS, far larger.
function loudness(gradient) {
  return gradient.map((g) => {
    const level = (LEVELS * Math.log10(g / gradient.at(-1))) / FULL;
    const near = Math.max(-LEVELS, Math.min(LEVELS, Math.round(level)));
    return Number.isNaN(near) ? 0 : near;
  });
}

// By the root, so that 0.3 times and 0.8 times look different, too.
const paint = (level) => ({
  fill: level > 0 ? LOUD : QUIET,
  "fill-opacity": Math.sqrt(Math.abs(level / LEVELS)).toFixed(2),
});

export class Course {
  constructor(name, words, steps) {
    this.name = name;
    this.words = words;
    this.steps = steps;
    this.svg = element("svg", {
      viewBox: `0 0 ${WIDTH} ${OPEN.y + OPEN.tall + 16}`,
      role: "img",
      style: `width:${WIDTH}px`,
    });
    const hatch = element(
      "pattern",
      {
        id: `smaller-${Math.random().toString(36).slice(2)}`,
        width: 5,
        height: 5,
        patternUnits: "userSpaceOnUse",
        patternTransform: "rotate(45)",
      },
      this.svg,
    );
    element("path", { d: "M2 0v5" }, hatch);
    this.hatched = `url(#${hatch.id})`;
    this.units = element("g", { class: "units" }, this.svg);
    this.at = element("text", { x: LEFT, y: UNITS.y - 6 }, this.svg);
    this.makeKey();
    for (const [name, { y, tall }] of Object.entries({
      gradient: GRADIENT,
      open: OPEN,
    })) {
      element("text", { x: LEFT, y: y - 5 }, this.svg, words[name]);
      element("rect", { ...this.box(y, tall), class: "box" }, this.svg);
      for (const step of [1, steps]) {
        const at = {
          x: LEFT - 4,
          y: y + (tall * step) / steps + 3,
          "text-anchor": "end",
        };
        element("text", at, this.svg, step);
      }
    }
    this.rows = element("g", { "shape-rendering": "crispEdges" }, this.svg);
    this.axis = element("g", {}, this.svg);
    this.frames = [GRADIENT, OPEN].map(({ y, tall }) =>
      element(
        "rect",
        { ...this.box(y, tall / steps), class: "frame" },
        this.svg,
      ),
    );
  }

  // What the colors say, at the end of the line above the first map.
  makeKey() {
    const words = ["÷ 100", "× 100"];
    const [high, wide] = [9, 8];
    const y = GRADIENT.y - 5;
    const right = LEFT + PLOT - 46; // on a phone letters are larger
    const levels = [-LEVELS, -LEVELS / 2, 0, LEVELS / 2, LEVELS];
    const left = right - wide * levels.length;
    const write = (x, anchor, text) =>
      element("text", { x, y, "text-anchor": anchor }, this.svg, text);
    write(left - 3, "end", words[0]);
    write(right + 3, "start", words[1]);
    levels.forEach((level, i) => {
      const place = {
        x: left + wide * i,
        y: y - 8,
        width: wide,
        height: high,
      };
      element("rect", { ...place, ...paint(level) }, this.svg);
      if (level < 0) {
        element("rect", { ...place, fill: this.hatched }, this.svg);
      }
      element("rect", { ...place, class: "box" }, this.svg);
    });
  }

  box(y, height) {
    return { x: LEFT, y, width: PLOT, height };
  }

  // Draw the steps of a run that are not there yet, and the network at one of them.
  draw(run, at) {
    const count = run.gradient[0].length;
    if (run !== this.run) {
      this.run = run;
      this.drawn = 0; // of its steps
      this.cell = PLOT / count;
      this.rows.replaceChildren();
      this.axis.replaceChildren();
      const y = OPEN.y + OPEN.tall + 13;
      for (const [share, anchor, text] of [
        [0, "start", 0],
        [0.5, "middle", this.words.axis],
        [1, "end", count - 1],
      ]) {
        const place = { x: LEFT + PLOT * share, y, "text-anchor": anchor };
        element("text", place, this.axis, text);
      }
    }
    for (; this.drawn < run.gradient.length; this.drawn++) {
      this.addRow(run, this.drawn);
    }
    for (const [i, { y, tall }] of [GRADIENT, OPEN].entries()) {
      this.frames[i].setAttribute("y", y + (tall / this.steps) * at);
    }
    const said = { name: this.name, step: at + 1 };
    this.at.textContent = fill(this.words.network, said);
    this.drawUnits(loudness(run.gradient[at]), run.open[at]);
  }

  // Equal neighbors are one piece.
  addRow({ gradient, open }, step) {
    const pieces = (levels, { y, tall }, style) => {
      const high = tall / this.steps;
      let start = 0;
      levels.forEach((level, l) => {
        if (level === levels[l + 1]) return;
        const x = LEFT + this.cell * start;
        const width = this.cell * (l + 1 - start);
        const place = { x, y: y + high * step, width, height: high };
        if (level) element("rect", { ...place, ...style(level) }, this.rows);
        if (level < 0) {
          element("rect", { ...place, fill: this.hatched }, this.rows);
        }
        start = l + 1;
      });
    };
    pieces(loudness(gradient[step]), GRADIENT, paint);
    const shares = open[step].map((share) => Math.round(share * LEVELS));
    pieces(shares, OPEN, (level) => ({
      fill: "currentColor",
      "fill-opacity": (0.75 * level) / LEVELS,
    }));
  }

  // A unit glows by its gradient; the shortcut below it is as thick as it is open.
  drawUnits(levels, open) {
    this.units.replaceChildren();
    const { y, high } = UNITS;
    levels.forEach((level, l) => {
      const x = LEFT + this.cell * (l + 0.12);
      const place = { x, y, width: this.cell * 0.76, height: high, rx: 3 };
      const glow = `filter:drop-shadow(0 0 ${level / 2}px ${LOUD})`;
      const style = level > 0 ? glow : "";
      element("rect", { ...place, ...paint(level), style }, this.units);
      element("rect", { ...place, class: "box" }, this.units);
      if (level < 0) {
        element("rect", { ...place, fill: this.hatched }, this.units);
      }
      const tall = 5 * (open[l] || 0);
      const path = { x: LEFT + this.cell * l, width: this.cell, height: tall };
      element(
        "rect",
        { ...path, y: y + high + 6 - tall / 2, fill: "currentColor" },
        this.units,
      );
    });
  }
}
