// The race of chapter 01: the reader ranks five networks, then watches them
// train in a worker, on digits that come when they are needed.
import { LineChart, figure, fill, icon, node } from "#scripts/charts.js";
import { loadBundle } from "#scripts/load.js";
import { Ranking, rankings } from "#scripts/ranking.js";
import { makeWorker } from "#scripts/worker.js";

// Mean of the last `window` values up to each step.
function smooth(values, window) {
  return values.map((_, i) => {
    const last = values.slice(Math.max(0, i - window + 1), i + 1);
    return last.reduce((a, b) => a + b, 0) / last.length;
  });
}

// ---------------------------------------------------------------- race
class Race {
  arms;
  words;
  defaults;
  rates;
  steps;
  batch;
  recipe;
  began;
  window;

  constructor(host) {
    this.host = host;
    Object.assign(this, JSON.parse(host.dataset.race));
    this.keys = Object.keys(this.arms);
    this.curves = this.empty();
    this.ranking = new Ranking(this, () => this.show());
    this.makeControls();
    this.makePictures();
    host.replaceChildren(
      this.ranking.box,
      this.form,
      this.status,
      this.pictures,
      this.legend,
      this.readout,
      this.note,
      this.outcome,
    );
    this.show();
    host.dataset.live = "true";
  }

  empty() {
    const each = () => this.keys.map(() => []);
    return { loss: each(), error: each(), test: null, steps: 0 };
  }

  makeControls() {
    const { words, defaults } = this;
    const input = (name, label, properties) => {
      const made = node("input", { name, ...properties });
      const shown = node("output", { textContent: made.value });
      made.addEventListener("input", () => {
        shown.textContent = made.value;
      });
      return [made, node("label", {}, label, made, shown)];
    };
    const [units, unitsLabel] = input("units", words.units, {
      type: "range",
      min: 2,
      max: 50,
      value: defaults.units,
    });
    const [seed, seedLabel] = input("seed", words.seed, {
      type: "range",
      min: 0,
      max: 20,
      value: defaults.seed,
    });
    const lr = node("select", { name: "lr" });
    for (const rate of this.rates) lr.add(new Option(rate, rate));
    lr.value = defaults.lr;
    this.inputs = { units, lr, seed };
    const button = (name, text, act) => {
      const made = node("button", { type: "button", name });
      made.textContent = text;
      made.addEventListener("click", act);
      return made;
    };
    this.start = button("start", words.start, () =>
      this.worker ? this.stop() : this.run(),
    );
    this.pin = button("pin", words.pin, () => this.togglePin());
    this.form = node(
      "fieldset",
      { className: "controls" },
      node("legend", { textContent: words.race }),
      unitsLabel,
      node("label", {}, words.learning_rate, lr),
      seedLabel,
      this.start,
      this.pin,
    );
    this.status = node("p", { className: "facts" });
    this.status.setAttribute("role", "status");
  }

  makePictures() {
    const { words, steps, arms } = this;
    this.charts = {
      loss: new LineChart({
        title: words.training_loss,
        xlabel: words.step,
        steps,
        ticks: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
        log: true,
      }),
      error: new LineChart({
        title: words.training_error,
        xlabel: words.step,
        steps,
        ticks: [0, 20, 40, 60, 80, 100],
        log: false,
      }),
    };
    this.pictures = figure(this.charts.loss.svg, this.charts.error.svg);
    this.values = this.keys.map(() => node("output"));
    this.legend = node(
      "ul",
      { className: "legend" },
      ...this.keys.map((key, i) =>
        node(
          "li",
          {},
          icon(arms[key]),
          node("span", { textContent: arms[key].name }),
          this.values[i],
        ),
      ),
    );
    this.cursor = node("input", {
      type: "range",
      name: "step",
      min: 1,
      max: steps,
      value: steps,
    });
    this.cursor.dataset.own = "";
    this.shownStep = node("output");
    this.cursor.addEventListener("input", () => this.draw());
    this.readout = node(
      "label",
      { className: "readout" },
      words.readout,
      this.cursor,
      this.shownStep,
    );
    this.note = node("p", { className: "note", textContent: words.note });
    this.outcome = node("div", { className: "outcome" });
  }

  // ------------------------------------------------------------ running
  async run() {
    const curves = { ...this.empty(), settings: this.settings() };
    const worker = makeWorker();
    Object.assign(this, { curves, worker, began: performance.now() });
    worker.onmessage = ({ data }) => this.receive(data);
    worker.onerror = (event) => this.finish(event.message);
    this.status.textContent = this.words.running;
    this.show();
    const digits = await loadBundle("digits.js").catch(() => null);
    if (this.worker !== worker) return; // stopped meanwhile
    if (!digits) return this.stop();
    const { units, lr, seed } = curves.settings;
    worker.postMessage({
      digits,
      batch: this.batch,
      steps: this.steps,
      seed,
      plans: this.keys.map((key) => ({ ...this.arms[key].plan, units })),
      recipe: { ...this.recipe, lr },
    });
  }

  settings() {
    return Object.fromEntries(
      Object.entries(this.inputs).map(([name, input]) => [
        name,
        Number(input.value),
      ]),
    );
  }

  receive({ results, test }) {
    if (test) {
      this.curves.test = test;
      const seconds = ((performance.now() - this.began) / 1000).toFixed(1);
      const steps = this.steps;
      this.finish(fill(this.words.done, { steps, seconds }));
      return;
    }
    results.forEach(({ loss, wrong }, i) => {
      this.curves.loss[i].push(loss);
      this.curves.error[i].push(100 * wrong);
    });
    this.curves.steps++;
    this.cursor.value = this.curves.steps;
    this.frame ??= requestAnimationFrame(() => this.draw());
  }

