// The playground: two networks of the reader's choice train in workers; for each, a
// map grows with every step, and the charts have both, and those that are pinned.
import { figure, fill, node, stroke } from "#scripts/charts.js";
import { button, choice, control, range } from "#scripts/controls.js";
import { DepthChart } from "#scripts/depth.js";
import { Course } from "./course.js";
import { Runs } from "./runs.js";
import { ARMS, Arm, SEEDS, linkTo, move } from "./settings.js";
import { question, read, recordOf } from "./settings.js";
import * as say from "./verdict.js";
const { digits, written } = say;

const GUESSES = [...ARMS, "same"];
const KINDS = ["curve", "second"]; // of their curves
const DASHES = ["none", "6 4"]; // the same where they are pinned
const TICKS = {
  loss: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
  error: [0.3, 1, 3, 10, 30, 100],
};
const CHANCE = { loss: Math.log(10), error: 90 }; // of who guesses blindly
const GRAY = "#767676"; // of what is pinned
const INK = "currentColor"; // of B, where its unit is that of A
const RESTS = 80; // ms without a move until fresh networks are computed
const TIMES = [1, 2, 4]; // as many steps as at first

// Mean of the last `window` values up to each step.
function smooth(values, window) {
  return values.map((_, i) => {
    const last = values.slice(Math.max(0, i - window + 1), i + 1);
    return last.reduce((a, b) => a + b, 0) / last.length;
  });
}

// Two that were trained, each beside another one, are still to be guessed about.
const firstStep = (run) =>
  Object.fromEntries(
    ["loss", "error", "gradient", "open"].map((of) => [of, [run[of][0]]]),
  );

class Playground {
  pinned = [];
  pairs = new Set(); // of settings that were trained together

