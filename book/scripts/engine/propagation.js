// What a fresh network shows in one pass forward and one back: its signal and
// its gradient by depth.
import { Network } from "./network.js";
import { Draws, initialize } from "./training.js";

// Signal (rms of x_l) and gradient (norm of dE/dx_l), l = 0 ... L, the mean
// cross-entropy, dE/dx_0 itself, and the share of open shortcut paths.
export function propagate(network, x, labels) {
  network.forward(x, labels.length);
  const { loss } = network.loss(labels, labels.length);
  const signal = network.streams.map(rms);
  const gradients = network.backward(labels.length);
  return {
    signal,
    gradient: gradients.map(norm),
    loss,
    first: gradients[0],
    open: openShare(network),
  };
}

// A path from x_0 to x_L is open where no ReLU after an addition is zero.
function openShare({ units, streams }) {
  const open = streams[0].map((_, k) =>
    Number(
      units.every(
        (unit, l) =>
          !unit.plan.after.includes("ReLU") || streams[l + 1][k] > 0,
      ),
    ),
  );
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

// The answer to a question: what a freshly drawn network of this plan shows,
// its gradient in multiples of that at the last unit; or its signal alone.
export function fresh({ plan, batch, seed, forward = false }) {
  const network = new Network(plan, batch);
  const [x, labels] = draw(network, plan.inputs, batch, seed);
  if (forward) {
    network.forward(x, batch);
    return { signal: network.streams.map(rms) };
  }
  const { signal, gradient, loss, open } = propagate(network, x, labels);
  return {
    signal,
    gradient: gradient.map((g) => g / gradient.at(-1)),
    loss,
    open,
  };
}
