// The cost planner: what a training would take, by the roofline of a machine. The
// same arithmetic as preact.book.imagenet.planner; a test holds both to each other.
import { node, fill } from "#scripts/charts.js";

const WEIGHT_PASSES = 8;

// Seconds of one step of `images` on one machine; `width` bytes a number.
function stepSeconds(job, machine, images, width) {
  const flops = width === 2 ? machine.flops16 : machine.flops32;
  let run = 0,
    started = 0;
  for (const [macs, moved, weights, count] of job.operations) {
    const arithmetic = (6 * macs * images) / flops;
    const bytes = moved * images * width + 4 * WEIGHT_PASSES * weights;
    run += count * Math.max(arithmetic, bytes / machine.bandwidth);
    started += count * machine.launch_s;
  }
  return Math.max(run, started);
}

// Seconds in which a ring of `count` sums so many bytes.
function allReduceSeconds(bytes, count, link) {
  return 2 * (count - 1) * (link.latency_s + bytes / count / link.bandwidth);
}

export function plan(job, machine, link, { count, images, width }) {
  const work = stepSeconds(job, machine, images, width);
  const talk = allReduceSeconds(4 * job.parameters, count, link);
  const batch = images * count;
  const kept = width === 2 ? job.kept16 : job.kept32;
  return {
    work,
    talk,
    kept,
    needed: 12 * job.parameters + kept * images,
    speed: batch / (work + talk),
    hours: ((job.images / batch) * (work + talk)) / 3600,
  };
}

class Planner {
  jobs;
  start;
  machines;
  words;
  counts;
  links;

  constructor(host) {
    Object.assign(this, JSON.parse(host.dataset.costs));
    this.host = host;
    this.fields = {};
    const controls = node(
      "div",
      { className: "controls" },
      this.select(
        "job",
        this.jobs.map((job) => job.name),
        this.start.job,
      ),
      this.select(
        "machine",
        this.machines.map((m) => m.name),
        this.start.machine,
      ),
      this.select(
        "width",
        [this.words.single, this.words.half],
        this.start.width,
      ),
      this.select("images", this.counts.images, this.start.images),
      this.select("count", this.counts.machines, this.start.count),
      this.select(
        "link",
        this.links.map((link) => link.name),
        this.start.link,
      ),
    );
    this.bill = node("table", { className: "preact-table bill" });
    this.said = node("p", { className: "facts" });
    this.said.setAttribute("aria-live", "polite");
    host.querySelector("details").before(controls, this.bill, this.said);
    host.querySelector("details").open = false;
    host.dataset.live = "true";
    this.show();
  }

  select(name, texts, chosen) {
    const made = node("select", { name });
    for (const [i, text] of texts.entries()) {
      made.append(new Option(text, i, i === chosen, i === chosen));
    }
    made.addEventListener("change", () => this.show());
    this.fields[name] = made;
    return node("label", {}, this.words[name], made);
  }

  show() {
    const at = (name) => Number(this.fields[name].value),
      { words } = this;
    const job = this.jobs[at("job")],
      machine = this.machines[at("machine")];
    const bill = plan(job, machine, this.links[at("link")], {
      count: this.counts.machines[at("count")],
      images: this.counts.images[at("images")],
      width: at("width") ? 2 : 4,
    });
    const format = (value, digits = 3) =>
      new Intl.NumberFormat(document.documentElement.lang || "en", {
        maximumSignificantDigits: digits,
      }).format(value);
    const unit = (value, name) => fill(words[name], { value: format(value) });
    const lines = {
      parameters: unit(job.parameters / 1e6, "million"),
      multiply_adds: unit(job.multiply_adds / 1e9, "billion"),
      kept: unit(bill.kept / 1e6, "mb"),
      needed: unit(bill.needed / 1e9, "gb"),
      work: unit(1e3 * bill.work, "ms"),
      talk: unit(1e3 * bill.talk, "ms"),
      speed: format(bill.speed),
      hours: format(bill.hours),
    };
    this.bill.replaceChildren(
      ...Object.entries(lines).map(([name, text]) =>
        node(
          "tr",
          {},
          node("th", { scope: "row", textContent: words[`line_${name}`] }),
          node("td", { textContent: text }),
        ),
      ),
    );
    const fits = bill.needed < machine.bytes;
    this.said.textContent = fill(words[fits ? "fits" : "too_large"], {
      share: format((100 * bill.talk) / (bill.work + bill.talk), 2),
      there: unit(machine.bytes / 1e9, "gb"),
    });
    this.bill.dataset.hours = bill.hours;
  }
}

export const places = {
  "preact-costs": (host) => new Planner(host),
};
