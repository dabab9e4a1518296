// The explorer of chapter 03: a fully connected residual stack, its signal and
// its gradient by depth, computed in the page by the engine that also trains.
const preactStack = (() => {
  const { Network } = preactNetwork();
  const { Draws, initialize } = preactTraining({ Network });
  const { element } = preactCharts;
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

  function norm(v) {
    return Math.sqrt(v.reduce((sum, value) => sum + value * value, 0));
  }

  function rms(v) {
    return norm(v) / Math.sqrt(v.length);
  }

  // --------------------------------------------------------------- explorer
  const W = 300, H = 210, LEFT = 52, BOTTOM = 34, TOP = 26;

  // One curve over depth, on a logarithmic axis with a tick at each decade.
  function chart(values, title, xlabel, color) {
    const svg = element("svg", {
      viewBox: `0 0 ${W} ${H}`, role: "img", style: `width:${W}px`,
      "aria-label": `${title}: ${values[0].toPrecision(3)} … ` +
        values[values.length - 1].toPrecision(3),
    });
    const logs = values.map((v) => Math.log10(Math.max(v, 1e-300)));
    const low = Math.floor(Math.min(...logs) - 1e-9);
    const high = Math.max(Math.ceil(Math.max(...logs)), low + 1);
    const X = (l) => LEFT + (W - LEFT - 8) * l / Math.max(values.length - 1, 1);
    const Y = (v) => TOP + (H - TOP - BOTTOM) * (high - v) / (high - low);
    element("text", { x: LEFT, y: 14 }, svg, title);
    const step = Math.ceil((high - low) / 6);
    for (let k = low; k <= high; k += step) {
      element("path", { d: `M${LEFT} ${Y(k)}H${W - 8}`, stroke: "#808080",
        "stroke-opacity": 0.3 }, svg);
      const label = Math.abs(k) < 4 ? String(+(10 ** k).toPrecision(1)) : `1e${k}`;
      element("text", { x: LEFT - 6, y: Y(k) + 4, "text-anchor": "end" }, svg, label);
    }
    for (const l of [0, values.length - 1]) {
      element("text", { x: X(l), y: H - BOTTOM + 15, "text-anchor": "middle" }, svg, l);
    }
    element("text", { x: (LEFT + W) / 2, y: H - 6, "text-anchor": "middle" }, svg, xlabel);
    element("path", { fill: "none", stroke: color, "stroke-width": 2,
      d: "M" + logs.map((v, l) => `${X(l).toFixed(1)} ${Y(v).toFixed(1)}`).join("L"),
    }, svg);
    return svg;
  }

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
    const picture = document.createElement("div");
    picture.className = "preact-figure";
    const facts = document.createElement("p");
    facts.className = "facts";
    facts.setAttribute("aria-live", "polite");
    const update = () => {
      const { spec, stem, color } = rows[row.value];
      const L = Number(units.value), factor = Number(lambda.value);
      const d = Number(width.value);
      const tails = { derived: spec.pre, none: [], BN: ["BN"] };
      const network = new Network({
        ...spec, stem, weights: WEIGHTS, tail: tails[tail.value], classes,
        inputs: d, width: d, units: L, shortcut: factor,
      }, batch);
      const { signal, gradient, loss, open } =
        propagate(network, ...draw(network, d, batch, Number(seed.value)));
      const last = gradient[L];
      picture.replaceChildren(
        chart(signal, words.signal, words.depth, color),
        chart(gradient.map((g) => g / last), words.gradient, words.depth, color));
      facts.textContent = [
        `${words.product} = λ^L × ${words.open} = ` +
        `${(factor ** L).toPrecision(3)} × ${open.toPrecision(3)} = ` +
        `${(factor ** L * open).toPrecision(3)}`,
        `${words.ratio} = ${(gradient[0] / last).toPrecision(3)}`,
        `${words.loss} = ${loss.toPrecision(3)}`,
      ].join(" · ");
    };
    form.addEventListener("input", update);
    form.addEventListener("submit", (event) => event.preventDefault());
    update();
    host.replaceChildren(form, picture, facts);
    host.dataset.live = "true";
  }

  for (const host of document.querySelectorAll(".preact-stack")) explore(host);
  return { propagate };
})();
