// A fully connected residual stack with batch normalization, forward and
// backward, computed in the page: the third engine, beside preact.reference
// and preact.nn. Rows are N x d, row-major Float64Array; BN has scale 1 and
// shift 0 and uses the batch, as at the start of training. A browser test
// compares it with preact.reference on shared inputs to 1e-9.

const EPS = 1e-5; // preact.plan.BN_EPS

// ---------------------------------------------------------------- layers
function bnForward(x, n, d) {
  const y = new Float64Array(n * d), sigma = new Float64Array(d);
  for (let c = 0; c < d; c++) {
    let mean = 0, variance = 0;
    for (let i = 0; i < n; i++) mean += x[i * d + c];
    mean /= n;
    for (let i = 0; i < n; i++) variance += (x[i * d + c] - mean) ** 2;
    sigma[c] = Math.sqrt(variance / n + EPS);
    for (let i = 0; i < n; i++) y[i * d + c] = (x[i * d + c] - mean) / sigma[c];
  }
  return [y, { y, sigma }];
}

// dx = (g - mean(g) - y mean(g y)) / sigma, channel by channel
function bnBackward(g, { y, sigma }, n, d) {
  const dx = new Float64Array(n * d);
  for (let c = 0; c < d; c++) {
    let mean = 0, parallel = 0;
    for (let i = 0; i < n; i++) {
      mean += g[i * d + c];
      parallel += g[i * d + c] * y[i * d + c];
    }
    mean /= n;
    parallel /= n;
    for (let i = 0; i < n; i++) {
      const k = i * d + c;
      dx[k] = (g[k] - mean - y[k] * parallel) / sigma[c];
    }
  }
  return dx;
}

function reluForward(x) {
  const y = x.map((v) => (v > 0 ? v : 0));
  return [y, y];
}

function reluBackward(g, y) {
  return g.map((v, k) => (y[k] > 0 ? v : 0));
}

// y = x W^T, W is dOut x dIn
function linearForward(x, W, n, dIn, dOut) {
  const y = new Float64Array(n * dOut);
  for (let i = 0; i < n; i++) {
    for (let o = 0; o < dOut; o++) {
      let sum = 0;
      for (let c = 0; c < dIn; c++) sum += x[i * dIn + c] * W[o * dIn + c];
      y[i * dOut + o] = sum;
    }
  }
  return y;
}

function linearBackward(g, W, n, dIn, dOut) {
  const dx = new Float64Array(n * dIn);
  for (let i = 0; i < n; i++) {
    for (let o = 0; o < dOut; o++) {
      const v = g[i * dOut + o];
      for (let c = 0; c < dIn; c++) dx[i * dIn + c] += v * W[o * dIn + c];
    }
  }
  return dx;
}

// A place is a list of "BN" and "ReLU", as in preact.spec.
function placeForward(ops, x, n, d) {
  const caches = [];
  for (const op of ops) {
    const [y, cache] = op === "BN" ? bnForward(x, n, d) : reluForward(x);
    caches.push(cache);
    x = y;
  }
  return [x, caches];
}

function placeBackward(ops, g, caches, n, d) {
  for (let k = ops.length - 1; k >= 0; k--) {
    g = ops[k] === "BN"
      ? bnBackward(g, caches[k], n, d) : reluBackward(g, caches[k]);
  }
  return g;
}

// ------------------------------------------------------------------ unit
// x' = f(lambda x + F(x)),  F = post(W2 ReLU(BN(W1 pre(x))))
function unitForward(spec, lambda, [W1, W2], x, n, d) {
  const [a, pre] = placeForward(spec.pre, x, n, d);
  const [hidden, inner] = placeForward(
    ["BN", "ReLU"], linearForward(a, W1, n, d, d), n, d);
  const [F, post] = placeForward(
    spec.post, linearForward(hidden, W2, n, d, d), n, d);
  const y = F.map((v, k) => lambda * x[k] + v);
  const [out, after] = placeForward(spec.after, y, n, d);
  return [out, { pre, inner, post, after }];
}

