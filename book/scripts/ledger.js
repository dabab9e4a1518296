// The ledger of claims, narrowed by kind, chapter and words. The entries stand in
// the page; what does not match is hidden, and without this script nothing is.
import { fill, node } from "./charts.js";

const KINDS = [
  "proved",
  "measured",
  "recorded",
  "computed",
  "reported",
  "disputed",
  "reading",
];

// Whether an entry has this kind, stands in this chapter, and holds all words.
export function matches(entry, { kind, chapter, words }) {
  const sought = words.normalize("NFKC").toLowerCase().split(/\s+/);
  return (
    (!kind || entry.kind === kind) &&
    (!chapter || entry.chapter === chapter) &&
    sought.every((word) => entry.text.includes(word))
  );
}

function kindOf(box) {
  const mark = box.querySelector("a.claim-mark");
  return KINDS.find((kind) => mark?.classList.contains(`claim-${kind}`));
}

export class Ledger {
  constructor(host) {
    this.words = JSON.parse(host.dataset.words);
    this.read();
    this.build(host);
    this.show();
  }

  read() {
    const entriesOf = (section) => [
      ...section.querySelectorAll(":scope > .claim-entry"),
    ];
    this.sections = [...document.querySelectorAll("section")].filter(
      (section) => entriesOf(section).length,
    );
    this.entries = this.sections.flatMap((section) =>
      entriesOf(section).map((box) => ({
        box,
        section,
        chapter: section.id,
        kind: kindOf(box),
        text: `${box.id} ${box.textContent}`.normalize("NFKC").toLowerCase(),
      })),
    );
  }

  select(name, options) {
    const all = node("option", { value: "", textContent: this.words.any });
    return node(
      "label",
      {},
      this.words[name],
      " ",
      node(
        "select",
        { name },
        all,
        ...options.map(([value, textContent]) =>
          node("option", { value, textContent }),
        ),
      ),
    );
  }

  build(host) {
    const { words } = this;
    const title = (section) =>
      section.querySelector("h2").firstChild.textContent.trim();
    this.said = node("p", { className: "facts" });
    this.said.setAttribute("role", "status");
    this.form = node(
      "form",
      {},
      node(
        "label",
        {},
        words.words,
        " ",
        node("input", { type: "search", name: "words", size: 18 }),
      ),
      " ",
      this.select(
        "kind",
        KINDS.map((kind) => [kind, words[kind]]),
      ),
      " ",
      this.select(
        "chapter",
        this.sections.map((s) => [s.id, title(s)]),
      ),
      " ",
      node("button", { type: "reset", textContent: words.clear }),
    );
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.show());
    this.form.addEventListener("reset", () => setTimeout(() => this.show()));
    // a link within the page leads to an entry, hidden or not
    addEventListener("hashchange", () => this.reveal());
    host.setAttribute("role", "search");
    host.setAttribute("aria-label", words.label);
    host.replaceChildren(this.form, this.said);
    host.dataset.live = "true";
  }

  reveal() {
    const wanted = document.getElementById(location.hash.slice(1));
    if (!wanted?.closest("[hidden]")) return;
    this.form.reset();
    setTimeout(() => {
      this.show();
      wanted.scrollIntoView();
    });
  }

  show() {
    /** @type {any} */
    const wanted = Object.fromEntries(new FormData(this.form));
    for (const entry of this.entries) {
      entry.box.hidden = !matches(entry, wanted);
    }
    for (const section of this.sections) {
      section.hidden = !this.entries.some(
        (entry) => entry.section === section && !entry.box.hidden,
      );
    }
    const shown = this.entries.filter(({ box }) => !box.hidden).length;
    this.said.textContent = shown
      ? fill(this.words.count, { shown, all: this.entries.length })
      : this.words.none;
  }
}
