// The runs that this page has computed, and the workers that compute them.
import { loadBundle } from "#scripts/load.js";
import { makeWorker } from "#scripts/worker.js";

export class Runs {
  host;
  known = new Map(); // by their settings
  workers = [];
  unseen = 0; // digits of the test

  constructor(host) {
    this.host = host;
  }

  get(settings) {
    return this.known.get(settings);
  }

  halt() {
    for (const worker of this.workers) worker.terminate();
    this.workers = [];
  }

  // Let each of the networks asked for learn, in a worker of its own, and call `tell`
  // after each step. One step shows a fresh network; all of them train it. What is
  // halted never returns.
  async compute(asked, question, tell) {
    this.halt();
    const workers = asked.map(() => makeWorker(this.host));
    this.workers = workers;
    const ends = Promise.all(
      workers.map((worker, i) => this.hear(worker, asked[i], question, tell)),
    );
    const digits = await loadBundle("digits.js");
    this.unseen = digits.count - digits.train;
    for (const [i, worker] of workers.entries()) {
      if (this.workers !== workers) break;
      worker.postMessage({ digits, ...question(asked[i]) });
    }
    await ends;
  }

  hear(worker, settings, question, tell) {
    const run = { loss: [], error: [], gradient: [], open: [] };
    const { steps } = question(settings);
    return new Promise((end, fail) => {
      worker.onerror = fail;
      worker.onmessage = ({ data: { loss, wrong, gradient, open, test } }) => {
        if (test !== undefined) {
          return end(Object.assign(run, { test, done: steps > 1 }));
        }
        run.loss.push(loss);
        run.error.push(100 * wrong);
        run.gradient.push(gradient);
        run.open.push(open);
        this.known.set(settings, run);
        tell();
      };
    });
  }
}