function unitBackward(spec, lambda, [W1, W2], g, cache, n, d) {
  const dy = placeBackward(spec.after, g, cache.after, n, d);
  let da = placeBackward(spec.post, dy, cache.post, n, d);
  da = linearBackward(da, W2, n, d, d);
  da = placeBackward(["BN", "ReLU"], da, cache.inner, n, d);
  da = linearBackward(da, W1, n, d, d);
  da = placeBackward(spec.pre, da, cache.pre, n, d);
  return da.map((v, k) => v + lambda * dy[k]);
}

// --------------------------------------------------------------- network
// Signal (rms of x_l) and gradient (norm of dE/dx_l), l = 0 ... L, and the
// mean cross-entropy. `head` is classes x d, its bias zero.
export function propagate(net) {
  const { spec, lambda, stem, tail, weights, head, x, labels, n, d } = net;
  const classes = head.length / d;
  let [stream] = placeForward(stem, x, n, d);
  const signal = [rms(stream)], caches = [];
  const alive = new Uint8Array(n * d).fill(1); // paths no ReLU has closed
  for (const pair of weights) {
    const [out, cache] = unitForward(spec, lambda, pair, stream, n, d);
    caches.push(cache);
    stream = out;
    signal.push(rms(stream));
    if (spec.after.includes("ReLU")) stream.forEach((v, k) => { alive[k] &= v > 0; });
  }
  const [top, tailCache] = placeForward(tail, stream, n, d);
  const [loss, dlogits] = crossEntropy(
    linearForward(top, head, n, d, classes), labels, n, classes);
  let g = placeBackward(
    tail, linearBackward(dlogits, head, n, d, classes), tailCache, n, d);
  const gradient = [norm(g)];
  for (let l = weights.length - 1; l >= 0; l--) {
    g = unitBackward(spec, lambda, weights[l], g, caches[l], n, d);
    gradient.push(norm(g));
  }
  const open = alive.reduce((sum, v) => sum + v, 0) / alive.length;
  return { signal, gradient: gradient.reverse(), loss, first: g, open };
}

function crossEntropy(logits, labels, n, classes) {
  const d = new Float64Array(n * classes);
  let loss = 0;
  for (let i = 0; i < n; i++) {
    const row = logits.subarray(i * classes, (i + 1) * classes);
    const top = Math.max(...row);
    let sum = 0;
    for (const v of row) sum += Math.exp(v - top);
    for (let c = 0; c < classes; c++) {
      d[i * classes + c] = Math.exp(row[c] - top) / sum / n;
    }
    d[i * classes + labels[i]] -= 1 / n;
    loss -= (row[labels[i]] - top - Math.log(sum)) / n;
  }
  return [loss, d];
}

function norm(v) {
  let sum = 0;
  for (const value of v) sum += value * value;
  return Math.sqrt(sum);
}

function rms(v) {
  return norm(v) / Math.sqrt(v.length);
}

// ---------------------------------------------------------------- drawing
// He initialization by fan-in, Gaussian input, random labels, from one seed.
export function draw(units, d, n, classes, seed) {
  const normal = gaussian(seed);
  const fill = (size, deviation) =>
    Float64Array.from({ length: size }, () => deviation * normal());
  const weights = Array.from({ length: units }, () =>
    [fill(d * d, Math.sqrt(2 / d)), fill(d * d, Math.sqrt(2 / d))]);
  const head = fill(classes * d, 1 / Math.sqrt(3 * d));
  const x = fill(n * d, 1);
  const labels = Array.from({ length: n }, (_, i) => i % classes);
  return { weights, head, x, labels, n, d };
}

// mulberry32 and Box-Muller
function gaussian(seed) {
  let state = (seed * 2654435761) >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return () =>
    Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

// --------------------------------------------------------------- explorer
const SVG = "http://www.w3.org/2000/svg";
const W = 300, H = 210, LEFT = 52, BOTTOM = 34, TOP = 26;

function element(name, attributes, parent, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    node.setAttribute(key, value);
  }
  if (text !== undefined) node.textContent = text;
  if (parent) parent.append(node);
  return node;
}

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
export function explore(host) {
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
    const tails = { derived: spec.pre, none: [], BN: ["BN"] };
    const { signal, gradient, loss, open } = propagate({
      ...draw(L, Number(width.value), batch, classes, Number(seed.value)),
      spec, stem, lambda: factor, tail: tails[tail.value],
    });
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
