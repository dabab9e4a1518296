// What a network of the playground can be set to, and what its settings stand for.
import { fill, node, stroke } from "#scripts/charts.js";
import { choice, control, planOf, range } from "#scripts/stack.js";

/**
 * What `playground` of Python hands over.
 * @typedef {object} Data
 * @property {Record<string, string>} words
 * @property {Record<string, any>} rows to choose from: spec, stem, name, color
 * @property {number} most units
 * @property {Record<string, Record<string, string>>} choices of a list
 * @property {Record<string, string>} start the row of each arm
 * @property {number} inputs
 * @property {number} width
 * @property {number} batch
 * @property {number} steps of one training, at first
 * @property {number} window of mini-batches, whose mean is shown
 * @property {{momentum: number, weightDecay: number}} recipe
 * @property {Record<string, [number, number, number, string]>} records runs, least
 *   and greatest error, and where they are
 * @property {Record<string, [string, string]>} chapters name and place, by setting
 */

export const ARMS = ["a", "b"];
export const SEEDS = 21;

// As if the reader had moved it.
export function move(field, value) {
  field.value = value;
  for (const name of ["input", "change"]) {
    field.dispatchEvent(new Event(name, { bubbles: true }));
  }
}

// Opened beside the page, where a result stays.
export const linkTo = (href, textContent) =>
  node("a", { href, textContent, target: "_blank", rel: "noopener" });

// The settings of A or of B, and what was recorded of such a network.
export class Arm {
  /** @param {Data} data */
  constructor(data, name) {
    this.data = data;
    const { words, rows, choices, most, start } = data;
    this.legend = node("legend");
    this.form = node("fieldset", {}, this.legend);
    const names = Object.keys(rows).map((row) => [row, rows[row].name]);
    const list = (of) => Object.entries(choices[of]);
    this.inputs = {
      row: choice(names, start[name]),
      shortcut: choice(list("shortcut"), "1"),
      tail: choice(list("tail"), "derived"),
      units: range(2, most, 1, 20),
      lr: choice(list("lr"), "0.1"),
      seed: range(0, SEEDS - 1, 1, 0),
    };
    for (const [field, input] of Object.entries(this.inputs)) {
      control(this.form, `${name}.${field}`, words[field], input);
    }
    this.told = node("p", { className: "recorded" });
    this.form.append(this.told);
  }

  // As a run is known by, and as the address has what is pinned.
  get settings() {
    return Object.values(this.inputs)
      .map((input) => input.value)
      .join();
  }

  // Whether it can be set so.
  allows(settings) {
    const values = settings.split(",");
    const inputs = Object.values(this.inputs);
    const can = (input, value) =>
      input.type === "range"
        ? /^\d+$/.test(value) && +value >= +input.min && +value <= +input.max
        : [...input.options].some((option) => option.value === value);
    return (
      values.length === inputs.length &&
      inputs.every((input, i) => can(input, values[i]))
    );
  }

  // Head the form by the arm's curve; errors that were recorded wait for the guess.
  show(name, color, kind, done) {
    const { words, rows } = this.data;
    const { row } = read(this.data, this.settings);
    const ops = rows[row].spec.pre.join(" ") || words.none;
    const own = /** @type {any} */ (this.inputs.tail).options[0];
    own.text = fill(words.derived, { ops });
    this.legend.replaceChildren(name, " ", stroke(color, kind));
    const [runs, low, high, href] = recordOf(this.data, this.settings) ?? [];
    const said = done ? words.recorded : words.recorded_waits;
    const [least, most] = [low, high].map((error) => error?.toFixed(1));
    this.told.replaceChildren(
      runs
        ? linkTo(href, fill(said, { runs, low: least, high: most }))
        : words.unrecorded,
    );
  }
}

// What settings stand for.
export function read({ rows }, settings) {
  const [row, shortcut, tail, units, lr, seed] = settings.split(",");
  const { spec, ...looks } = rows[row];
  const ops = { derived: spec.pre, none: [], BN: ["BN"] }[tail];
  return { ...looks, row, shortcut, units, lr, seed, tail: ops };
}

// What a worker is asked to train.
export function question(data, settings, steps) {
  const { row, shortcut, tail, units, lr, seed } = read(data, settings);
  const { rows, inputs, width, batch, recipe } = data;
  const plan = planOf(rows[row], {
    ...{ inputs, width, tail },
    units: Number(units),
    factor: Number(shortcut),
  });
  const rates = { ...recipe, lr: Number(lr) };
  return { row, plan, batch, seed: Number(seed), recipe: rates, steps };
}

export function recordOf(data, settings) {
  const { shortcut, row, tail, lr } = read(data, settings);
  return data.records[[shortcut, row, tail.join(" "), lr].join("|")];
}