  constructor(host) {
    this.host = host;
    /** @type {import("./settings.js").Data} */
    this.data = JSON.parse(host.dataset.playground);
    this.words = this.data.words;
    this.steps = this.data.steps;
    host.closest(".bd-container__inner")?.classList.add("one-screen");
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.runs = new Runs(host);
    const asked = this.makeQuestion();
    const bar = this.makeBar();
    this.arms = ARMS.map((name) => new Arm(this.data, name));
    const [a, b] = this.arms.map(({ form }) => form);
    this.maps = ARMS.map(() =>
      node("div", { className: "course preact-figure" }),
    );
    this.makeCourses();
    const [mapa, mapb] = this.maps;
    const results = this.makeResults();
    const parts = { ...asked, a, b, bar, results, mapa, mapb };
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
      this.training ? this.stop() : this.compute(true),
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
    const results = [this.verdict, " ", this.reason];
    const said = node("div", { role: "status" }, ...results);
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
      const both = this.kept.value.split(";");
      const isLegal = both.every((one) => this.arms[0].allows(one));
      this.pinned = isLegal && both.length === ARMS.length ? both : [];
      if (!this.pinned.length) this.kept.value = "";
    });
    this.cursor = range(1, steps, 1, 1);
    this.cursor.dataset.own = "";
    this.cursor.addEventListener("input", () => this.draw());
    const bar = node("div", { className: "controls" });
    control(bar, "step", words.step, this.cursor);
    bar.append(this.pin, this.kept);
    return bar;
  }

  makeCourses() {
    const { words, steps } = this;
    this.courses = ARMS.map((name) => new Course(words[name], words, steps));
    this.maps.forEach((map, i) => map.replaceChildren(this.courses[i].svg));
  }

  makeResults() {
    const { words } = this;
    this.charts = Object.entries(TICKS).map(([quantity, ticks]) => {
      const title = words[quantity];
      const axes = { title, xlabel: words.step, ticks, margin: 36 };
      return { quantity, chart: new DepthChart(axes) };
    });
    this.pictures = figure(...this.charts.map(({ chart }) => chart.svg));
    this.table = node("table");
    return node("div", {}, this.table, this.pictures);
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
    this.cursor.max = String(this.steps);
    this.makeCourses();
  }

  // The same question, asked of the next seeds: none is that of the other network,
  // or where only the seed differs, one network would run in two races.
  reseed() {
    const seeds = this.arms.map(({ inputs }) => Number(inputs.seed.value));
    const next = 1 + Math.abs(seeds[0] - seeds[1]);
    for (const [i, { inputs }] of this.arms.entries()) {
      move(inputs.seed, (seeds[i] + next) % SEEDS);
    }
  }

  // The tails cannot be equal in another way where one unit's own has a ReLU.
  equalTails() {
    for (const { inputs } of this.arms) move(inputs.tail, "BN");
    this.train.focus(); // what was pressed is gone
  }

  togglePin() {
    move(this.kept, this.pinned.length ? "" : this.now.join(";"));
  }

  // --------------------------------------------------------------- computing
  // Compute what nobody has computed, once the moves rest.
  refresh() {
    this.halt();
    const before = String(this.now);
    this.now = this.arms.map(({ settings }) => settings);
    this.reads = this.now.map((settings) => read(this.data, settings));
    if (String(this.now) !== before) this.bet();
    this.compared.textContent = say.compared(this.words, this.reads);
    if (this.lacking().length) {
      this.host.setAttribute("aria-busy", "true");
      this.resting = setTimeout(() => this.compute(false), RESTS);
    }
    this.conclude();
  }

  halt() {
    clearTimeout(this.resting);
    this.runs.halt();
    this.training = false;
    this.host.removeAttribute("aria-busy");
  }

  // Settings are there to be guessed about: what is pinned has all steps; what is
  // not, one until it is trained.
  stepsOf(settings) {
    const all = this.training || this.pinned.includes(settings);
    return all ? this.steps : 1;
  }

  lacking() {
    return [...new Set([...this.now, ...this.pinned])].filter((settings) => {
      const run = this.runs.get(settings);
      return this.stepsOf(settings) > 1 ? !run?.done : !run;
    });
  }

  async compute(training) {
    if (training) this.halt();
    this.training = training;
    const lack = this.lacking();
    const asked = lack.length ? lack : this.now; // once more, to be watched
    if (training) this.report(this.words.running);
    try {
      await this.runs.compute(
        asked,
        (settings) => question(this.data, settings, this.stepsOf(settings)),
        () => {
          if (this.still) return;
          this.frame ??= requestAnimationFrame(() => this.draw());
        },
      );
      this.halt();
      if (training) this.pairs.add(this.now.join(";"));
      this.pairs.add(this.pinned.join(";")); // there is nothing to guess
      this.conclude();
    } catch (error) {
      this.halt();
      this.report(error.message ?? this.words.unloaded);
    }
  }

  stop() {
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
    const { words, steps, guess, now, reads, data } = this;
    const { unseen } = this.runs;
    const runs = this.trained(now);
    if (!runs) return this.report("");
    const found = say.differences(reads);
    const better = say.ahead(runs, unseen);
    const said = [this.history(found), say.reason(words, reads, runs, unseen)];
    const records = now.map((settings) => recordOf(data, settings));
    if (say.isOpposed(better, records)) said.push(words.opposed);
    if (found.length === 2 && found.includes("tail")) {
      said.push(button("equal", words.equal_tails, () => this.equalTails()));
    }
    const page = data.chapters[found[0]];
    if (page) said.push(linkTo(page[1], page[0]));
    const result = { runs, unseen, steps, guess, found };
    this.report(say.verdict(words, result), ...said);
  }

  // What other seeds have shown of the same two; of one network, its errors.
  history(found) {
    const { words, runs, now, reads } = this;
    const seeds = [...Array(SEEDS).keys()];
    const withSeed = (settings, seed) =>
      settings.replace(/\d+$/, String(seed % SEEDS));
    if (!found.length) return "";
    if (String(found) === "seed") {
      const known = seeds.map((seed) => {
        return { ...runs.get(withSeed(now[0], seed)), seed };
      });
      const done = known.filter((run) => run.done);
      return say.errors(words, done);
    }
    const ends = seeds
      .map((more) =>
        this.trained(
          now.map((one, i) => withSeed(one, Number(reads[i].seed) + more)),
        ),
      )
      .filter(Boolean)
      .map((both) => say.ahead(both, runs.unseen));
    return say.tally(words, ends);
  }

  report(verdict, ...more) {
    this.verdict.textContent = verdict;
    this.reason.replaceChildren(...more.flatMap((one) => [one, " "]));
    this.show();
  }

  show() {
    const { words, host, training, pinned } = this;
    const done = Boolean(this.trained(this.now));
    host.dataset.state = training ? "running" : done ? "done" : "ready";
    const trains = done ? words.again : words.train;
    this.train.textContent = training ? words.stop : trains;
    for (const bet of this.bets) bet.disabled = training || done;
    this.pin.textContent = pinned.length ? words.unpin : words.pin;
    this.pin.disabled = training || !(done || pinned.length);
    for (const [i, arm] of this.arms.entries()) {
      arm.show(words[ARMS[i]], this.colorOf(i), KINDS[i], done);
    }
    this.draw();
  }

  // No two curves shall have one color.
  colorOf(i) {
    const [a, b] = this.reads.map(({ color }) => color);
    return i && a === b ? INK : [a, b][i];
  }

  // What may be seen of a run: of two that were not trained together, one step.
  seen(settings, pinned) {
    const run = this.runs.get(settings);
    const open = pinned || this.training || this.trained(this.now);
    const waits = run?.done || this.pinned.includes(settings);
    return run && waits && !open ? firstStep(run) : run;
  }

  // A network and how it is drawn: `i` of both, or of both that are pinned.
  shown(settings, i, pinned) {
    const { words } = this;
    const run = this.seen(settings, pinned);
    const name = words[ARMS[i]];
    const row = read(this.data, settings).name;
    const is = pinned
      ? { end: `(${name})`, color: GRAY, kind: DASHES[i] }
      : { end: name, color: this.colorOf(i), kind: KINDS[i] };
    const whose = pinned ? fill(words.pinned, { name }) : name;
    return { ...is, run, at: 0, pinned, label: `${whose} ${row}` };
  }

  draw() {
    this.frame = null;
    const now = this.now.map((one, i) => this.shown(one, i, false));
    const pinned = this.pinned.map((one, i) => this.shown(one, i, true));
    const all = [...now, ...pinned].filter(({ run }) => run);
    if (!all.length) return;
    this.reach(Math.max(...all.map(({ run }) => run.loss.length)));
    for (const one of all) {
      one.at = Math.min(Number(this.cursor.value), one.run.loss.length) - 1;
    }
    for (const [i, one] of now.entries()) {
      if (!one.run) continue;
      const { svg } = this.courses[i];
      this.courses[i].draw(one.run, one.at);
      svg.setAttribute("aria-label", fill(this.words.alt, one));
    }
    this.drawCurves(all, now);
    this.tell(all);
  }

  // The slider goes where a training is, and back where networks are fresh.
  reach(last) {
    const { cursor } = this;
    if (this.last === last) return;
    this.last = last;
    cursor.value = String(last);
    cursor.disabled = last === 1;
    cursor.show();
  }

  drawCurves(all, now) {
    const { words, data, steps } = this;
    const columns = now.filter(({ run }) => run).flatMap(columnsOf(words));
    const curve = (
      { run, pinned, label: name, color, kind, end },
      quantity,
    ) => {
      const later = Array(steps - run.loss.length).fill(NaN);
      const values = [NaN, ...smooth(run[quantity], data.window), ...later];
      const looks = pinned ? { pinned, dashes: kind } : { [kind]: true };
      return { name, color, end, values, ...looks };
    };
    for (const { quantity, chart } of this.charts) {
      const values = Array(steps + 1).fill(CHANCE[quantity]);
      const chance = { law: words.chance, color: GRAY, values };
      chart.draw(
        [...all.map((one) => curve(one, quantity)), chance],
        [words[quantity], ...all.map(({ label }) => label)].join(
          words.semicolon,
        ),
        columns.splice(0), // once
      );
      chart.mark(Number(this.cursor.value));
    }
    this.pictures.show(...this.charts.map(({ chart }) => chart.svg));
  }

  // A column of numbers for each network, with its line of the charts and its step.
  tell(all) {
    const { words, data } = this;
    const row = (name, cells) =>
      node("tr", {}, node("th", { textContent: name }), ...cells);
    const heads = all.map(({ label, end, color, kind, at }) => {
      const step = node("span", {}, String(at + 1));
      return node("th", { title: label }, end, stroke(color, kind), step);
    });
    const numbers = {
      loss: ({ run, at }) => written(smooth(run.loss, data.window)[at]),
      error: ({ run, at }) => digits(smooth(run.error, data.window)[at]),
      test: ({ run }) => (run.done ? digits(100 * run.test) : "?"),
      ratio: ({ run, at }) =>
        written(run.gradient[at][0] / run.gradient[at].at(-1)),
      share: ({ run, at }) => written(run.open[at].at(-1)),
    };
    this.table.replaceChildren(
      row(words.step, heads),
      ...Object.entries(numbers).map(([quantity, of]) =>
        row(
          words[quantity],
          all.map((one) => node("td", {}, of(one))),
        ),
      ),
    );
  }
}

// By unit, at the slider's step, for the data.
const columnsOf =
  (words) =>
  ({ label, run, at }) => {
    const [gradient, open] = [run.gradient[at], run.open[at]];
    const ratio = gradient.map((g) => g / gradient.at(-1));
    return Object.entries({ gradient: ratio, open }).map(([name, y]) => ({
      panel: `${label}: ${words[name]}`,
      name: `${words.step} ${at + 1}`,
      labels: { x: words.axis, y: "" },
      x: y.map((_, l) => l),
      y,
    }));
  };

export const places = {
  "preact-playground": (host) => new Playground(host),
};
