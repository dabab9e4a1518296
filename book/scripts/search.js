// The search box, on the search page and in the dialog of Ctrl+K: results while
// one types, as links with the words marked. The index and what ranks it are
// loaded as scripts when a box is first used: a page opened as a file loads
// nothing else.
import { node } from "./charts.js";
import { load, loadBundle } from "./load.js";
import { changeQuery } from "./remembered.js";

const SHOWN = { page: 30, dialog: 8 };
const MARKS = 12; // words handed on to the page that a result opens
const dialog = document.getElementById("pst-search-dialog");
const told = JSON.parse(dialog.dataset.search);
const { content_root: up = "./" } = document.documentElement.dataset;
const root = up === "./" ? "" : up;
let ready,
  ranker = null;

// Once for a page: what ranks, and the index that it reads.
async function prepare() {
  ready ??= Promise.all([
    loadBundle("search-engine.js"),
    load(`${root}search-index.js`),
  ]);
  const [engine, index] = await ready;
  if (!ranker) engine.read(index);
  ranker = engine;
}

// A stretch of a text, with what was found marked.
function marked(className, text, found, [from, to] = [0, text.length]) {
  const shown = node("span", { className }, from ? "…" : "");
  let at = from;
  for (const [start, end] of ranker.places(text, found)) {
    if (start < at || end > to) continue;
    const word = node("mark", {}, text.slice(start, end));
    shown.append(text.slice(at, start), word);
    at = end;
  }
  shown.append(text.slice(at, to), to < text.length ? "…" : "");
  return shown;
}

function address({ section, found }) {
  const { text, title } = section;
  const seen = [title, text].flatMap((part) =>
    ranker.places(part, found).map(([a, b]) => part.slice(a, b).toLowerCase()),
  );
  const words = [...new Set(seen)].slice(0, MARKS);
  const query = new URLSearchParams(words.map((word) => ["mark", word]));
  return `${root}${section.file}?${query}#${section.place}`;
}

function entry(result) {
  const { section, found } = result;
  const { text, title, chapter } = section;
  const stretch = ranker.snippet(text, ranker.places(text, found));
  const above = { className: "search-chapter", textContent: chapter };
  const link = node(
    "a",
    { href: address(result) },
    marked("search-title", title, found),
    chapter === title ? "" : node("span", above),
    marked("search-text", text, found, stretch),
  );
  return node("li", {}, link);
}

// The same search in the other languages.
function elsewhere(query) {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const others = document.querySelectorAll(
    ".language-switch a:not([aria-current])",
  );
  const asked = new URLSearchParams({ q: query });
  return [...others].map(({ hreflang, textContent }) =>
    node("a", {
      href: `${root}../${hreflang}/search.html?${asked}`,
      lang: hreflang,
      textContent,
    }),
  );
}

const counted = (count, query) =>
  (count === 0 ? told.none : count === 1 ? told.one : told.many)
    .replace("{n}", count)
    .replace("{query}", query);

function build(form, place, most) {
  const onPage = most === SHOWN.page;
  const input = form.querySelector("input");
  const status = node("p", { className: "search-count", role: "status" });
  const list = { className: "search-list", "aria-label": told.results };
  const found = node("ol", list);
  const all = node("a", { className: "search-all", textContent: told.all });
  all.hidden = true;
  const others = node("p", { className: "search-elsewhere" });
  place.append(status, others, found, all);

  function show() {
    const query = input.value.trim();
    if (query && !ranker) {
      status.textContent = told.loading;
      prepare().then(show, () => {
        status.textContent = told.failed;
      });
      return;
    }
    const results = query ? ranker.find(query) : [];
    found.replaceChildren(...results.slice(0, most).map(entry));
    status.textContent = query ? counted(results.length, query) : "";
    const lost = query && results.length === 0;
    others.replaceChildren(
      ...(lost ? [told.elsewhere, ...elsewhere(query)] : []),
    );
    all.hidden = onPage || results.length <= most;
    all.href = `${form.action}?${new URLSearchParams({ q: query })}`;
    place.dataset.query = query;
    // The language switch takes the query along from the address.
    if (onPage && query) changeQuery((asked) => asked.set("q", query));
  }

  function step(event) {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!move || event.isComposing) return;
    event.preventDefault();
    const stops = [input, ...place.querySelectorAll("a:not([hidden])")];
    const at = stops.indexOf(document.activeElement) + move;
    stops[Math.min(stops.length - 1, Math.max(0, at))].focus();
  }
  for (const part of [place, input]) part.addEventListener("keydown", step);
  input.addEventListener("focus", () => prepare().catch(() => {}));
  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    if (!onPage && input.value.trim()) return; // to the search page
    event.preventDefault();
    show();
  });
  return { input, show };
}

const place = node("div", { id: "search-found" });
dialog.append(place);
build(dialog.querySelector("form"), place, SHOWN.dialog);
const results = document.getElementById("search-results");
if (results) {
  const form = document.querySelector(".bd-search-container form");
  const { input, show } = build(form, results, SHOWN.page);
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  input.focus();
  show();
}
