// A prediction: a slider or a choice, kept in this browser only; what was
// measured is drawn when the reader has committed to it, the guess beside it.
import {
  element,
  evenMarks,
  figure,
  fill,
  node,
  numberText,
  prose,
  record,
  tickText,
} from "./charts.js";
import { remembered } from "./remembered.js";

const WIDTH = 376,
  LEFT = 12,
  RIGHT = 20,
  ROW = 38,
  LINE = 17,
  STEPS = 200;

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

// Lines that fit the chart; a Chinese character is as wide as two letters.
function linesOf(text) {
  const lines = [""];
  let room = 46;
  for (const piece of text.match(
    /[\u3000-\uffff]\p{P}*|[^\s\u3000-\uffff]+\s?|\s/gu,
  )) {
    const wide = /[\u3000-\uffff]/.test(piece) ? 2 : piece.length;
    if (wide > room && lines.at(-1)) {
      lines.push("");
      room = 46;
    }
    lines[lines.length - 1] += piece;
    room -= wide;
  }
  return lines;
}

export class Prediction {
  limits;
  log;
  name;
  conceal;
  words;
  choose;
  rows;

  constructor(host) {
    this.host = host;
    Object.assign(this, JSON.parse(host.dataset.predict));
    const whole = this.rows.every(({ value }) => Number.isInteger(value));
    this.scale = scale(this.limits, this.log, whole);
    const kept = remembered(`preact-predict-${this.name}`);
    this.committed = typeof kept === "number";
    this.makeControls(this.committed ? kept : null);
    const after = host.closest(".cell")?.nextElementSibling;
    this.next = after?.classList.contains("concealed") ? after : null;
    // in JupyterLab the widget's sheet hides the next cell's output
    const lab = document.querySelector(".jp-Notebook");
    if (this.next || (this.conceal && lab)) {
      this.skip = node("button", {
        type: "button",
        name: "skip",
        textContent: this.words.skip,
      });
      this.skip.addEventListener("click", () => {
        this.skipped = true;
        this.show();
      });
      this.waits = node(
        "p",
        { className: "waits" },
        this.words.waits,
        " ",
        this.skip,
      );
      this.next?.before(this.waits);
      addEventListener("hashchange", () => this.comeInstead());
    }
    this.picture = figure();
    host.replaceChildren(this.form, this.picture);
    if (lab && this.waits) host.append(this.waits);
    host.dataset.live = "true";
    this.show();
    this.comeInstead();
  }

  // A link to what is concealed leads to the question.
  comeInstead() {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (
      target &&
      this.waits &&
      this.next?.hidden &&
      this.next.contains(target)
    )
      this.host.scrollIntoView({ block: "center" });
  }

  makeControls(kept) {
    const { words } = this;
    const inputs = this.choose ? this.choices(kept) : this.slider(kept);
    this.button = node("button", { type: "button", name: "commit" });
    this.button.addEventListener("click", () => this.toggle());
    this.verdict = node("p", { className: "verdict" });
    this.note = node("span", { className: "note", textContent: words.kept });
    this.form = node(
      "fieldset",
      {},
      node("legend", { textContent: words.title }),
      node("p", {}, ...prose(words.ask)),
      ...inputs,
      node("p", {}, this.button, " ", this.note),
      this.verdict,
    );
  }

  slider(kept) {
    const input = node("input", {
      type: "range",
      name: "guess",
      min: 0,
      max: STEPS,
    });
    input.value = (kept ?? 0.5) * STEPS;
    input.setAttribute("aria-label", this.words.ask);
    const shown = node("output");
    let moved = kept !== null; // before, it says nothing
    const show = () => {
      shown.textContent = moved ? numberText(this.guess()) : "?";
      input.setAttribute("aria-valuetext", shown.textContent);
    };
    this.place = () => (moved ? Number(input.value) / STEPS : -1);
    this.guess = () => this.scale.value(this.place());
    input.addEventListener("input", () => {
      moved = true;
      show();
      this.show();
    });
    show();
    this.inputs = [input];
    return [node("p", { className: "controls" }, input, shown)];
  }

