// The cost planner: what a training would take, by the roofline of a machine. The
// same arithmetic as preact.book.imagenet.planner; a test holds both to each other.
import { fill, node } from "#scripts/charts.js";
import { choice, control, facts } from "#scripts/controls.js";
import { Explorer } from "#scripts/explorer.js";

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

class Planner extends Explorer {
  constructor(host) {
    super(host, "costs");
    const { words, start, counts } = this;
    const names = (of) => of.map(({ name }) => name);
    const controls = node("div", { className: "controls" });
    this.fields = Object.fromEntries(
      Object.entries({
        job: names(this.jobs),
        machine: names(this.machines),
        width: [words.single, words.half],
        images: counts.images,
        count: counts.machines,
        link: names(this.links),
      }).map(([name, texts]) => {
        const input = choice([...texts.entries()], start[name]);
        return [name, control(controls, name, words[name], input)];
      }),
    );
    controls.addEventListener("change", () => this.show());
    this.bill = node("table", { className: "preact-table bill" });
    this.said = facts();
    const table = host.querySelector("details");
    table.before(controls, this.bill, this.said);
    table.open = false;
    this.live();
    this.show();
  }

  show() {
    const { words, jobs, machines, links, counts, fields } = this;
    const at = (name) => Number(fields[name].value);
    const job = jobs[at("job")],
      machine = machines[at("machine")];
    const bill = plan(job, machine, links[at("link")], {
      count: counts.machines[at("count")],
      images: counts.images[at("images")],
      width: at("width") ? 2 : 4,
    });
    const format = (value, maximumSignificantDigits = 3) =>
      value.toLocaleString(document.documentElement.lang || "en", {
        maximumSignificantDigits,
      });
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
    const rows = Object.entries(lines).map(([name, textContent]) => {
      const head = { scope: "row", textContent: words[`line_${name}`] };
      return node("tr", {}, node("th", head), node("td", { textContent }));
    });
    this.bill.replaceChildren(...rows);
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
