// What the tests ask of the engine, in Node and in the page alike.
import { digits as packed } from "../../book/scripts/engine/digits.js";
import { Network } from "../../book/scripts/engine/network.js";
import * as training from "../../book/scripts/engine/training.js";

const list = (values) => Array.from(values);

// Some steps from given weights: after each, the loss, every gradient,
// every weight and every running statistic; and logits by those statistics.
export function train({ plan, params, batches, recipe }) {
  const network = new Network(plan, batches[0].labels.length);
  for (const { name, value } of network.parameters) value.set(params[name]);
  const steps = batches.map(({ x, labels }) => {
    const rows = Float64Array.from(x);
    const { loss, wrong } = training.trainingStep(
      network,
      rows,
      labels,
      labels.length,
      recipe,
    );
    const by = (key) =>
      Object.fromEntries(
        network.parameters.map((p) => [p.name, list(p[key])]),
      );
    const running = network.running.flatMap(({ name, mean, variance }) => [
      [`${name}.running_mean`, list(mean)],
      [`${name}.running_var`, list(variance)],
    ]);
    const params = { ...by("value"), ...Object.fromEntries(running) };
    return { loss, wrong, gradients: by("gradient"), params };
  });
  const { x, labels } = batches[0];
  const logits = network.forward(Float64Array.from(x), labels.length, false);
  return { steps, logits: list(logits) };
}

// Signal and gradient by depth, as the explorers draw them.
export function propagate({ plan, params, x, labels }) {
  const network = new Network(plan, labels.length);
  for (const { name, value } of network.parameters) value.set(params[name]);
  network.forward(Float64Array.from(x), labels.length);
  const { loss } = network.loss(labels, labels.length);
  const gradients = network.backward(labels.length).map(list);
  return { loss, streams: network.streams.map(list), gradients };
}

// A network on the digits, from a seed, as the playground trains it.
export async function trainOnDigits(question) {
  const steps = [];
  const tell = (news) => steps.push(news);
  await training.train({ ...question, digits: packed }, tell);
  const { test } = steps.pop();
  return { steps, test };
}

export async function digits() {
  const { images, labels, train } = await training.unpackDigits(packed);
  return { images: list(images), labels: list(labels), train };
}

export function draws({ seed, size, train, steps, batch }) {
  const source = new training.Draws(seed);
  const normal = Array.from({ length: size }, () => source.normal());
  const pixels = 1;
  const numbers = Float64Array.from({ length: train }, (_, i) => i);
  const batches = new training.Batches(
    { images: numbers, labels: new Uint8Array(train), train, pixels },
    batch,
    seed,
  );
  const orders = Array.from({ length: steps }, () => {
    batches.draw();
    return list(batches.x);
  });
  return { normal, orders };
}
