// A lab of chapter 12: the reader commits to the question whose answer will be
// no; then the probe's report opens, and the page's engine runs the fully
// connected version beside what its author meant.
import { chartsOf } from "#scripts/depth.js";
import { Asker } from "#scripts/asker.js";
import { figure, fill, key, node, numberText } from "#scripts/charts.js";
import { control, facts, range } from "#scripts/controls.js";
import { Guess } from "#scripts/guess.js";

const MUTANT = "#c4473a",
  MEANT = "#2a7fc1";

class Lab extends Guess {
  constructor(host) {
    super(host, "lab");
    this.report = host.querySelector(".report");
    const choices = this.radios(this.choices).map((label) =>
      node("p", { className: "choice" }, label),
    );
    this.ask(`preact-predict-lab-${this.name}`, this.words.ask, ...choices);
    this.curves = node("div", { className: "curves" });
    host.querySelector(".asked").replaceWith(this.form);
    this.report.after(this.curves);
    this.live();
    this.show();
  }

  show() {
    super.show();
    const { host, words, committed, report } = this;
    report.hidden = !committed;
    report.open = committed;
    this.curves.replaceChildren();
    if (!committed) return;
    const right = this.guess() === this.answer;
    host.dataset.state = right ? "right" : "wrong";
    this.verdict.textContent = right
      ? words.right
      : fill(words.wrong, {
          why: this.why[this.guess()],
          question: this.choices[this.answer],
        });
    if (this.plan) this.makeCurves();
    else {
      const textContent = words.no_curves;
      this.curves.append(node("p", { className: "note", textContent }));
    }
  }

  makeCurves() {
    const { words, plan, meant, ticks, batch, curves } = this;
    const charts = chartsOf(words, ticks);
    const pictures = figure();
    const said = facts();
    const legend = [
      key(MUTANT, "curve", words.mutant),
      key(MEANT, "ghost", words.meant),
    ];
    const controls = node("p", { className: "controls" });
    const input = control(controls, "seed", words.seed, range(0, 20, 1, 0));
    const asker = new Asker(curves);
    const update = () => {
      const question = { batch, seed: Number(input.value) };
      asker.ask(
        [plan, meant].map((of) => ({ ...question, plan: of })),
        (mine, other) => {
          for (const { quantity, chart } of charts)
            this.draw(chart, quantity, mine[quantity], other[quantity]);
          pictures.show(...charts.map(({ chart }) => chart.svg));
          said.textContent = fill(words.numbers, {
            signal: numberText(mine.signal.at(-1)),
            signal_meant: numberText(other.signal.at(-1)),
            gradient: numberText(mine.gradient[0]),
            gradient_meant: numberText(other.gradient[0]),
          });
        },
      );
    };
    input.addEventListener("input", update);
    curves.append(
      controls,
      node("p", { className: "legend" }, ...legend),
      pictures,
      said,
    );
    update();
  }

  draw(chart, quantity, values, ghost) {
    const { words, plan } = this;
    const alt = fill(words.alt_chart, {
      quantity: words[quantity],
      units: plan.units,
      first: numberText(values[0]),
      last: numberText(values.at(-1)),
      meant_first: numberText(ghost[0]),
      meant_last: numberText(ghost.at(-1)),
    });
    const meant = { name: words.meant, values: ghost, color: MEANT };
    const mutant = { name: words.mutant, values, color: MUTANT };
    chart.draw([{ ...meant, ghost: true }, mutant], alt);
  }
}

export const places = {
  "preact-lab": (host) => new Lab(host),
};
