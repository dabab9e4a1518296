// The explorer of chapter 02: the signal of a freshly drawn stack beside the
// laws of its growth; a curve can be pinned, and another one drawn beside it.
import { Asker, replace } from "#scripts/asker.js";
import { figure, fill, key, node, numberText } from "#scripts/charts.js";
import { button, choice, control, facts, range } from "#scripts/controls.js";
import { DepthChart, LAWS } from "#scripts/depth.js";
import { Explorer } from "#scripts/explorer.js";
import { planOf } from "#scripts/stack.js";

const TICKS = [0.1, 1, 10, 100];

class Growth extends Explorer {
  constructor(host) {
    super(host, "growth");
    const { words, rows } = this;
    const form = node("form", { className: "controls" });
    const names = Object.keys(rows).map((row) => [row, rows[row].name]);
    const add = (name, input) => control(form, name, words[name], input);
    this.controls = {
      row: add("row", choice(names, this.start)),
      units: add("units", range(1, this.most, 1, 50)),
      width: add("width", range(4, 64, 4, 32)),
      seed: add("seed", range(0, 20, 1, 0)),
    };
    this.pin = button("pin", "", () => this.togglePin());
    // What is pinned, as the address keeps it.
    this.kept = node("input", { type: "hidden", name: "pinned" });
    this.kept.addEventListener("input", () => this.restore());
    form.append(this.pin, this.kept);
    form.addEventListener("input", () => this.ask());
    form.addEventListener("submit", (event) => event.preventDefault());
    this.legend = node("p", { className: "legend" });
    const axes = { title: words.signal, xlabel: words.depth, ticks: TICKS };
    this.chart = new DepthChart(axes);
    this.picture = figure();
    this.facts = facts();
    this.alive = replace(host, form, this.legend, this.picture, this.facts);
    this.asker = new Asker(host);
    this.ask();
  }

  // What the controls say, and what is pinned.
  ask() {
    const { words, pinned } = this;
    const values = Object.values(this.controls).map(({ value }) => value);
    const now = (this.now = this.curve(values));
    this.pin.textContent = pinned ? words.unpin : words.pin;
    const asked = pinned ? [now, pinned] : [now];
    this.asker.ask(
      asked.map((curve) => curve.question),
      (...answers) => {
        this.show(
          ...asked.map((curve, i) => ({
            ...curve,
            values: answers[i].signal,
          })),
        );
        this.alive();
      },
    );
  }

  curve(values) {
    const { words, batch } = this;
    const [row, ...numbers] = values;
    const [units, width, seed] = numbers.map(Number);
    const { name, color, spec } = this.rows[row];
    const plan = planOf(this.rows[row], { units, width, tail: spec.pre });
    const settings = [
      name,
      `${words.units} ${units}`,
      `${words.width} ${width}`,
      `${words.seed} ${seed}`,
    ];
    return {
      question: { row, plan, batch, seed, forward: true },
      color,
      name: settings.join(words.comma),
      key: [row, units, width, seed].join(),
    };
  }

  togglePin() {
    this.pinned = this.pinned ? null : this.now;
    this.kept.value = this.pinned?.key ?? "";
    this.kept.dispatchEvent(new Event("change", { bubbles: true }));
    this.ask();
  }

  restore() {
    const values = this.kept.value.split(",");
    const [row, ...numbers] = values;
    const legal = (value, { min, max, step }) =>
      value >= min && value <= max && Number.isInteger((value - min) / step);
    const [, ...sliders] = Object.values(this.controls);
    const good =
      row in this.rows &&
      numbers.length === sliders.length &&
      sliders.every((slider, i) => legal(Number(numbers[i]), slider));
    if (good) this.pinned = this.curve(values);
    else this.kept.value = "";
    this.ask();
  }

  show(...shown) {
    const { words, chart } = this;
    const [now, pinned] = shown;
    const units = Math.max(...shown.map(({ values }) => values.length));
    const laws = Object.entries(LAWS).map(([law, of]) => ({
      values: Array.from({ length: units }, (_, l) => of(l)),
      law: words[law],
      color: "currentColor",
    }));
    const text = ({ name, values }) =>
      fill(words.from_to, {
        settings: name,
        first: numberText(values[0], 3),
        last: numberText(values.at(-1), 3),
      });
    const lines = [text(now)];
    if (pinned) lines.push(fill(words.pinned, { settings: text(pinned) }));
    const beside = pinned ? [{ ...pinned, pinned: true }] : [];
    const alt = [words.signal, ...lines].join(words.semicolon);
    chart.draw([...laws, ...beside, now], alt);
    this.picture.show(chart.svg);
    const keys = shown.map(({ color, name }, i) =>
      key(color, i ? "pinned" : "curve", name),
    );
    this.legend.replaceChildren(...keys);
    this.facts.textContent = lines.join(words.semicolon);
  }
}

export const places = {
  "preact-growth": (host) => new Growth(host),
};
