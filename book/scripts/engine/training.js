// How the page trains: the digits, random numbers from a seed, mini-batches, and
// SGD. preact.book.why.race says the same in Python.
import { Network, norm } from "./network.js";

// -------------------------------------------------------------- digits
// 1797 images of 8 x 8 values from 0 to 16, then their labels; `train` of
// them to learn from. Normalized by mean and deviation of those pixels.
export async function unpackDigits({ count, train, pixels, packed }) {
  const zipped = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const plain = new Blob([zipped])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(plain).arrayBuffer());
  const images = Float64Array.from(bytes.subarray(0, count * pixels));
  const labels = bytes.slice(count * pixels);
  let sum = 0,
    squares = 0;
  const seen = train * pixels;
  for (let k = 0; k < seen; k++) sum += images[k];
  for (let k = 0; k < seen; k++) squares += (images[k] - sum / seen) ** 2;
  const deviation = Math.sqrt(squares / seen);
  for (let k = 0; k < images.length; k++) {
    images[k] = (images[k] - sum / seen) / deviation;
  }
  return { images, labels, count, train, pixels };
}

// ------------------------------------------------------ random numbers
export class Draws {
  constructor(seed) {
    this.state = Math.imul(seed, 2654435761) >>> 0;
  }

  uniform() {
    // mulberry32
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  normal() {
    // Box and Muller
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  shuffle(order) {
    // Fisher and Yates
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(this.uniform() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
  }
}

// He et al. by fan-in; the classifier as preact.reference has it, but
// normal. The same seed gives every network the same weights.
export function initialize(network, seed) {
  const draws = new Draws(2 * seed);
  for (const { name, value, fanIn } of network.parameters) {
    if (!fanIn) continue;
    const gain = name === "classifier.weight" ? 1 / 3 : 2;
    const deviation = Math.sqrt(gain / fanIn);
    for (let k = 0; k < value.length; k++) {
      value[k] = deviation * draws.normal();
    }
  }
}

// ------------------------------------------------------------ training
// v <- momentum v + (dE/dw + weightDecay w), w <- w - lr v
function sgdStep({ parameters }, { lr, momentum, weightDecay }) {
  for (const { value, gradient, velocity } of parameters) {
    for (let k = 0; k < value.length; k++) {
      velocity[k] =
        momentum * velocity[k] + gradient[k] + weightDecay * value[k];
      value[k] -= lr * velocity[k];
    }
  }
}

// Loss and share of wrong answers on a mini-batch; by depth, the norm of dE/dx_l and
// the share of open paths, as they were before the weights changed.
export function trainingStep(network, x, labels, n, recipe) {
  network.forward(x, n);
  const result = network.loss(labels, n);
  const open = network.openShares();
  const gradient = network.backward(n).map(norm);
  sgdStep(network, recipe);
  return { ...result, gradient, open };
}

// Mini-batches from an endless row of permutations of the training images.
export class Batches {
  size;
  pixels;
  images;
  labels;

  constructor({ images, labels, train, pixels }, size, seed) {
    Object.assign(this, { images, labels, pixels, size, next: train });
    this.draws = new Draws(2 * seed + 1);
    this.order = Array.from({ length: train }, (_, i) => i);
    this.x = new Float64Array(size * pixels);
    this.y = new Uint8Array(size);
  }

  draw() {
    for (let i = 0; i < this.size; i++) {
      if (this.next === this.order.length) {
        this.draws.shuffle(this.order);
        this.next = 0;
      }
      const image = this.order[this.next++],
        first = image * this.pixels;
      const pixels = this.images.subarray(first, first + this.pixels);
      this.x.set(pixels, i * this.pixels);
      this.y[i] = this.labels[image];
    }
  }
}

// One network and its own row of mini-batches.
class Training {
  recipe;
  digits;

  constructor({ plan, batch, seed, recipe }, digits) {
    Object.assign(this, { digits, recipe });
    this.batches = new Batches(digits, batch, seed);
    this.network = new Network(plan, batch);
    initialize(this.network, seed);
  }

  step() {
    const { x, y, size } = this.batches;
    this.batches.draw();
    return trainingStep(this.network, x, y, size, this.recipe);
  }

  // Share of wrong answers on the images that nobody has learned from.
  test() {
    const { images, labels, count, train, pixels } = this.digits;
    let wrong = 0;
    for (let i = train; i < count; i += this.batches.size) {
      const n = Math.min(this.batches.size, count - i);
      this.network.forward(images.subarray(i * pixels), n, false);
      wrong += this.network.loss(labels.subarray(i), n).wrong * n;
    }
    return wrong / (count - train);
  }
}

// Train a network; say what each step showed and, at last, the test.
export async function train(question, tell) {
  const { digits, steps } = question;
  const training = new Training(question, await unpackDigits(digits));
  for (let step = 0; step < steps; step++) tell(training.step());
  tell({ test: training.test() });
}
