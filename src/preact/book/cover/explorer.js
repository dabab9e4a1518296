// The cover's picture in time: it plays the recorded moments once, and says the
// numbers of one unit at one moment, chosen by sliders or by pointing at it.
import { element, fill, node, numberText } from "#scripts/charts.js";
import { button, control, range } from "#scripts/controls.js";
import { Explorer } from "#scripts/explorer.js";

const STEP_MS = 600;

// "5*3 2" is 5 5 5 2.
function unpack(text) {
  return text.split(" ").flatMap((run) => {
    const [value, times = 1] = run.split("*").map(Number);
    return Array(times).fill(value);
  });
}

class Cover extends Explorer {
  constructor(host) {
    super(host, "cover");
    this.last = this.shownTo = this.moments.length - 1;
    for (const network of this.networks) {
      network.gradient = network.gradient.map(unpack);
      network.open = network.open.map(unpack);
    }
    this.units = this.networks[0].gradient[0].length;
    const pictures = host.closest("figure").querySelectorAll("svg");
    this.panels = this.networks.map((_, i) => this.panel(pictures[i]));
    this.button = button("play", "", () =>
      this.playing ? this.stop() : this.play(),
    );
    const controls = node("div", { className: "controls" }, this.button);
    const slider = (name, most, value, say) => {
      const input = range(0, most, 1, value);
      return control(controls, name, this.words[name], input, say);
    };
    this.moment = slider(
      "moment",
      this.last,
      this.last,
      (i) => this.moments[i],
    );
    this.unit = slider("unit", this.units - 1, this.mostApart());
    this.facts = node("div", { className: "facts" });
    this.live(controls, this.facts);
    host.hidden = false;
    host.addEventListener("input", () => {
      this.shownTo = Number(this.moment.value);
      this.stop();
    });
    this.show();
    this.await(pictures[0]);
  }

  // Where the trained networks differ most, in gradient and in open paths.
  mostApart() {
    const [one, two] = this.networks;
    const apart = (kind, l) =>
      Math.abs(one[kind][this.last][l] - two[kind][this.last][l]);
    const both = Array.from(
      { length: this.units },
      (_, l) => apart("gradient", l) * apart("open", l),
    );
    return both.indexOf(Math.max(...both));
  }

  // What is laid over a network's picture: a veil on each of its maps over
  // what has not been trained yet, the row and the column in question.
  panel(svg) {
    const { left, width, maps } = this.box,
      rows = this.last + 1;
    const rect = (kind, y, height) =>
      element("rect", { class: kind, x: left, width, y, height }, svg);
    const veils = maps.map(([y, tall]) => rect("veil", y, tall * rows));
    const frames = maps.map(([y, tall]) => rect("moment", y, tall));
    const d = maps.map(([y, tall]) => `M${left} ${y}v${tall * rows}`).join("");
    const line = element("path", { class: "unit-line", d }, svg);
    svg.classList.add("scrubbed");
    for (const kind of ["pointermove", "pointerdown"]) {
      svg.addEventListener(kind, (event) => this.point(svg, event));
    }
    return { veils, frames, line };
  }

  point(svg, event) {
    const { left, width, maps } = this.box;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      svg.getScreenCTM().inverse(),
    );
    const unit = Math.floor(((at.x - left) / width) * this.units);
    const rows = maps.map(([y, tall]) => Math.floor((at.y - y) / tall));
    const row = rows.find((i) => i >= 0 && i <= this.last);
    if (row === undefined || unit < 0 || unit >= this.units) return;
    this.moment.value = row;
    this.unit.value = unit;
    this.shownTo = this.last;
    this.stop();
    if (event.type === "pointerdown") {
      this.unit.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }

  // Once, when the picture comes into view; not where nothing shall move, nor
  // where the address or the reader has chosen a moment.
  await(picture) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.watch = new IntersectionObserver(
      ([{ isIntersecting }]) => isIntersecting && this.play(),
      { threshold: 0.6 },
    );
    this.watch.observe(picture);
  }

  play() {
    this.watch?.disconnect();
    const go = (moment) => {
      this.moment.value = this.shownTo = moment;
      if (moment === this.last) this.stop();
      else this.show();
    };
    this.playing = setInterval(() => go(this.shownTo + 1), STEP_MS);
    go(0);
  }

  stop() {
    this.watch?.disconnect();
    clearInterval(this.playing);
    this.playing = null;
    this.show();
  }

  show() {
    const { words, networks, box, moment, unit, shownTo } = this;
    const at = Number(moment.value),
      l = Number(unit.value);
    const hidden = 1 - (shownTo + 1) / (this.last + 1);
    const x = ((l + 0.5) / this.units) * box.width;
    for (const { veils, frames, line } of this.panels) {
      for (const veil of veils) veil.style.transform = `scaleY(${hidden})`;
      for (const [i, frame] of frames.entries()) {
        frame.style.transform = `translateY(${at * box.maps[i][1]}px)`;
      }
      line.style.transform = `translateX(${x}px)`;
    }
    moment.show();
    unit.show();
    this.button.textContent = this.playing ? words.pause : words.play;
    this.facts.setAttribute("aria-live", this.playing ? "off" : "polite");
    const said = networks.map(({ name, gradient, open }) => {
      const ratio = numberText(10 ** (gradient[at][l] / 100));
      return fill(words.said, { name, unit: l, open: open[at][l], ratio });
    });
    const texts = said.map((textContent) => node("p", { textContent }));
    this.facts.replaceChildren(...texts);
  }
}

export const places = {
  "preact-cover": (host) => new Cover(host),
};
