// The explorer of chapter 02: the signal of a freshly drawn stack beside the
// laws of its growth; a curve can be pinned, and another one drawn beside it.
import { Asker, replace } from "#scripts/asker.js";
import { figure, fill, node, numberText, stroke } from "#scripts/charts.js";
import { DepthChart, LAWS } from "#scripts/depth.js";
import { choice, control, planOf, range } from "#scripts/stack.js";

const TICKS = [0.1, 1, 10, 100];

class Growth {
  words;
  rows;
  start;
  most;
  batch;

  constructor(host) {
    Object.assign(this, JSON.parse(host.dataset.growth));
    const { words, rows } = this;
    const form = node("form", { className: "controls" });
    this.controls = {
      row: control(
        form,
        "row",
        words.row,
        choice(
          Object.keys(rows).map((r) => [r, rows[r].name]),
          this.start,
        ),
      ),
      units: control(form, "units", words.units, range(1, this.most, 1, 50)),
      width: control(form, "width", words.width, range(4, 64, 4, 32)),
      seed: control(form, "seed", words.seed, range(0, 20, 1, 0)),
    };
    this.pin = node("button", { type: "button", name: "pin" });
    this.pin.addEventListener("click", () => this.togglePin());
    // What is pinned, as the address keeps it.
    this.kept = node("input", { type: "hidden", name: "pinned" });
    this.kept.addEventListener("input", () => this.restore());
    form.append(this.pin, this.kept);
    form.addEventListener("input", () => this.ask());
    form.addEventListener("submit", (event) => event.preventDefault());
    this.legend = node("p", { className: "legend" });
    this.chart = new DepthChart({
      title: words.signal,
      xlabel: words.depth,
      ticks: TICKS,
    });
    this.picture = figure();
    this.facts = node("p", { className: "facts" });
    this.facts.setAttribute("aria-live", "polite");
    this.alive = replace(host, form, this.legend, this.picture, this.facts);
    this.asker = new Asker(host);
    this.ask();
  }

  // What the controls say, and what is pinned.
  ask() {
    const { row, units, width, seed } = this.controls;
    this.now = this.curve(
      row.value,
      ...[units, width, seed].map((one) => Number(one.value)),
    );
    const { words, now, pinned } = this;
    this.pin.textContent = pinned ? words.unpin : words.pin;
    const asked = [now, pinned].filter(Boolean);
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

  curve(row, units, width, seed) {
    const { words, batch } = this;
    const { name, color, spec } = this.rows[row];
    const plan = planOf(this.rows[row], {
      units,
      width,
      tail: spec.pre,
    });
    const settings = [
      name,
      `${words.units} ${units}`,
      `${words.width} ${width}`,
      `${words.seed} ${seed}`,
    ];
    return {
      question: { row, plan, batch, seed, forward: true },
      color,
      units,
      settings: settings.join(words.comma),
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
    const { controls } = this;
    const [row, ...numbers] = this.kept.value.split(",");
    const legal =
      row in this.rows &&
      numbers.length === 3 &&
      ["units", "width", "seed"].every((name, i) => {
        const { min, max, step } = controls[name],
          v = Number(numbers[i]);
        return v >= min && v <= max && Number.isInteger((v - min) / step);
      });
    if (legal) this.pinned = this.curve(row, ...numbers.map(Number));
    else this.kept.value = "";
    this.ask();
  }

  show(now, pinned) {
    const { words, chart } = this;
    const units = Math.max(now.units, pinned ? pinned.units : 0);
    const depths = Array.from({ length: units + 1 }, (_, l) => l);
    const text = ({ settings, values }) =>
      fill(words.from_to, {
        settings,
        first: numberText(values[0], 3),
        last: numberText(values[values.length - 1], 3),
      });
    const lines = [text(now)];
    if (pinned) lines.push(fill(words.pinned, { settings: text(pinned) }));
    chart.draw(
      [
        ...Object.entries(LAWS).map(([law, of]) => ({
          values: depths.map(of),
          law: words[law],
          color: "currentColor",
        })),
        ...(pinned
          ? [{ ...pinned, name: pinned.settings, pinned: true }]
          : []),
        { ...now, name: now.settings },
      ],
      [words.signal, ...lines].join(words.semicolon),
    );
    this.picture.show(chart.svg);
    this.legend.replaceChildren(
      ...[now, pinned]
        .filter(Boolean)
        .map((curve, i) =>
          node(
            "span",
            {},
            stroke(curve.color, i ? "pinned" : "curve"),
            curve.settings,
          ),
        ),
    );
    this.facts.textContent = lines.join(words.semicolon);
  }
}

export const places = {
  "preact-growth": (host) => new Growth(host),
};
