// The search box, on the search page and in the dialog of Ctrl+K: results while
// one types, as links with the words marked. The index and what ranks it are
// loaded as scripts when a box is first used: a page opened as a file loads
// nothing else.
import { load, loadBundle } from "./load.js";

const SHOWN = { page: 30, dialog: 8 };
const MARKS = 12; // words handed on to the page that a result opens
const dialog = document.getElementById("pst-search-dialog");
const told = JSON.parse(dialog.dataset.search);
const { content_root: up = "./" } = document.documentElement.dataset;
const root = up === "./" ? "" : up;
let ready,
  ranker = null;

// Once for a page: what ranks, and the index that it reads.
function prepare() {
  ready ??= (async () => {
    const [engine, index] = await Promise.all([
      loadBundle("search-engine.js"),
      load(`${root}search-index.js`),
    ]);
    engine.read(index);
    ranker = engine;
  })();
  return ready;
}

function node(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function marked(text, ranges, [from, to] = [0, text.length]) {
  const parts = [];
  let at = from;
  for (const [start, end] of ranges) {
    if (start < at || end > to) continue;
    parts.push(
      text.slice(at, start),
      node("mark", {}, text.slice(start, end)),
    );
    at = end;
  }
  parts.push(text.slice(at, to));
  return parts;
}

function address({ section, found }) {
  const { text, title } = section;
  const seen = [title, text].flatMap((part) =>
    ranker.places(part, found).map(([a, b]) => part.slice(a, b).toLowerCase()),
  );
  const query = new URLSearchParams(
    [...new Set(seen)].slice(0, MARKS).map((word) => ["mark", word]),
  );
  return `${root}${section.file}?${query}#${section.place}`;
}

function entry(result) {
  const { text, title, chapter } = result.section;
  const ranges = ranker.places(text, result.found);
  const [from, to] = ranker.snippet(text, ranges);
  const head = ranker.places(title, result.found);
  const link = node(
    "a",
    { href: address(result) },
    node("span", { className: "search-title" }, ...marked(title, head)),
  );
  if (chapter !== title) {
    link.append(node("span", { className: "search-chapter" }, chapter));
  }
  link.append(
    node(
      "span",
      { className: "search-text" },
      from ? "…" : "",
      ...marked(text, ranges, [from, to]),
      to < text.length ? "…" : "",
    ),
  );
  return node("li", {}, link);
}

const counted = (count, query) =>
  (count === 0 ? told.none : count === 1 ? told.one : told.many)
    .replace("{n}", count)
    .replace("{query}", query);

function build(form, place, most) {
  const input = form.querySelector("input");
  const status = node("p", { className: "search-count", role: "status" });
  const list = node("ol", { className: "search-list" });
  const all = node("a", { className: "search-all", hidden: true });
  const onPage = most === SHOWN.page;
  let wanted = "",
    timer;
  list.setAttribute("aria-label", told.results);
  place.append(status, list, all);

  async function show() {
    clearTimeout(timer);
    timer = null;
    const query = (wanted = input.value.trim());
    if (!query) {
      list.replaceChildren();
      status.textContent = "";
      all.hidden = true;
      return;
    }
    if (!ranker) status.textContent = told.loading;
    try {
      await prepare();
    } catch {
      status.textContent = told.failed;
      return;
    }
    if (query !== wanted) return;
    const results = ranker.find(query);
    list.replaceChildren(...results.slice(0, most).map(entry));
    status.textContent = counted(results.length, query);
    all.hidden = onPage || results.length <= most;
    all.textContent = told.all;
    all.href = `${form.action}?${new URLSearchParams({ q: query })}`;
    place.dataset.query = query;
    if (onPage) keep(query);
  }

  // The language switch takes the query along from the address.
  function keep(query) {
    try {
      history.replaceState(null, "", `?${new URLSearchParams({ q: query })}`);
    } catch {
      // a page opened as a file keeps its address
    }
  }

  const links = () => [...place.querySelectorAll("a:not([hidden])")];
  async function step(event) {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!move) return;
    event.preventDefault();
    // The list of what was typed last: a later one would take the focus.
    if (timer) await show();
    const stops = [input, ...links()];
    const at = stops.indexOf(document.activeElement);
    const next = stops[Math.min(stops.length - 1, Math.max(0, at + move))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }
  place.addEventListener("keydown", (event) => {
    step(event);
    if (event.key === "Escape" && onPage) input.focus();
  });
  input.addEventListener(
    "keydown",
    (event) => event.isComposing || step(event),
  );
  input.addEventListener("focus", () => prepare().catch(() => {}));
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, 60);
  });
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
  const { input, show } = build(
    document.querySelector(".bd-search-container form"),
    results,
    SHOWN.page,
  );
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  input.focus();
  show();
}
