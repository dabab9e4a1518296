// The playground: two networks of the reader's choice train in a worker; for each, a
// row of the cover's map grows with every step, and the charts have both, and those
// that are pinned.
import {
  element,
  figure,
  fill,
  node,
  numberText,
  stroke,
} from "#scripts/charts.js";
import { DepthChart } from "#scripts/depth.js";
import { loadBundle } from "#scripts/load.js";
import { choice, control, planOf, range } from "#scripts/stack.js";
import { makeWorker } from "#scripts/worker.js";

const ARMS = ["a", "b"];
const KINDS = ["curve", "ghost"]; // of their curves
const TICKS = {
  loss: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
  error: [0.3, 1, 3, 10, 30, 100],
};
const GRAY = "#767676"; // of what is pinned
const RESTS = 80; // ms without a move until fresh networks are computed
const LOUD = "#cf3f4f",
  QUIET = "#4a6fd0"; // as on the cover
const FULL = 2; // powers of ten at which a color is at its strongest
const LEVELS = 12; // of opacity
const WIDTH = 400,
  LEFT = 32,
  PLOT = 362;
const UNITS = { y: 18, high: 20 },
  GRADIENT = { y: 69, tall: 128 },
  OPEN = { y: 219, tall: 66 };
const TIMES = [1, 2, 4]; // as many steps as at first

// Mean of the last `window` values up to each step.
function smooth(values, window) {
  return values.map((_, i) => {
    const last = values.slice(Math.max(0, i - window + 1), i + 1);
    return last.reduce((a, b) => a + b, 0) / last.length;
  });
}

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
const written = (value) => (Number.isFinite(value) ? numberText(value) : "–");
const digits = (value) =>
  Number.isFinite(value) ? value.toFixed(value < 10 ? 1 : 0) : "–";

// As if the reader had moved it.
function move(field, value) {
  field.value = value;
  for (const name of ["input", "change"]) {
    field.dispatchEvent(new Event(name, { bubbles: true }));
  }
}

// ----------------------------------------------------------- a network's course
class Course {
  name;
  words;
  steps;
  run;
  drawn;
  cell;

