// The page's own engine: a fully connected residual network, forward and
// backward, with the names and the order of preact.reference. Tests compare
// one with the other to 1e-9.
//
// Rows of x are samples, row-major Float64Array, n x c. Every layer owns its
// buffers, made once for `batch` rows: training makes no new ones.

const EPS = 1e-5; // preact.plan.BN_EPS
const MOMENTUM = 0.1; // preact.plan.BN_MOMENTUM
const floats = (size) => new Float64Array(size);

function parameter(name, size, start = 0) {
  return {
    name,
    value: floats(size).fill(start),
    gradient: floats(size),
    velocity: floats(size),
  };
}

// ------------------------------------------------------------ products
// out = A B^T, A is m x k, B is n x k: two rows of each at a time, so that
// a number is read once for two products. An odd last row is done twice.
function product(A, B, out, m, n, k) {
  for (let i = 0; i < m; i += 2) {
    const i1 = Math.min(i + 1, m - 1),
      a = i * k,
      a1 = i1 * k;
    for (let j = 0; j < n; j += 2) {
      const j1 = Math.min(j + 1, n - 1),
        b = j * k,
        b1 = j1 * k;
      let s00 = 0,
        s01 = 0,
        s10 = 0,
        s11 = 0;
      for (let c = 0; c < k; c++) {
        const u = A[a + c],
          v = A[a1 + c],
          x = B[b + c],
          y = B[b1 + c];
        s00 += u * x;
        s01 += u * y;
        s10 += v * x;
        s11 += v * y;
      }
      out[i * n + j] = s00;
      out[i * n + j1] = s01;
      out[i1 * n + j] = s10;
      out[i1 * n + j1] = s11;
    }
  }
  return out;
}

function transpose(x, n, c, out) {
  for (let i = 0, k = 0; i < n; i++) {
    for (let j = 0; j < c; j++, k++) out[j * n + i] = x[k];
  }
  return out;
}

function sumOfRows(x, n, c, sum) {
  sum.fill(0);
  for (let i = 0, k = 0; i < n; i++) {
    for (let j = 0; j < c; j++, k++) sum[j] += x[k];
  }
  return sum;
}

export function norm(v) {
  let squares = 0;
  for (let k = 0; k < v.length; k++) squares += v[k] * v[k];
  return Math.sqrt(squares);
}

// -------------------------------------------------------------- layers
/** @type {new (...given: any[]) => any} */
const Layer = class {
  constructor(batch, c, cIn = c) {
    const [y, dx] = [floats(batch * c), floats(batch * cIn)];
    Object.assign(this, { c, y, dx, parameters: [] });
  }
};

// y = x W^T + b, W is cOut x cIn; only the classifier has a b.
class Linear extends Layer {
  constructor(name, batch, cIn, cOut, hasBias = false) {
    super(batch, cOut, cIn);
    Object.assign(this, { cIn, cOut });
    this.xT = floats(batch * cIn);
    this.dyT = floats(batch * cOut);
    this.WT = floats(cIn * cOut);
    this.weight = { ...parameter(`${name}.weight`, cOut * cIn), fanIn: cIn };
    this.bias = hasBias ? parameter(`${name}.bias`, cOut) : null;
    this.parameters = [this.weight, ...(hasBias ? [this.bias] : [])];
  }

  forward(x, n) {
    const { cIn, cOut, y, bias } = this;
    this.x = x;
    product(x, this.weight.value, y, n, cOut, cIn);
    for (let k = 0; bias && k < n * cOut; k++) y[k] += bias.value[k % cOut];
    return y;
  }

  // dx = dy W, dW = dy^T x
  backward(dy, n) {
    const { cIn, cOut, x, xT, dyT, WT, bias } = this;
    transpose(x, n, cIn, xT);
    transpose(dy, n, cOut, dyT);
    transpose(this.weight.value, cOut, cIn, WT);
    product(dyT, xT, this.weight.gradient, cOut, cIn, n);
    if (bias) sumOfRows(dy, n, cOut, bias.gradient);
    return product(dy, WT, this.dx, n, cIn, cOut);
  }
}

