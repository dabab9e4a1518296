// Questions to the page's worker: no move of a slider waits for a network. While
// one is computed, only the last of those that follow is kept, and an answer is
// drawn in a frame of its own. A place with aria-busy waits for an answer.
import { makeWorker } from "./worker.js";

const waiting = new Map(); // who waits for an answer, by its number
let shared = null, // by all explorers of a page
  count = 0;

function listen(host) {
  const made = makeWorker(host);
  made.onmessage = ({ data: { number, answers } }) => {
    waiting.get(number)(answers);
    waiting.delete(number);
  };
  return made;
}

function compute(worker, questions) {
  if (!questions.length) return [];
  worker.postMessage({ number: ++count, questions });
  return new Promise((done) => waiting.set(count, done));
}

export class Asker {
  host;
  worker;

  constructor(host) {
    Object.assign(this, { host, known: new Map(), next: null });
  }

  // Questions as engine/propagation.js has them; `show` gets their answers.
  ask(questions, show) {
    this.next = { questions, show };
    this.host.setAttribute("aria-busy", "true");
    this.running ??= this.run();
  }

  async run() {
    while (this.next) {
      const { questions, show } = this.next;
      this.next = null;
      const answers = await this.answers(questions);
      await new Promise(requestAnimationFrame);
      show(...answers);
    }
    this.running = null;
    this.host.removeAttribute("aria-busy");
  }

  // What was asked the last time, too, is not computed again.
  async answers(questions) {
    const keys = questions.map((question) => JSON.stringify(question));
    const fresh = keys.map((key) => !this.known.has(key));
    const { host } = this;
    this.worker ??= host.kernel ? listen(host) : (shared ??= listen(host));
    const computed = await compute(
      this.worker,
      questions.filter((_, i) => fresh[i]),
    );
    const answers = keys.map((key, i) =>
      fresh[i] ? computed.shift() : this.known.get(key),
    );
    this.known = new Map(keys.map((key, i) => [key, answers[i]]));
    return answers;
  }
}

// Controls at once; the measured figure stays until there is an answer.
export function replace(host, form, ...parts) {
  const measured = [...host.childNodes];
  host.prepend(form);
  return () => {
    if (host.dataset.live) return;
    for (const part of measured) part.remove();
    host.append(...parts);
    host.dataset.live = "true";
  };
}