  constructor(name, words, steps) {
    Object.assign(this, { name, words, steps });
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
    element("path", { d: "M2 0v5", stroke: QUIET }, hatch);
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
      Object.assign(this, { run, drawn: 0, cell: PLOT / count });
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

// -------------------------------------------------------------------- the page
class Playground {
  words;
  rows;
  choices;
  most;
  start;
  inputs;
  width;
  batch;
  steps;
  window;
  recipe;
  records;
  first;
  opened = false;

  constructor(host) {
    this.host = host;
    host.closest(".bd-main")?.classList.add("one-screen");
    Object.assign(this, JSON.parse(host.dataset.playground));
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.known = new Map(); // runs by their settings
    this.pinned = [];
    this.makeBar();
    this.arms = ARMS.map((name) => this.makeArm(name));
    const { words } = this;
    this.charts = Object.entries(TICKS).map(([quantity, ticks]) => {
      const title = words[quantity];
      const axes = { title, xlabel: words.step, ticks, margin: 36 };
      return { quantity, chart: new DepthChart(axes) };
    });
    this.pictures = figure(...this.charts.map(({ chart }) => chart.svg));
    this.table = node("table");
    const results = node("div", {}, this.table, this.pictures);
    const [a, b] = this.arms;
    const parts = {
      ...{ go: this.go, a: a.form, b: b.form, bar: this.bar, results },
      ...{ mapa: a.box, mapb: b.box },
    };
    host.replaceChildren(...Object.values(parts));
    for (const [area, part] of Object.entries(parts)) {
      part.style.gridArea = area;
    }
    host.addEventListener("input", ({ target }) => {
      if (target !== this.cursor) this.refresh();
    });
    this.first = this.arms.map((arm) => this.settings(arm)).join();
    this.refresh();
    host.dataset.live = "true";
  }

  makeBar() {
    const { words, steps } = this;
    const button = (name, act, textContent = "") => {
      const made = node("button", { type: "button", name, textContent });
      made.addEventListener("click", act);
      return made;
    };
    this.train = button("train", () =>
      this.training ? this.stop() : this.compute(this.steps),
    );
    const again = button("reset", () => this.startAgain(), words.reset);
    const lengths = TIMES.map((times) => [
      times * steps,
      fill(words.lasting, { steps: times * steps }),
    ]);
    this.length = choice(lengths, steps);
    this.length.name = "steps";
    this.length.setAttribute("aria-label", words.steps);
    this.length.addEventListener("input", () => this.changeLength());
    this.bets = ARMS.map((arm) =>
      button("guess", () => this.bet(arm), arm.toUpperCase()),
    );
    this.guess = node(
      "span",
      { role: "group" },
      words.guess,
      " ",
      ...this.bets,
    );
    this.guess.setAttribute("aria-label", words.guess);
    this.pin = button("pin", () => this.togglePin());
    this.kept = node("input", { type: "hidden", name: "pinned" });
    this.kept.addEventListener("input", () => {
      this.pinned = this.legal(this.kept.value);
      if (!this.pinned.length) this.kept.value = "";
    });
    this.cursor = range(1, steps, 1, steps);
    this.cursor.dataset.own = "";
    this.cursor.addEventListener("input", () => this.draw());
    this.status = node("p", { className: "facts" });
    this.status.setAttribute("role", "status");
    const go = [this.train, this.length, this.guess, this.status];
    this.go = node("div", { className: "controls go" }, ...go);
    this.bar = node("div", { className: "controls" });
    control(this.bar, "step", words.step, this.cursor);
    this.bar.append(this.pin, again, this.kept);
  }

  // A guess is the reader's own, and holds for one training.
  bet(arm) {
    this.mine = arm;
    this.bets.forEach((bet, i) => {
      bet.setAttribute("aria-pressed", String(ARMS[i] === arm));
    });
  }

  // Networks are trained from the start again, for all of the steps.
  changeLength() {
    this.steps = Number(this.length.value);
    this.known.clear();
    this.cursor.max = this.steps;
    move(this.cursor, this.steps);
    for (const arm of this.arms) {
      const { name, svg } = arm.course;
      arm.course = new Course(name, this.words, this.steps);
      svg.replaceWith(arm.course.svg);
    }
  }

  startAgain() {
    const values = this.first.split(",");
    move(this.cursor, this.steps);
    /** @type {any[]} */
    const inputs = this.arms.flatMap((arm) => Object.values(arm.inputs));
    if (this.pinned.length) this.togglePin();
    inputs.forEach((input, i) => move(input, values[i]));
  }

  makeArm(name) {
    const { words, rows, choices, steps } = this;
    const key = node("legend");
    const form = node("fieldset", {}, key);
    const names = Object.keys(rows).map((row) => [row, rows[row].name]);
    const list = (of) => Object.entries(choices[of]);
    const inputs = {
      row: [words.row, choice(names, this.start[name])],
      shortcut: [words.shortcut, choice(list("shortcut"), "1")],
      tail: [words.tail, choice(list("tail"), "derived")],
      units: [words.units, range(2, this.most, 1, 20)],
      lr: [words.rate, choice(list("lr"), "0.1")],
      seed: [words.seed, range(0, 20, 1, 0)],
    };
    for (const [field, [label, input]] of Object.entries(inputs)) {
      inputs[field] = control(form, `${name}.${field}`, label, input);
    }
    const course = new Course(name.toUpperCase(), words, steps);
    const recorded = node("p", { className: "recorded" });
    form.append(recorded);
    const box = node("div", { className: "course preact-figure" }, course.svg);
    return { key, form, inputs, course, recorded, box };
  }

  // ---------------------------------------------------------------- settings
  // Of an arm, as its run is known by, and as the address has what is pinned.
  settings({ inputs }) {
    return Object.values(inputs)
      .map((input) => input.value)
      .join();
  }

  // What an address says is pinned, if both arms can have it.
  legal(text) {
    const fields = Object.values(this.arms[0].inputs);
    const can = (input, value) =>
      input.type === "range"
        ? /^\d+$/.test(value) && +value >= +input.min && +value <= +input.max
        : [...input.options].some((option) => option.value === value);
    const all = text.split(";").map((one) => one.split(","));
    const good = (values) =>
      values.length === fields.length &&
      fields.every((input, i) => can(input, values[i]));
    return all.length === ARMS.length && all.every(good)
      ? text.split(";")
      : [];
  }

  // What such settings stand for.
  read(settings) {
    const [row, shortcut, tail, units, lr, seed] = settings.split(",");
    const { spec, ...looks } = this.rows[row];
    const ops = { derived: spec.pre, none: [], BN: ["BN"] }[tail];
    return { ...looks, row, shortcut, units, lr, seed, tail: ops };
  }

  question(settings) {
    const { row, shortcut, tail, units, lr, seed } = this.read(settings);
    const { inputs, width, batch, recipe } = this;
    const plan = planOf(this.rows[row], {
      ...{ inputs, width, tail },
      units: Number(units),
      factor: Number(shortcut),
    });
    const rates = { ...recipe, lr: Number(lr) };
    return { row, plan, batch, seed: Number(seed), recipe: rates };
  }

  togglePin() {
    const text = this.arms.map((arm) => this.settings(arm)).join(";");
    move(this.kept, this.pinned.length ? "" : text);
  }

  // --------------------------------------------------------------- computing
  // Compute what nobody has computed, once the moves rest: fresh networks, since
  // settings are there to be guessed about, unless an address pins some.
  refresh() {
    const { host } = this;
    this.halt();
    this.bet();
    this.now = this.arms.map((arm) => this.settings(arm));
    if (!this.now.every((settings) => this.known.has(settings))) {
      host.setAttribute("aria-busy", "true");
      const fresh = () => this.opened || !this.pinned.length;
      this.resting = setTimeout(
        () => this.compute(fresh() ? 1 : this.steps),
        RESTS,
      );
    }
    this.status.textContent = this.outcome();
    this.show();
  }

  // What both networks make of digits that they have not seen, once trained.
  outcome() {
    const { words, steps, mine } = this;
    const runs = this.now.map((settings) => this.known.get(settings));
    if (!runs.every((run) => run?.done)) return "";
    const [a, b] = runs.map(({ test }) =>
      fill(words.percent, { value: digits(100 * test) }),
    );
    let said = fill(words.done, { steps, a, b });
    const apart = runs[0].test - runs[1].test;
    const better = apart < 0 ? "a" : "b";
    const verdict = mine === better ? words.hit : words.miss;
    if (mine) said = fill(apart ? verdict : words.draw, { said });
    for (const [i, { loss }] of runs.entries()) {
      const name = ARMS[i].toUpperCase();
      if (Number.isFinite(loss.at(-1))) continue;
      said = fill(words.diverged, { said, name });
    }
    return said;
  }

  halt() {
    clearTimeout(this.resting);
    for (const worker of this.workers ?? []) worker.terminate();
    this.workers = null;
    this.training = false;
    this.host.removeAttribute("aria-busy");
  }

  // Each network in a worker of its own.
  async compute(steps) {
    const training = steps > 1;
    if (training) this.halt();
    if (!this.opened) this.host.setAttribute("aria-busy", "true");
    this.opened = true;
    this.training = training;
    const all = [...new Set([...this.now, ...this.pinned])];
    const lack = all.filter((settings) => {
      const run = this.known.get(settings);
      return training ? !run?.done : !run;
    });
    const asked = lack.length ? lack : all; // once more, to be watched
    const workers = asked.map(() => makeWorker(this.host));
    this.workers = workers;
    let left = workers.length;
    for (const [i, worker] of workers.entries()) {
      const run = { loss: [], error: [], gradient: [], open: [] };
      worker.onerror = ({ message }) => this.finish(message);
      worker.onmessage = ({ data: { loss, wrong, gradient, open, test } }) => {
        if (test === undefined) {
          run.loss.push(loss);
          run.error.push(100 * wrong);
          run.gradient.push(gradient);
          run.open.push(open);
          this.known.set(asked[i], run);
          if (!this.still)
            this.frame ??= requestAnimationFrame(() => this.draw());
          return;
        }
        Object.assign(run, { test, done: training });
        if (--left === 0) this.finish(this.outcome());
      };
    }
    if (training) {
      move(this.cursor, steps);
      this.status.textContent = this.words.running;
    }
    this.show();
    const digits = await loadBundle("digits.js").catch(() => null);
    if (this.workers !== workers) return; // stopped meanwhile
    if (!digits) return this.finish("");
    for (const [i, worker] of workers.entries()) {
      worker.postMessage({ digits, ...this.question(asked[i]), steps });
    }
  }

  // Both are shown at the last step that both have.
  stop() {
    const runs = this.now.map((settings) => this.known.get(settings));
    move(this.cursor, Math.min(...runs.map((run) => run?.loss.length || 1)));
    this.finish(this.words.stopped);
  }

  finish(text) {
    this.halt();
    this.status.textContent = text;
    this.show();
  }

  // ----------------------------------------------------------------- showing
  show() {
    const { words, host, training } = this;
    const done = this.now.every((key) => this.known.get(key)?.done);
    host.dataset.state = training ? "running" : done ? "done" : "ready";
    this.train.textContent = training ? words.stop : words.train;
    this.guess.hidden = training || done || !this.opened;
    this.pin.textContent = this.pinned.length ? words.unpin : words.pin;
    this.pin.disabled = training;
    this.arms.forEach(({ key, inputs, recorded }, i) => {
      const { color, row, shortcut, tail, lr } = this.read(this.now[i]);
      const name = ARMS[i].toUpperCase();
      const ops = this.rows[row].spec.pre.join(" ") || this.choices.tail.none;
      /** @type {any} */ (inputs.tail).options[0].text = fill(words.derived, {
        ops,
      });
      key.replaceChildren(name, " ", stroke(color, KINDS[i]));
      const like = [shortcut, row, tail.join(" "), lr].join("|");
      const [runs, low, high, href] = this.records[like] ?? [];
      const told = done ? words.recorded : words.recorded_waits;
      const textContent = fill(told, { runs, low, high });
      recorded.replaceChildren(
        runs ? node("a", { href, textContent }) : words.unrecorded,
      );
    });
    this.draw();
  }

  // What is known of an arm, or of what was pinned as this arm.
  shown(settings, i, pinned) {
    const { words, window, steps } = this;
    const run = this.known.get(settings);
    if (!run?.loss.length) return [];
    const at = Math.min(Number(this.cursor.value), run.loss.length) - 1;
    const [loss, error] = [run.loss, run.error].map((v) => smooth(v, window));
    const arm = ARMS[i].toUpperCase();
    const { name, color } = this.read(settings);
    const label = `${pinned ? fill(words.pinned, { name: arm }) : arm} ${name}`;
    const later = Array(steps - run.loss.length).fill(NaN);
    const kind = pinned ? "pinned" : KINDS[i];
    const end = pinned ? `(${arm})` : arm;
    const curve = (values) => ({
      ...{ name: label, color: pinned ? GRAY : color, [kind]: true, end },
      values: [NaN, ...values, ...later],
    });
    const curves = { loss: curve(loss), error: curve(error) };
    const gradient = run.gradient[at];
    const numbers = {
      loss: written(loss[at]),
      error: digits(error[at]),
      test: run.done ? digits(100 * run.test) : "?",
      ratio: written(gradient[0] / gradient.at(-1)),
      share: written(run.open[at].at(-1)),
    };
    return [{ run, at, curves, label, end, color, kind, numbers }];
  }

  draw() {
    this.frame = null;
    const { words } = this;
    const columns = [];
    const pinned = this.pinned.flatMap((one, i) => this.shown(one, i, true));
    const now = this.now.map((one, i) => this.shown(one, i, false));
    for (const [i, [one]] of now.entries()) {
      if (!one) continue;
      const { course } = this.arms[i];
      course.draw(one.run, one.at);
      course.svg.setAttribute("aria-label", fill(words.alt, one));
      columns.push(...this.columns(one));
    }
    const all = [...now.flat(), ...pinned];
    if (!all.length) return;
    this.tell(all);
    for (const { quantity, chart } of this.charts) {
      chart.draw(
        all.map(({ curves }) => curves[quantity]),
        [words[quantity], ...all.map(({ label }) => label)].join(
          words.semicolon,
        ),
        columns.splice(0), // once
      );
    }
    this.pictures.show(...this.charts.map(({ chart }) => chart.svg));
  }

  columns({ label, run, at }) {
    const { words } = this;
    const [gradient, open] = [run.gradient[at], run.open[at]];
    const ratio = gradient.map((g) => g / gradient.at(-1));
    return Object.entries({ gradient: ratio, open }).map(([name, y]) => ({
      panel: `${label}: ${words[name]}`,
      name: `${words.step} ${at + 1}`,
      labels: { x: words.units, y: "" },
      x: y.map((_, l) => l),
      y,
    }));
  }

  // A column of numbers for each network, with its line of the charts.
  tell(all) {
    const { words } = this;
    const row = (name, cells) =>
      node("tr", {}, node("th", { textContent: name }), ...cells);
    const step = 1 + Math.max(...all.map(({ at }) => at));
    const heads = all.map(({ label, end, color, kind }) =>
      node("th", { title: label }, end, stroke(color, kind)),
    );
    this.table.replaceChildren(
      row(fill(words.at, { step }), heads),
      ...["loss", "error", "test", "ratio", "share"].map((quantity) =>
        row(
          words[quantity],
          all.map(({ numbers }) => node("td", {}, numbers[quantity])),
        ),
      ),
    );
  }
}

export const places = {
  "preact-playground": (host) => new Playground(host),
};
