// The playground: two networks of the reader's choice train in workers; for each, a
// map grows with every step, and the charts have both, and those that are pinned.
import { figure, fill, node, stroke } from "#scripts/charts.js";
import { button } from "#scripts/controls.js";
import { DepthChart } from "#scripts/depth.js";
import { choice, control, planOf, range } from "#scripts/stack.js";
import { Course } from "./course.js";
import { Runs } from "./runs.js";
import * as say from "./verdict.js";
const { digits, written } = say;

const ARMS = ["a", "b"];
const GUESSES = [...ARMS, "same"];
const KINDS = ["curve", "ghost"]; // of their curves
const DASHES = ["none", "2 4"]; // the same where they are pinned
const TICKS = {
  loss: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
  error: [0.3, 1, 3, 10, 30, 100],
};
const CHANCE = { loss: Math.log(10), error: 90 }; // of who guesses blindly
const GRAY = "#767676"; // of what is pinned
const RESTS = 80; // ms without a move until fresh networks are computed
const TIMES = [1, 2, 4]; // as many steps as at first
const SEEDS = 21;

// Mean of the last `window` values up to each step.
function smooth(values, window) {
  return values.map((_, i) => {
    const last = values.slice(Math.max(0, i - window + 1), i + 1);
    return last.reduce((a, b) => a + b, 0) / last.length;
  });
}

// Two that were trained, each beside another one, are still to be guessed about.
const firstStep = ({ loss, error, gradient, open }) => ({
  loss: loss.slice(0, 1),
  error: error.slice(0, 1),
  gradient: gradient.slice(0, 1),
  open: open.slice(0, 1),
});