  choices(kept) {
    this.inputs = this.rows.map((row, i) =>
      node("input", {
        type: "radio",
        name: `guess-${this.name}`,
        value: i,
        checked: i === kept,
      }),
    );
    this.place = () => this.inputs.findIndex((input) => input.checked);
    for (const input of this.inputs) {
      input.addEventListener("input", () => this.show());
    }
    return [
      node(
        "p",
        { className: "controls" },
        ...this.inputs.map((input, i) =>
          node("label", {}, input, this.rows[i].label),
        ),
      ),
    ];
  }

  toggle() {
    this.committed = !this.committed;
    remembered(
      `preact-predict-${this.name}`,
      this.committed ? this.place() : null,
    );
    this.show();
  }

  show() {
    const { words, committed } = this;
    for (const input of this.inputs) input.disabled = committed;
    this.button.textContent = committed ? words.again : words.commit;
    this.button.disabled = this.place() < 0;
    this.note.hidden = !committed;
    const open = committed || this.skipped;
    this.host.dataset.state = committed
      ? "committed"
      : open
        ? "skipped"
        : "open";
    if (this.next && this.waits) this.next.hidden = !open;
    if (this.waits) this.waits.hidden = open;
    this.picture.show(...(committed ? [this.draw()] : []));
    this.verdict.textContent = committed && this.choose ? this.judged() : "";
  }

  // Which is the largest was asked.
  judged() {
    const { words, rows, place } = this;
    const [best] = rows.toSorted((a, b) => b.value - a.value);
    return fill(best === rows[place()] ? words.hit : words.miss, best);
  }

  draw() {
    const { words, choose, place } = this;
    const rows = this.rows.map((row, i) => ({
      ...row,
      mine: choose && i === place(),
    }));
    if (!choose) {
      rows.push({ label: words.yours, value: this.guess(), mine: true });
    }
    const own = rows.find((row) => row.mine);
    const text = ({ label, value }) =>
      fill(words.row, { label, value: numberText(value) });
    const alt = fill(words.alt, {
      guess: choose ? own.label : numberText(own.value),
      rows: rows.map(text).join("; "),
    });
    const said = rows.map((row) =>
      linesOf(text(row) + (choose && row.mine ? ` ← ${words.yours}` : "")),
    );
    const height =
      ROW * rows.length +
      26 +
      LINE * said.reduce((more, lines) => more + lines.length - 1, 0);
    const svg = element("svg", {
      viewBox: `0 0 ${WIDTH} ${height}`,
      role: "img",
      "aria-label": alt,
      style: `width:${WIDTH}px`,
    });
    const x = (p) => LEFT + (WIDTH - LEFT - RIGHT) * p;
    for (const p of this.scale.marks) {
      const tick = this.scale.value(p);
      element(
        "path",
        {
          d: `M${x(p)} 4V${height - 22}`,
          stroke: "#808080",
          "stroke-opacity": 0.3,
        },
        svg,
      );
      element(
        "text",
        {
          x: x(p),
          y: height - 6,
          "text-anchor": p === 0 ? "start" : p === 1 ? "end" : "middle",
        },
        svg,
        this.log ? tickText(tick) : String(tick),
      );
    }
    let y = 28 - ROW;
    rows.forEach((row, i) => {
      y += ROW + LINE * (said[i].length - 1);
      said[i].forEach((line, k) =>
        element(
          "text",
          { x: LEFT, y: y - 11 - LINE * (said[i].length - 1 - k) },
          svg,
          line,
        ),
      );
      element(
        "path",
        {
          d: `M${x(0)} ${y}H${x(this.scale.place(row.value))}`,
          stroke: row.mine ? "currentColor" : "#2a7fc1",
          "stroke-width": 7,
          "stroke-opacity": 0.75,
        },
        svg,
      );
    });
    record(
      svg,
      rows.map(({ label, value }) => ({
        panel: words.ask,
        name: label,
        x: [""],
        y: [value],
      })),
    );
    return svg;
  }
}