// y = gamma x_hat + beta, x_hat = (x - mean) / sigma, column by column
class BatchNorm extends Layer {
  constructor(name, batch, c) {
    super(batch, c);
    this.xHat = floats(batch * c);
    this.sigma = floats(c);
    this.gamma = parameter(`${name}.weight`, c, 1);
    this.beta = parameter(`${name}.bias`, c);
    this.parameters = [this.gamma, this.beta];
    this.running = { name, mean: floats(c), variance: floats(c).fill(1) };
    this.batch = { mean: floats(c), variance: floats(c) };
  }

  forward(x, n, training) {
    const { c, y, xHat, sigma } = this,
      size = n * c;
    const seen = training ? this.batch : this.running;
    for (let j = 0; j < c; j++) {
      if (training) this.measure(x, n, j);
      sigma[j] = Math.sqrt(seen.variance[j] + EPS);
      const mean = seen.mean[j],
        scale = 1 / sigma[j];
      const gamma = this.gamma.value[j],
        beta = this.beta.value[j];
      for (let k = j; k < size; k += c) {
        const v = (x[k] - mean) * scale;
        xHat[k] = v;
        y[k] = gamma * v + beta;
      }
    }
    return y;
  }

  // Mean and variance of column j; the running variance is unbiased.
  measure(x, n, j) {
    const { c, batch, running } = this,
      size = n * c;
    let mean = 0,
      squares = 0;
    for (let k = j; k < size; k += c) mean += x[k];
    mean /= n;
    for (let k = j; k < size; k += c) squares += (x[k] - mean) ** 2;
    batch.mean[j] = mean;
    batch.variance[j] = squares / n;
    const unbiased = squares / (n - 1);
    running.mean[j] += MOMENTUM * (mean - running.mean[j]);
    running.variance[j] += MOMENTUM * (unbiased - running.variance[j]);
  }

  // dx = gamma/sigma (dy - mean(dy) - x_hat mean(dy x_hat))
  backward(dy, n) {
    const { c, dx, xHat, sigma } = this,
      size = n * c;
    for (let j = 0; j < c; j++) {
      let dgamma = 0,
        dbeta = 0;
      for (let k = j; k < size; k += c) {
        dgamma += dy[k] * xHat[k];
        dbeta += dy[k];
      }
      const scale = this.gamma.value[j] / sigma[j];
      const mean = dbeta / n,
        parallel = dgamma / n;
      for (let k = j; k < size; k += c) {
        dx[k] = scale * (dy[k] - mean - xHat[k] * parallel);
      }
      this.gamma.gradient[j] = dgamma;
      this.beta.gradient[j] = dbeta;
    }
    return dx;
  }
}

class ReLU extends Layer {
  forward(x, n) {
    const { y } = this;
    this.x = x;
    for (let k = 0; k < n * this.c; k++) y[k] = x[k] > 0 ? x[k] : 0;
    return y;
  }

  backward(dy, n) {
    const { x, dx } = this;
    for (let k = 0; k < n * this.c; k++) dx[k] = x[k] > 0 ? dy[k] : 0;
    return dx;
  }
}

// y = factor x, written "x 0.5" in a plan.
class Scale extends Layer {
  constructor(batch, c, factor) {
    super(batch, c);
    this.factor = factor;
  }

  times(x, n, out) {
    for (let k = 0; k < n * this.c; k++) out[k] = this.factor * x[k];
    return out;
  }

  forward(x, n) {
    return this.times(x, n, this.y);
  }

  backward(dy, n) {
    return this.times(dy, n, this.dx);
  }
}

// A row of layers by name, as preact.plan prints them.
function layers(name, ops, batch, cIn, width) {
  return ops.map((op, i) => {
    const own = `${name}.${i}`;
    if (op === "BN") return new BatchNorm(own, batch, width);
    if (op === "ReLU") return new ReLU(batch, width);
    if (op.startsWith("x ")) {
      return new Scale(batch, width, Number(op.slice(2)));
    }
    return new Linear(own, batch, cIn, width);
  });
}

function forward(row, x, n, training) {
  for (const layer of row) x = layer.forward(x, n, training);
  return x;
}

function backward(row, dy, n) {
  for (let i = row.length - 1; i >= 0; i--) dy = row[i].backward(dy, n);
  return dy;
}

// ---------------------------------------------------------------- unit
class Unit {
  plan;
  shortcut;
  width;
  returned;

  constructor(name, plan, batch) {
    const { width, shortcut, returned = shortcut } = plan;
    const place = (key) =>
      layers(`${name}.${key}`, plan[key], batch, width, width);
    this.branch = [...place("pre"), ...place("weights"), ...place("post")];
    this.after = place("after");
    this.layers = [...this.branch, ...this.after];
    Object.assign(this, { plan, width, shortcut, returned });
    this.y = floats(batch * width);
    this.dx = floats(batch * width);
  }

