// The explorer of chapter 03: a fully connected residual stack, its signal and
// its gradient by depth, computed in the page by the engine that also trains.
const preactStack = (() => {
  const { Network } = preactNetwork();
  const { Draws, initialize } = preactTraining({ Network });
  const { DepthChart, figure, node, prose, stroke } = preactCharts;
  const WEIGHTS = ["conv 1x1", "BN", "ReLU", "conv 1x1"];

  // Signal (rms of x_l) and gradient (norm of dE/dx_l), l = 0 ... L, the mean
  // cross-entropy, dE/dx_0 itself, and the share of open shortcut paths.
  function propagate(network, x, labels) {
    network.forward(x, labels.length);
    const { loss } = network.loss(labels, labels.length);
    const signal = network.streams.map(rms);
    const gradients = network.backward(labels.length);
    return {
      signal, gradient: gradients.map(norm), loss, first: gradients[0],
      open: openShare(network),
    };
  }

  // A path from x_0 to x_L is open where no ReLU after an addition is zero.
  function openShare({ units, streams }) {
    const open = streams[0].map((_, k) => Number(units.every((unit, l) =>
      !unit.plan.after.includes("ReLU") || streams[l + 1][k] > 0)));
    return open.reduce((sum, v) => sum + v, 0) / open.length;
  }

  // Initial weights for the network, Gaussian input and labels, from a seed.
  function draw(network, d, batch, seed) {
    initialize(network, seed);
    const draws = new Draws(2 * seed + 1);
    const x = new Float64Array(batch * d).map(() => draws.normal());
    return [x, Array.from({ length: batch }, (_, i) => i % network.classes)];
  }

  // rms of x_0 ... x_L in a freshly drawn network of such units.
  function freshSignal(
    { spec, stem, units, width, classes, tail, factor }, batch, seed) {
    const network = new Network({
      ...spec, stem, weights: WEIGHTS, tail, classes,
      inputs: width, width, units, shortcut: factor,
    }, batch);
    const [x] = draw(network, width, batch, seed);
    network.forward(x, batch);
    return network.streams.map(rms);
  }

  function norm(v) {
    return Math.sqrt(v.reduce((sum, value) => sum + value * value, 0));
  }

  function rms(v) {
    return norm(v) / Math.sqrt(v.length);
  }

  // --------------------------------------------------------------- explorer
  // The axes stay as they are, whatever is computed: what leaves them is drawn
  // on their edge, and the numbers below say how far it went.
  const TICKS = {
    signal: [0.1, 1, 10, 100, 1000],
    gradient: [1e-4, 1e-2, 1, 100, 1e4, 1e6, 1e8],
  };

  function control(form, name, label, input) {
    const wrap = document.createElement("label");
    input.name = name;
    wrap.append(label, input);
    if (input.type === "range") {
      const shown = document.createElement("output");
      const show = () => { shown.textContent = input.value; };
      input.addEventListener("input", show);
      show();
      wrap.append(shown);
    }
    form.append(wrap);
    return input;
  }

  function range(min, max, step, value) {
    const input = document.createElement("input");
    Object.assign(input, { type: "range", min, max, step });
    input.value = value;
    return input;
  }

  function choice(options, value) {
    const select = document.createElement("select");
    for (const [key, text] of options) select.add(new Option(text, key));
    select.value = value;
    return select;
  }

  // Replace the measured figure inside `host` by controls and live curves.
  function explore(host) {
    const { words, rows, batch, classes } = JSON.parse(host.dataset.stack);
    const form = document.createElement("form");
    form.className = "controls";
    const names = Object.keys(rows);
    const row = control(form, "row", words.row,
      choice(names.map((r) => [r, rows[r].name]), "full-preactivation"));
    const units = control(form, "units", words.units, range(1, 100, 1, 50));
    const width = control(form, "width", words.width, range(4, 64, 4, 32));
    const lambda = control(form, "lambda", "λ", range(0, 1.2, 0.01, 1));
    const tail = control(form, "tail", words.tail, choice([
      ["derived", words.derived], ["none", words.none], ["BN", words.final_bn]],
      "derived"));
    const seed = control(form, "seed", words.seed, range(0, 20, 1, 0));
    const picture = figure();
    const facts = node("p", { className: "facts" });
    facts.setAttribute("aria-live", "polite");
    const GHOST = rows["full-preactivation"];
    const legend = node("p", { className: "legend" },
      node("span", {}, stroke(GHOST.color, "ghost"), words.ghost));
    // What the controls say, or another unit and factor in its place.
    const compute = ({ spec, stem }, factor, ops) => {
      const d = Number(width.value);
      const network = new Network({
        ...spec, stem, weights: WEIGHTS, tail: ops, classes,
        inputs: d, width: d, units: Number(units.value), shortcut: factor,
      }, batch);
      const result = propagate(network,
        ...draw(network, d, batch, Number(seed.value)));
      const last = result.gradient[result.gradient.length - 1];
      return { ...result, gradient: result.gradient.map((g) => g / last) };
    };
    const ghosts = new Map();
    const ghost = () => {
      const key = [units.value, width.value, seed.value].join();
      if (!ghosts.has(key)) {
        ghosts.set(key, compute(GHOST, 1, GHOST.spec.pre));
      }
      return ghosts.get(key);
    };
    const update = () => {
      const { name, spec, color } = rows[row.value];
      const L = Number(units.value), factor = Number(lambda.value);
      const tails = { derived: spec.pre, none: [], BN: ["BN"] };
      const result = compute(rows[row.value], factor, tails[tail.value]);
      const other = ghost();
      picture.show(...Object.entries(TICKS).map(
        ([quantity, ticks]) => {
          const title = words[quantity], values = result[quantity];
          const chart = new DepthChart(
            { title, xlabel: words.depth, units: L, ticks });
          chart.draw([
            { name: words.ghost, values: other[quantity], color: GHOST.color,
              ghost: true },
            { name, values, color },
          ], `${title}: ${values[0].toPrecision(3)} … ` +
            values[L].toPrecision(3));
          return chart.svg;
        }));
      facts.replaceChildren(...prose([
        `${words.product} = λ^L × ${words.open} = ` +
        `${(factor ** L).toPrecision(3)} × ${result.open.toPrecision(3)} = ` +
        `${(factor ** L * result.open).toPrecision(3)}`,
        `${words.ratio} = ${result.gradient[0].toPrecision(3)}`,
        `${words.loss} = ${result.loss.toPrecision(3)}`,
      ].join(" · ")));
    };
    form.addEventListener("input", update);
    form.addEventListener("submit", (event) => event.preventDefault());
    update();
    host.replaceChildren(form, legend, picture, facts);
    host.dataset.live = "true";
  }

  for (const host of document.querySelectorAll(".preact-stack")) explore(host);
  return { choice, control, draw, freshSignal, propagate, range };
})();
