// What a fresh network shows in one pass forward and one back: its signal and
// its gradient by depth.
import { Network, norm } from "./network.js";
import { Draws, initialize } from "./training.js";

// The answer to a question: what a freshly drawn network of this plan makes of
// Gaussian input, by depth. Signal is the rms of x_l, gradient the norm of dE/dx_l in
// multiples of that at the last unit; or the signal alone.
export function fresh({ plan, batch, seed, forward = false }) {
  const network = new Network(plan, batch);
  initialize(network, seed);
  const draws = new Draws(2 * seed + 1);
  const x = new Float64Array(batch * plan.inputs).map(() => draws.normal());
  network.forward(x, batch);
  const signal = network.streams.map((v) => norm(v) / Math.sqrt(v.length));
  if (forward) return { signal };
  const labels = Array.from({ length: batch }, (_, i) => i % network.classes);
  network.loss(labels, batch);
  const gradient = network.backward(batch).map(norm);
  return { signal, gradient: gradient.map((g) => g / gradient.at(-1)) };
}
