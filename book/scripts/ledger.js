// The ledger of claims, narrowed by kind, chapter and words. The entries stand in
// the page; what does not match is hidden, and without this script nothing is.
import { fill, node } from "./charts.js";
import { choice, control, facts } from "./controls.js";

const KINDS = [
  ...["proved", "measured", "recorded", "computed"],
  ...["reported", "disputed", "reading"],
];
const plain = (text) => text.normalize("NFKC").toLowerCase();

// Whether an entry has this kind, stands in this chapter, and holds all words.
function matches(entry, { kind, chapter, words }) {
  return (
    (!kind || entry.kind === kind) &&
    (!chapter || entry.chapter === chapter) &&
    words.split(/\s+/).every((word) => entry.text.includes(plain(word)))
  );
}

function read() {
  /** @type {NodeListOf<HTMLElement>} */
  const boxes = document.querySelectorAll("section > .claim-entry");
  return [...boxes].map((box) => {
    const marks = box.querySelector("a.claim-mark")?.classList;
    return {
      box,
      chapter: box.parentElement.id,
      kind: KINDS.find((kind) => marks?.contains(`claim-${kind}`)),
      text: plain(`${box.id} ${box.textContent}`),
    };
  });
}

export function makeLedger(host) {
  const words = JSON.parse(host.dataset.words);
  const entries = read();
  const chapters = [...new Set(entries.map(({ chapter }) => chapter))];
  const title = (id) =>
    document.querySelector(`#${id} > h2`).firstChild.textContent.trim();
  const form = node("form", { className: "controls" });
  const add = (name, input) => control(form, name, `${words[name]} `, input);
  const select = (name, options) =>
    add(name, choice([["", words.any], ...options], ""));
  add("words", node("input", { type: "search", size: 18 }));
  select(
    "kind",
    KINDS.map((kind) => [kind, words[kind]]),
  );
  select(
    "chapter",
    chapters.map((id) => [id, title(id)]),
  );
  form.append(node("button", { type: "reset", textContent: words.clear }));
  const said = facts();
  said.setAttribute("role", "status");

  function show() {
    const wanted = /** @type {any} */ (Object.fromEntries(new FormData(form)));
    for (const entry of entries) entry.box.hidden = !matches(entry, wanted);
    const shown = entries.filter(({ box }) => !box.hidden);
    for (const id of chapters) {
      const none = !shown.some(({ chapter }) => chapter === id);
      document.getElementById(id).hidden = none;
    }
    const count = { shown: shown.length, all: entries.length };
    said.textContent = shown.length ? fill(words.count, count) : words.none;
  }

  // A link within the page leads to an entry, hidden or not.
  function reveal() {
    const wanted = document.getElementById(location.hash.slice(1));
    if (!wanted?.closest("[hidden]")) return;
    form.reset();
    setTimeout(() => wanted.scrollIntoView());
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", show);
  form.addEventListener("reset", () => setTimeout(show));
  addEventListener("hashchange", reveal);
  host.setAttribute("role", "search");
  host.setAttribute("aria-label", words.label);
  host.replaceChildren(form, said);
  host.dataset.live = "true";
  show();
}