// As if the reader had moved it.
function move(field, value) {
  field.value = value;
  for (const name of ["input", "change"]) {
    field.dispatchEvent(new Event(name, { bubbles: true }));
  }
}

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
  chapters;
  pinned = [];
  pairs = new Set(); // of settings that were trained together
  opened = false;

  constructor(host) {
    this.host = host;
    host.closest(".bd-main")?.classList.add("one-screen");
    Object.assign(this, JSON.parse(host.dataset.playground));
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.runs = new Runs(host);
    const asked = this.makeQuestion();
    const bar = this.makeBar();
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
      ...asked,
      ...{ a: a.form, b: b.form, results },
      ...{ bar, mapa: a.box, mapb: b.box },
    };
    host.replaceChildren(...Object.values(parts));
    for (const [area, part] of Object.entries(parts)) {
      part.style.gridArea = area;
    }
    host.addEventListener("input", ({ target }) => {
      if (target !== this.cursor) this.refresh();
    });
    this.refresh();
    host.dataset.live = "true";
  }

  // In the order in which they are needed: how the networks differ, the guess, what
  // trains, the verdict, and what opens the settings on a phone.
  makeQuestion() {
    const { words, steps } = this;
    this.compared = node("p", { className: "compared", role: "status" });
    this.bets = GUESSES.map((guess) =>
      button("guess", words[guess], () => this.bet(guess)),
    );
    const group = { className: "guess", role: "group" };
    group["aria-label"] = words.guess;
    const bets = node("span", { className: "bets" }, ...this.bets);
    const guess = node("span", group, words.guess, " ", bets);
    this.train = button("train", "", () =>
      this.training ? this.stop() : this.compute(this.steps),
    );
    const lengths = TIMES.map((times) => [
      times * steps,
      fill(words.lasting, { steps: times * steps }),
    ]);
    this.length = choice(lengths, steps);
    this.length.name = "steps";
    this.length.setAttribute("aria-label", words.steps);
    this.length.addEventListener("input", () => this.changeLength());
    const another = button("another", words.another, () => this.reseed());
    const trains = [this.train, this.length, another];
    const go = node(
      "div",
      { className: "go" },
      guess,
      node("div", { className: "controls" }, ...trains),
    );
    this.verdict = node("p", { className: "verdict" });
    this.reason = node("p", { className: "reason" });
    const said = node("div", { role: "status" }, this.verdict, this.reason);
    const settings = button("settings", words.settings, () => {
      const open = settings.getAttribute("aria-expanded") === "false";
      settings.setAttribute("aria-expanded", String(open));
    });
    settings.setAttribute("aria-expanded", "false");
    return { compared: this.compared, go, said, settings };
  }

  makeBar() {
    const { words, steps } = this;
    this.pin = button("pin", "", () => this.togglePin());
    this.kept = node("input", { type: "hidden", name: "pinned" });
    this.kept.addEventListener("input", () => {
      this.pinned = this.legal(this.kept.value);
      if (!this.pinned.length) this.kept.value = "";
    });
    this.cursor = range(1, steps, 1, steps);
    this.cursor.dataset.own = "";
    this.cursor.addEventListener("input", () => this.draw());
    const bar = node("div", { className: "controls" });
    control(bar, "step", words.step, this.cursor);
    bar.append(this.pin, this.kept);
    return bar;
  }

  // A guess is the reader's own, and holds for one training.
  bet(guess) {
    this.guess = guess;
    this.bets.forEach((bet, i) => {
      bet.setAttribute("aria-pressed", String(GUESSES[i] === guess));
    });
  }

  // Networks are trained from the start again, for all of the steps.
  changeLength() {
    this.steps = Number(this.length.value);
    this.runs.known.clear();
    this.pairs.clear();
    this.bet();
    this.cursor.max = this.steps;
    move(this.cursor, this.steps);
    for (const arm of this.arms) {
      const { name, svg } = arm.course;
      arm.course = new Course(name, this.words, this.steps);
      svg.replaceWith(arm.course.svg);
    }
  }

  // The same question, asked of the next seed of both.
  reseed() {
    const fields = this.arms.map(({ inputs }) => inputs.seed);
    for (const field of fields) move(field, (Number(field.value) + 1) % SEEDS);
  }

  makeArm(name) {
    const { words, rows, choices, steps } = this;
    const key = node("legend");
    const form = node("fieldset", {}, key);
    const names = Object.keys(rows).map((row) => [row, rows[row].name]);
    const list = (of) => Object.entries(choices[of]);
    const inputs = {
      row: choice(names, this.start[name]),
      shortcut: choice(list("shortcut"), "1"),
      tail: choice(list("tail"), "derived"),
      units: range(2, this.most, 1, 20),
      lr: choice(list("lr"), "0.1"),
      seed: range(0, SEEDS - 1, 1, 0),
    };
    for (const [field, input] of Object.entries(inputs)) {
      control(form, `${name}.${field}`, words[field], input);
    }
    const course = new Course(words[name], words, steps);
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

  question(settings, steps) {
    const { row, shortcut, tail, units, lr, seed } = this.read(settings);
    const { inputs, width, batch, recipe } = this;
    const plan = planOf(this.rows[row], {
      ...{ inputs, width, tail },
      units: Number(units),
      factor: Number(shortcut),
    });
    const rates = { ...recipe, lr: Number(lr) };
    return { row, plan, batch, seed: Number(seed), recipe: rates, steps };
  }

  togglePin() {
    const text = this.arms.map((arm) => this.settings(arm)).join(";");
    move(this.kept, this.pinned.length ? "" : text);
  }

  // --------------------------------------------------------------- computing
  // Compute what nobody has computed, once the moves rest: fresh networks, since
  // settings are there to be guessed about, unless an address pins some.
  refresh() {
    this.halt();
    const before = String(this.now);
    this.now = this.arms.map((arm) => this.settings(arm));
    if (String(this.now) !== before) this.bet();
    const reads = this.now.map((settings) => this.read(settings));
    this.compared.textContent = say.compared(this.words, reads);
    if (!this.now.every((settings) => this.runs.get(settings))) {
      this.host.setAttribute("aria-busy", "true");
      const fresh = () => this.opened || !this.pinned.length;
      this.resting = setTimeout(
        () => this.compute(fresh() ? 1 : this.steps),
        RESTS,
      );
    }
    this.conclude();
  }

  halt() {
    clearTimeout(this.resting);
    this.runs.halt();
    this.training = false;
    this.host.removeAttribute("aria-busy");
  }

  async compute(steps) {
    const training = steps > 1;
    if (training) this.halt();
    if (!this.opened) this.host.setAttribute("aria-busy", "true");
    this.opened = true;
    this.training = training;
    const all = [...new Set([...this.now, ...this.pinned])];
    const lack = all.filter((settings) => {
      const run = this.runs.get(settings);
      return training ? !run?.done : !run;
    });
    const asked = lack.length ? lack : this.now; // once more, to be watched
    if (training) {
      move(this.cursor, steps);
      this.report(this.words.running);
    }
    try {
      await this.runs.compute(
        asked,
        (settings) => this.question(settings, steps),
        () => {
          if (this.still) return;
          this.frame ??= requestAnimationFrame(() => this.draw());
        },
      );
      this.halt();
      if (training) this.pairs.add(this.now.join(";"));
      this.conclude();
    } catch (error) {
      this.halt();
      this.report(error.message ?? this.words.unloaded);
    }
  }

  // Both are shown at the last step that both have.
  stop() {
    const runs = this.now.map((settings) => this.runs.get(settings));
    move(this.cursor, Math.min(...runs.map((run) => run?.loss.length || 1)));
    this.halt();
    this.report(this.words.stopped);
  }

  // ----------------------------------------------------------------- showing
  // The runs of two networks, if they were trained together.
  trained(both) {
    const runs = both.map((settings) => this.runs.get(settings));
    const all =
      this.pairs.has(both.join(";")) && runs.every((run) => run?.done);
    return all && runs;
  }

  // Of both networks, and of the same two from other seeds.
  conclude() {
    const { words, steps, guess, now } = this;
    const { unseen } = this.runs;
    const runs = this.trained(now);
    if (!runs) return this.report("");
    const ends = Array.from({ length: SEEDS }, (_, more) =>
      this.trained(
        now.map((settings) =>
          settings.replace(/\d+$/, (seed) => String((+seed + more) % SEEDS)),
        ),
      ),
    ).flatMap((both) => (both ? [say.ahead(both, unseen)] : []));
    const reads = now.map((settings) => this.read(settings));
    const found = say.differences(reads);
    const page = this.chapters[found[0]];
    this.report(
      say.verdict(words, { runs, unseen, steps, guess }),
      say.tally(words, ends),
      say.reason(words, reads, runs, unseen),
      page ? node("a", { href: page[1], textContent: page[0] }) : "",
    );
  }

  report(verdict, ...more) {
    this.verdict.textContent = verdict;
    this.reason.replaceChildren(...more.flatMap((one) => [one, " "]));
    this.show();
  }

  show() {
    const { words, host, training } = this;
    const done = Boolean(this.trained(this.now));
    host.dataset.state = training ? "running" : done ? "done" : "ready";
    const trains = done ? words.again : words.train;
    this.train.textContent = training ? words.stop : trains;
    for (const bet of this.bets) bet.disabled = training || done;
    this.pin.textContent = this.pinned.length ? words.unpin : words.pin;
    this.pin.disabled = training;
    this.arms.forEach(({ key, inputs, recorded }, i) => {
      const { color, row, shortcut, tail, lr } = this.read(this.now[i]);
      const ops = this.rows[row].spec.pre.join(" ") || words.none;
      /** @type {any} */ (inputs.tail).options[0].text = fill(words.derived, {
        ops,
      });
      key.replaceChildren(words[ARMS[i]], " ", stroke(color, KINDS[i]));
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
    const known = this.runs.get(settings);
    if (!known) return [];
    const waits = this.now.every((one) => this.runs.get(one)?.done);
    const hidden = waits && !pinned && !this.trained(this.now);
    const run = hidden ? firstStep(known) : known;
    const at = Math.min(Number(this.cursor.value), run.loss.length) - 1;
    const [loss, error] = [run.loss, run.error].map((v) => smooth(v, window));
    const arm = words[ARMS[i]];
    const { name, ...looks } = this.read(settings);
    const color = pinned ? GRAY : looks.color;
    const label = `${pinned ? fill(words.pinned, { name: arm }) : arm} ${name}`;
    const later = Array(steps - run.loss.length).fill(NaN);
    const is = pinned ? { pinned, dashes: DASHES[i] } : { [KINDS[i]]: true };
    const end = pinned ? `(${arm})` : arm;
    const curve = (values) => ({
      ...{ name: label, color, ...is, end },
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
    const kind = pinned ? DASHES[i] : KINDS[i];
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
      const values = Array(this.steps + 1).fill(CHANCE[quantity]);
      const chance = { law: words.chance, color: GRAY, values };
      chart.draw(
        [chance, ...all.map(({ curves }) => curves[quantity])],
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
    const steps = new Set(all.map(({ at }) => at + 1)); // one has not been trained
    const step = [...steps].join(words.list);
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
