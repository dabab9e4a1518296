// A prediction: a slider or a choice; what was measured is drawn with the guess
// beside it.
import { bars } from "./bars.js";
import {
  evenMarks,
  figure,
  fill,
  node,
  numberText,
  prose,
  tickText,
} from "./charts.js";
import { button, control, range } from "./controls.js";
import { Guess } from "./guess.js";

const STEPS = 200,
  NEAR = 0.02, // of the axis, and a guess is called close
  BLUE = "#2a7fc1";

// From a place on the axis, 0 ... 1, to a value, and back.
export function scale([low, high], log, whole = false) {
  const [a, b] = log ? [Math.log10(low), Math.log10(high)] : [low, high];
  const step = Math.ceil((b - a) / 4);
  const marks = log ? [] : evenMarks(b - a).map((v) => v / (b - a));
  for (let v = a; log && v <= b; v += step) marks.push((v - a) / (b - a));
  return {
    marks,
    value: (place) => {
      const v = a + (b - a) * place;
      return log ? 10 ** v : whole ? Math.round(v) : Math.round(v * 10) / 10;
    },
    place: (value) => {
      const v = log ? Math.log10(Math.max(value, 1e-300)) : value;
      return Math.min(Math.max((v - a) / (b - a), 0), 1);
    },
  };
}

export class Prediction extends Guess {
  constructor(host) {
    super(host, "predict");
    const { words, rows } = this;
    const whole = rows.every(({ value }) => Number.isInteger(value));
    this.scale = scale(this.limits, this.log, whole);
    const line = node("p", { className: "controls" });
    if (this.choose) line.append(...this.radios(rows.map((r) => r.label)));
    else this.addSlider(line);
    const asked = node("p", {}, ...prose(words.ask));
    this.ask(`preact-predict-${this.name}`, words.title, asked, line);
    this.picture = figure();
    this.live(this.form, this.picture);
    this.makeWaits();
    this.show();
    this.comeInstead();
    if (!host.isConnected) this.waitLater();
  }

  // JupyterLab makes a widget before it puts it into its cell.
  waitLater() {
    const { host } = this;
    const watch = new ResizeObserver(() => {
      if (!host.isConnected) return;
      watch.disconnect();
      this.makeWaits();
      this.show();
    });
    watch.observe(host);
  }

  addSlider(line) {
    let moved = false; // before, it says nothing
    const input = range(0, STEPS, 1, STEPS / 2);
    input.dataset.own = "";
    const value = () => this.scale.value(input.value / STEPS);
    line.addEventListener("input", () => (moved = true), true);
    control(line, "guess", "", input, () =>
      moved ? this.text(value()) : "?",
    ).setAttribute("aria-label", this.words.ask);
    const [low, high] = this.limits.map((end) =>
      node("span", { className: "note" }, this.text(end)),
    );
    input.before(low);
    input.after(high);
    this.value = value;
    this.guess = () => (moved ? input.value / STEPS : null);
    this.take = (kept) => {
      moved = typeof kept === "number";
      if (moved) input.value = kept * STEPS;
      input.show();
      return moved;
    };
  }

  // What waits for the guess, and the way past it.
  makeWaits() {
    const { host, words } = this;
    const after = host.closest(".cell")?.nextElementSibling;
    this.next = after?.classList.contains("concealed") ? after : null;
    if (!this.next && !this.cellsBehind().length) return;
    const skip = button("skip", words.skip, () => {
      this.skipped = true;
      this.show();
    });
    this.waits = node("p", { className: "waits" }, words.waits, " ", skip);
    if (this.next) this.next.before(this.waits);
    else host.append(this.waits);
    addEventListener("hashchange", () => this.comeInstead());
  }

  // In JupyterLab, the cells behind it up to the end of the section.
  cellsBehind() {
    const cells = [];
    let cell = this.conceal ? this.host.closest(".jp-Cell") : null;
    while ((cell = cell?.nextElementSibling)) {
      cells.push(cell);
      if (cell.querySelector(".jp-RenderedMarkdown :is(h1, h2)")) break;
    }
    return cells;
  }

  // A link to what is concealed leads to the question.
  comeInstead() {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (target && this.next?.hidden && this.next.contains(target))
      this.host.scrollIntoView({ block: "center" });
  }

  show() {
    super.show();
    const { host, committed, words } = this;
    const open = committed || this.skipped;
    if (open && !committed) host.dataset.state = "skipped";
    if (this.next) this.next.hidden = !open;
    for (const cell of this.cellsBehind()) {
      // the widget's sheet hides the output of such a cell
      cell.toggleAttribute("data-waits", !open);
      for (const fold of cell.querySelectorAll("details")) {
        if (fold.firstChild.textContent === words.folded) fold.open = open;
      }
    }
    if (this.waits) this.waits.hidden = open;
    this.picture.show(...(committed ? [this.draw()] : []));
    if (!committed) return;
    this.verdict.textContent = this.choose ? this.judged() : this.compared();
  }

  // What is said of a choice: was it the largest?
  judged() {
    const { words, rows } = this;
    const [best] = rows.toSorted((a, b) => b.value - a.value);
    const said = best === rows[this.guess()] ? words.hit : words.miss;
    return fill(said, { ...best, value: this.text(best.value) });
  }

  // How far off a number is; on a logarithmic axis, by which factor.
  compared() {
    const { words, rows, asked, log, scale } = this;
    const [guess, { value }] = [this.value(), rows[asked]];
    const apart = Math.abs(scale.place(guess) - scale.place(value));
    const times = value > 0 ? Math.max(value / guess, guess / value) : 0;
    const far = log && times ? (value > guess ? "more" : "less") : "off";
    return fill(words[apart < NEAR ? "near" : far], {
      guess: this.text(guess),
      value: this.text(value),
      times: numberText(times),
    });
  }

  // A number as it is shown.
  text(value) {
    return fill(this.written, { value: numberText(value) });
  }

  draw() {
    const { words, rows, choose, log, scale } = this;
    const own = choose
      ? rows[this.guess()]
      : { label: words.yours, value: this.value() };
    const shown = choose ? rows : [...rows, own];
    const text = ({ label, value }) =>
      fill(words.row, { label, value: this.text(value) });
    return bars({
      rows: shown.map((row) => ({
        text: text(row) + (choose && row === own ? ` ← ${words.yours}` : ""),
        share: scale.place(row.value),
        color: row === own ? "currentColor" : BLUE,
      })),
      marks: scale.marks.map((share) => {
        const value = scale.value(share);
        return { share, text: log ? tickText(value) : value };
      }),
      alt: fill(words.alt, {
        guess: choose ? own.label : this.text(own.value),
        rows: shown.map(text).join("; "),
      }),
    });
  }
}