  forward(x, n, training) {
    const { y, shortcut } = this;
    const F = forward(this.branch, x, n, training);
    for (let k = 0; k < n * this.width; k++) {
      y[k] = shortcut * x[k] + F[k]; // Eq. (1), h(x) = x; Eq. (6) if scaled
    }
    return forward(this.after, y, n, training); // Eq. (2), x' = f(y)
  }

  backward(dout, n) {
    const { dx, returned } = this;
    const dy = backward(this.after, dout, n);
    const dF = backward(this.branch, dy, n);
    for (let k = 0; k < n * this.width; k++) {
      dx[k] = returned * dy[k] + dF[k]; // 0 if the shortcut is detached
    }
    return dx;
  }
}

// ------------------------------------------------------------- network
// `plan`: inputs, width, units, classes; stem, pre, weights, post, after
// and tail, each a list of layers; shortcut, a factor, and `returned`, the
// factor of the gradient where a mistake makes it another one.
export class Network {
  dlogits;
  classes;

  constructor(plan, batch) {
    const { inputs, width, classes } = plan;
    this.stem = layers("stem", plan.stem, batch, inputs, width);
    this.units = Array.from(
      { length: plan.units },
      (_, i) => new Unit(`units.${i}`, plan, batch),
    );
    this.tail = layers("tail", plan.tail, batch, width, width);
    this.classifier = new Linear("classifier", batch, width, classes, true);
    const row = [
      ...this.stem,
      ...this.units.flatMap((unit) => unit.layers),
      ...this.tail,
      this.classifier,
    ];
    this.parameters = row.flatMap((layer) => layer.parameters);
    this.running = row.flatMap((layer) => layer.running ?? []);
    Object.assign(this, { classes, dlogits: floats(batch * classes) });
  }

  // Logits of n rows. In training BN uses the batch, else what it kept.
  forward(x, n, training = true) {
    x = forward(this.stem, x, n, training);
    this.streams = [x];
    for (const unit of this.units) {
      x = unit.forward(x, n, training);
      this.streams.push(x);
    }
    x = forward(this.tail, x, n, training);
    this.logits = this.classifier.forward(x, n);
    return this.logits;
  }

  // After forward(x, n): every gradient; returns dE/dx_0, ..., dE/dx_L.
  backward(n) {
    let g = this.classifier.backward(this.dlogits, n);
    g = backward(this.tail, g, n);
    const gradients = [g];
    for (let l = this.units.length - 1; l >= 0; l--) {
      g = this.units[l].backward(g, n);
      gradients.push(g);
    }
    backward(this.stem, g, n);
    return gradients.reverse();
  }

  // After forward: for each l, the share of shortcut paths from x_0 to x_l that are
  // open: no factor 0 and no zero of a ReLU after an addition has closed them.
  openShares() {
    const open = floats(this.streams[0].length).fill(1);
    return this.streams.map((x, l) => {
      const plan = this.units[l - 1]?.plan;
      const masked = plan?.after.includes("ReLU");
      let sum = 0;
      for (let k = 0; k < open.length; k++) {
        if (plan?.shortcut === 0 || (masked && !(x[k] > 0))) open[k] = 0;
        sum += open[k];
      }
      return sum / open.length;
    });
  }

  // Mean cross-entropy in nats, and the share of wrong answers.
  loss(labels, n) {
    const { logits, dlogits, classes } = this;
    let loss = 0,
      wrong = 0;
    for (let i = 0; i < n; i++) {
      const first = i * classes,
        right = first + labels[i];
      let best = first,
        sum = 0;
      for (let k = first; k < first + classes; k++) {
        if (logits[k] > logits[best]) best = k;
      }
      for (let k = first; k < first + classes; k++) {
        sum += Math.exp(logits[k] - logits[best]);
      }
      for (let k = first; k < first + classes; k++) {
        dlogits[k] = Math.exp(logits[k] - logits[best]) / sum / n;
      }
      dlogits[right] -= 1 / n;
      loss -= (logits[right] - logits[best] - Math.log(sum)) / n;
      if (best !== right) wrong += 1 / n;
    }
    return { loss, wrong };
  }
}
