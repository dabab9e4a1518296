// The explorers in a notebook: an ES module as anywidget loads it. What a cell
// shows is the page's own markup, and the page's own scripts bring it to life.
// Units that no page knows are the kernel's to compute: it stands in for a worker.
import "./widget.css";
import { followNamed } from "./address.js";
import { tellWords } from "./charts.js";
import { WITH_ENGINE } from "./computing.js";

class Kernel {
  model;
  worker;
  onmessage;
  onerror = ({ message }) => reportError(new Error(message));

  constructor(model) {
    Object.assign(this, { model, worker: Math.random() });
    this.hear = ({ worker, news, error }) => {
      if (worker !== this.worker) return;
      if (error) return this.onerror({ message: error });
      // JSON has no word for what is no number
      const text = news.replace(/NaN|-?Infinity/g, "null");
      this.onmessage({ data: JSON.parse(text, (_, value) => value ?? NaN) });
    };
    model.on("msg:custom", this.hear);
  }

  postMessage(data) {
    // the kernel has the digits
    const asked = { ...data, digits: undefined };
    this.model.send({ worker: this.worker, data: asked });
  }

  terminate() {
    this.model.off("msg:custom", this.hear);
    this.model.send({ worker: this.worker });
  }
}

// Beside a notebook are notebooks, no pages.
function leadToNotebook({ target }) {
  const link = target.closest("a[href]");
  const [page, name] =
    /^([\w-]+)\.html/.exec(link?.getAttribute("href")) ?? [];
  if (page) link.setAttribute("href", `${name}.ipynb`);
}

export default {
  render({ model, el }) {
    tellWords({ link: "CSV" });
    el.classList.add("preact-widget", "bd-article");
    // or JupyterLab's shortcuts act on what a slider is told
    el.addEventListener("keydown", (event) => event.stopPropagation());
    for (const kind of ["click", "auxclick"]) {
      el.addEventListener(kind, leadToNotebook);
    }
    el.innerHTML = model.get("markup");
    const ends = [];
    for (const [place, make] of Object.entries(WITH_ENGINE)) {
      for (const host of el.querySelectorAll(`.${place}`)) {
        if (model.get("asks")) host.kernel = () => new Kernel(model);
        make(host);
        ends.push(followNamed(host, place.replace("preact-", "")));
      }
    }
    return () => ends.forEach((end) => end());
  },
};
