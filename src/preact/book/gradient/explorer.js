// Chapter 03: a fully connected residual stack, its signal and its gradient by
// depth, computed by the engine that also trains.
import { Asker, replace } from "#scripts/asker.js";
import { figure, node, numberText, prose, stroke } from "#scripts/charts.js";
import { DepthChart } from "#scripts/depth.js";
import { choice, control, planOf, range } from "#scripts/stack.js";

const three = (value) => numberText(value, 3);

// The axes stay as they are, whatever is computed: what leaves them is drawn
// on their edge, and the numbers below say how far it went.
const TICKS = {
  signal: [0.1, 1, 10, 100, 1000],
  gradient: [1e-4, 1e-2, 1, 100, 1e4, 1e6, 1e8],
};

// Replace the measured figure inside `host` by controls and live curves.
function explore(host) {
  const { words, rows, batch, classes } = JSON.parse(host.dataset.stack);
  const form = document.createElement("form");
  form.className = "controls";
  const names = Object.keys(rows);
  const row = control(
    form,
    "row",
    words.row,
    choice(
      names.map((r) => [r, rows[r].name]),
      "full-preactivation",
    ),
  );
  const units = control(form, "units", words.units, range(1, 100, 1, 50));
  const width = control(form, "width", words.width, range(4, 64, 4, 32));
  const lambda = control(form, "lambda", "λ", range(0, 1.2, 0.01, 1));
  const tail = control(
    form,
    "tail",
    words.tail,
    choice(
      [
        ["derived", words.derived],
        ["none", words.none],
        ["BN", words.final_bn],
      ],
      "derived",
    ),
  );
  const seed = control(form, "seed", words.seed, range(0, 20, 1, 0));
  const charts = Object.fromEntries(
    Object.entries(TICKS).map(([quantity, ticks]) => [
      quantity,
      new DepthChart({ title: words[quantity], xlabel: words.depth, ticks }),
    ]),
  );
  const picture = figure();
  const facts = node("p", { className: "facts" });
  facts.setAttribute("aria-live", "polite");
  const GHOST = rows["full-preactivation"];
  const legend = node(
    "p",
    { className: "legend" },
    node("span", {}, stroke(GHOST.color, "ghost"), words.ghost),
    node("span", {}, stroke("currentColor", "product"), words.factors),
  );
  const alive = replace(host, form, legend, picture, facts);
  const asker = new Asker(host);
  const update = () => {
    const now = {
      row: rows[row.value],
      L: Number(units.value),
      factor: Number(lambda.value),
    };
    const tails = { derived: now.row.spec.pre, none: [], BN: ["BN"] };
    const question = (of, factor, ops) => ({
      plan: planOf(of, {
        units: now.L,
        width: Number(width.value),
        classes,
        tail: ops,
        factor,
      }),
      batch,
      seed: Number(seed.value),
    });
    asker.ask(
      [
        question(now.row, now.factor, tails[tail.value]),
        question(GHOST, 1, GHOST.spec.pre),
      ],
      (...answers) => {
        show(now, ...answers);
        alive();
      },
    );
  };
  const show = ({ row: { name, color }, L, factor }, result, other) => {
    for (const [quantity, chart] of Object.entries(charts)) {
      const values = result[quantity];
      const product = {
        name: words.factors,
        values: values.map((_, l) => factor ** (L - l)),
        color: "currentColor",
        product: true,
      };
      chart.draw(
        [
          ...(quantity === "gradient" ? [product] : []),
          {
            name: words.ghost,
            values: other[quantity],
            color: GHOST.color,
            ghost: true,
          },
          { name, values, color },
        ],
        `${words[quantity]}: ${three(values[0])} … ${three(values[L])}`,
      );
    }
    picture.show(...Object.values(charts).map(({ svg }) => svg));
    facts.replaceChildren(
      ...prose(
        [
          `${words.product} = λ^L × ${words.open} = ` +
            `${three(factor ** L)} × ${three(result.open)} = ` +
            three(factor ** L * result.open),
          `${words.ratio} =\u00a0${three(result.gradient[0])}`,
          `${words.loss} =\u00a0${three(result.loss)}`,
        ].join(words.semicolon),
      ),
    );
  };
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  update();
}

export const places = { "preact-stack": explore };
