// A lab of chapter 12: the reader commits to the question whose answer will be
// no; then the probe's report opens, and the page's engine runs the fully
// connected version beside what its author meant.
import { DepthChart } from "#scripts/depth.js";
import { figure, node, numberText, fill, stroke } from "#scripts/charts.js";
import { Asker } from "#scripts/asker.js";
import { remembered } from "#scripts/remembered.js";

const MUTANT = "#c4473a",
  MEANT = "#2a7fc1";

class Lab {
  name;
  choices;
  words;
  answer;
  why;
  plan;
  meant;
  ticks;
  batch;

  constructor(host) {
    this.host = host;
    Object.assign(this, JSON.parse(host.dataset.lab));
    this.report = host.querySelector(".report");
    const kept = remembered(`preact-predict-lab-${this.name}`);
    this.committed = kept in this.choices;
    this.makeForm(kept);
    this.curves = node("div", { className: "curves" });
    host.querySelector(".asked").replaceWith(this.form);
    this.report.after(this.curves);
    host.dataset.live = "true";
    this.show();
  }

  makeForm(kept) {
    const { words, choices } = this;
    this.inputs = Object.keys(choices).map((key) =>
      node("input", {
        type: "radio",
        name: `lab-${this.name}`,
        value: key,
        checked: key === kept,
      }),
    );
    for (const input of this.inputs) {
      input.dataset.own = "";
      input.addEventListener("input", () => this.show());
    }
    this.button = node("button", { type: "button", name: "commit" });
    this.button.addEventListener("click", () => this.toggle());
    this.note = node("span", { className: "note", textContent: words.kept });
    this.verdict = node("p", { className: "verdict" });
    this.verdict.setAttribute("role", "status");
    this.form = node(
      "fieldset",
      {},
      node("legend", { textContent: words.ask }),
      ...this.inputs.map((input) =>
        node(
          "p",
          { className: "choice" },
          node("label", {}, input, choices[input.value]),
        ),
      ),
      node("p", {}, this.button, " ", this.note),
      this.verdict,
    );
  }

  chosen() {
    return this.inputs.find((input) => input.checked)?.value;
  }

  toggle() {
    this.committed = !this.committed;
    remembered(
      `preact-predict-lab-${this.name}`,
      this.committed ? this.chosen() : null,
    );
    this.show();
  }

  show() {
    const { words, committed, report } = this;
    for (const input of this.inputs) input.disabled = committed;
    this.button.textContent = committed ? words.again : words.commit;
    this.button.disabled = !this.chosen();
    this.note.hidden = !committed;
    const right = this.chosen() === this.answer;
    this.verdict.textContent = !committed
      ? ""
      : right
        ? words.right
        : fill(words.wrong, {
            why: this.why[this.chosen()],
            question: this.choices[this.answer],
          });
    report.hidden = !committed;
    report.open = committed;
    this.host.dataset.state = !committed ? "open" : right ? "right" : "wrong";
    this.curves.replaceChildren();
    if (committed) this.makeCurves();
  }

  makeCurves() {
    const { words, plan, meant, ticks, batch, curves } = this;
    if (!plan) {
      const note = { className: "note", textContent: words.no_curves };
      curves.append(node("p", note));
      return;
    }
    const seed = node("input", {
      type: "range",
      min: 0,
      max: 20,
      step: 1,
      name: "seed",
    });
    seed.value = 0;
    const shown = node("output");
    const charts = Object.fromEntries(
      Object.keys(ticks).map((quantity) => [
        quantity,
        new DepthChart({
          title: words[quantity],
          xlabel: words.depth,
          ticks: ticks[quantity],
        }),
      ]),
    );
    const pictures = figure();
    const facts = node("p", { className: "facts" });
    facts.setAttribute("aria-live", "polite");
    const asker = new Asker(curves);
    const key = (color, kind, text) =>
      node("span", {}, stroke(color, kind), text);
    curves.append(
      node(
        "p",
        { className: "controls" },
        node("label", {}, words.seed, seed, shown),
      ),
      node(
        "p",
        { className: "legend" },
        key(MUTANT, "curve", words.mutant),
        key(MEANT, "ghost", words.meant),
      ),
      pictures,
      facts,
    );
    const update = () => {
      shown.textContent = seed.value;
      const question = (of) => ({
        plan: of,
        batch,
        seed: Number(seed.value),
      });
      asker.ask([question(plan), question(meant)], (mine, other) =>
        this.draw(mine, other, { charts, pictures, facts }),
      );
    };
    seed.addEventListener("input", update);
    update();
  }

  draw(mine, other, { charts, pictures, facts }) {
    const { words, plan } = this;
    for (const [quantity, chart] of Object.entries(charts)) {
      const [values, ghost] = [mine[quantity], other[quantity]];
      const value = {
        first: values[0],
        last: values.at(-1),
        meant_first: ghost[0],
        meant_last: ghost.at(-1),
      };
      for (const end in value) value[end] = numberText(value[end]);
      chart.draw(
        [
          { name: words.meant, values: ghost, color: MEANT, ghost: true },
          { name: words.mutant, values, color: MUTANT },
        ],
        fill(words.alt_chart, {
          quantity: words[quantity],
          units: plan.units,
          ...value,
        }),
      );
    }
    pictures.show(...Object.values(charts).map(({ svg }) => svg));
    facts.textContent = fill(words.numbers, {
      signal: numberText(mine.signal.at(-1)),
      signal_meant: numberText(other.signal.at(-1)),
      gradient: numberText(mine.gradient[0]),
      gradient_meant: numberText(other.gradient[0]),
    });
  }
}

export const places = {
  "preact-lab": (host) => new Lab(host),
};