  stop() {
    const step = this.curves.steps;
    this.finish(fill(this.words.stopped, { step }));
  }

  finish(text) {
    this.worker.terminate();
    this.worker = null;
    this.status.textContent = text;
    this.show();
  }

  togglePin() {
    this.pinned = this.pinned ? null : this.curves;
    this.show();
  }

  // ------------------------------------------------------------ showing
  show() {
    const { words } = this,
      running = Boolean(this.worker);
    this.start.disabled = !this.ranking.committed;
    this.start.textContent = running ? words.stop : words.start;
    this.ranking.button.disabled = running;
    this.pin.disabled = running || !(this.pinned || this.curves.test);
    this.pin.textContent = this.pinned ? words.unpin : words.pin;
    for (const input of Object.values(this.inputs)) input.disabled = running;
    if (!this.ranking.committed) this.status.textContent = words.first;
    this.host.dataset.state = running
      ? "running"
      : this.curves.test
        ? "done"
        : this.ranking.committed
          ? "ready"
          : "ranking";
    this.draw();
    this.showOutcome();
  }

  draw() {
    this.frame = null;
    const { words, arms, keys, curves, pinned, window } = this;
    const step = Math.min(Number(this.cursor.value), curves.steps);
    const smoothed = (from, quantity) =>
      from[quantity].map((values) => smooth(values, window));
    const now = {
      loss: smoothed(curves, "loss"),
      error: smoothed(curves, "error"),
    };
    const text = keys.map((_, i) =>
      step === 0
        ? ""
        : this.text(now.loss[i][step - 1], now.error[i][step - 1]),
    );
    const each = keys
      .map((key, i) => `${arms[key].name} ${text[i]}`)
      .join(words.list);
    for (const [quantity, chart] of Object.entries(this.charts)) {
      const old =
        pinned && pinned !== curves ? smoothed(pinned, quantity) : [];
      chart.draw(
        [
          ...old.map((values, i) => ({
            arm: arms[keys[i]],
            values,
            pinned: true,
          })),
          ...now[quantity].map((values, i) => ({
            arm: arms[keys[i]],
            values,
          })),
        ],
        step,
        step === 0
          ? words.empty
          : fill(words[`alt_${quantity}`], { step, each }),
      );
    }
    this.values.forEach((value, i) => {
      value.textContent = text[i];
    });
    for (const part of [this.pictures, this.legend, this.readout, this.note]) {
      part.hidden = step === 0;
    }
    this.shownStep.textContent = step || "";
    this.cursor.setAttribute("aria-valuetext", step);
  }

  text(loss, error) {
    return Number.isFinite(loss)
      ? `${loss.toPrecision(2)} · ` +
          fill(this.words.percent, { value: error.toFixed(1) })
      : this.words.diverged;
  }

  // Mean error, then mean loss, of the last mini-batches; no number is last.
  ranks(curves) {
    const last = (values) => smooth(values, this.window).at(-1);
    const rows = this.keys.map((key, i) => {
      const loss = last(curves.loss[i]);
      const error = Number.isFinite(loss) ? last(curves.error[i]) : Infinity;
      return { key, loss, error, test: 100 * curves.test[i] };
    });
    return rows.sort((a, b) => a.error - b.error || a.loss - b.loss);
  }

  showOutcome() {
    const { words, arms, ranking, curves, pinned } = this;
    this.outcome.replaceChildren();
    if (!curves.test || !ranking.committed) return;
    const rows = this.ranks(curves),
      keys = rows.map((row) => row.key);
    const right = keys.filter((key, i) => ranking.order[i] === key).length;
    const sentence = fill(words.outcome, { right, count: keys.length });
    const names = (list) => list.map((key) => arms[key].name).join(words.list);
    const alt = fill(words.alt_outcome, {
      yours: names(ranking.order),
      came: names(keys),
    });
    const tables = [this.table(rows, curves.settings)];
    if (pinned && pinned !== curves) {
      tables.push(this.table(this.ranks(pinned), pinned.settings, true));
    }
    this.outcome.append(
      node("p", { className: "facts", textContent: sentence }),
      figure(
        rankings(ranking.order, keys, arms, [words.yours, words.came], alt),
      ),
      ...tables,
    );
  }

  table(rows, settings, pinned = false) {
    const { words, arms, ranking } = this;
    const cells = (tag, values) =>
      node(
        "tr",
        {},
        ...values.map((text) => node(tag, { textContent: text })),
      );
    const caption = fill(words.settings, settings);
    return node(
      "table",
      { className: "preact-table" },
      node("caption", {
        textContent: pinned
          ? fill(words.pinned, { settings: caption })
          : caption,
      }),
      node(
        "thead",
        {},
        cells("th", [
          words.network,
          words.your_place,
          words.final_loss,
          words.training_error,
          words.test_error,
        ]),
      ),
      node(
        "tbody",
        {},
        ...rows.map(({ key, loss, error, test }, i) =>
          cells("td", [
            `${i + 1}. ${arms[key].name}`,
            ranking.order.indexOf(key) + 1,
            ...(Number.isFinite(loss)
              ? [loss.toPrecision(2), error.toFixed(1), test.toFixed(1)]
              : [words.diverged, "", ""]),
          ]),
        ),
      ),
    );
  }
}

export const places = {
  "preact-race": (host) => new Race(host),
};
