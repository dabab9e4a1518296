// The settings of a page's explorers stand in its address, so that a link shares a
// view: ?stack.units=80&stack.row=original. What is as it was at first is not
// written, what the address says wrongly is ignored, and what has data-own (a
// guess, a place in time) is the reader's own. A link to other settings of its own page
// is followed in place: focus and scroll stay, and Back restores the settings.
import { changeQuery, visit } from "./remembered.js";

const HOSTS =
  ".preact-explorer:not(.preact-predict, .preact-answer, .preact-ranking)";
const FIELDS = "input:not([data-own]), select:not([data-own])";
const NUMBER = /^-?\d+(\.\d+)?$/;

// Fields of an explorer by their name in the address; radios of a name are one.
function fieldsOf(host, prefix) {
  const fields = new Map();
  for (const [i, field] of [...host.querySelectorAll(FIELDS)].entries()) {
    const name = `${prefix}.${field.name || i + 1}`;
    fields.set(name, [...(fields.get(name) ?? []), field]);
  }
  return fields;
}

function valueOf([field, ...others]) {
  if (field.type === "checkbox") return String(Number(field.checked));
  if (field.type !== "radio") return field.value;
  return [field, ...others].find((one) => one.checked)?.value ?? "";
}

// Give a field a value that it can have; return the field, or nothing.
function take(fields, text) {
  const [field] = fields;
  const { type, value } = field;
  if (type === "radio" || type === "checkbox") {
    const can = (one) =>
      type === "radio" ? one.value === text : /^[01]$/.test(text);
    const chosen = fields.find(can);
    if (chosen) chosen.checked = type === "radio" || text === "1";
    return chosen;
  }
  const isNumber = type === "range";
  if (isNumber && !NUMBER.test(text)) return null;
  field.value = text;
  const taken = isNumber ? +field.value === +text : field.value === text;
  if (!taken) field.value = value;
  return taken ? field : null;
}

// A browser remembers some fields of a page that is loaded again, and tells
// nobody; the address does.
function forget(field) {
  if (field.type === "checkbox") field.checked = field.defaultChecked;
  else if (field.type === "radio") return;
  else if (field.hasAttribute("value")) field.value = field.defaultValue;
}

function tell(field) {
  for (const name of ["input", "change"]) {
    field.dispatchEvent(new Event(name, { bubbles: true }));
  }
}

// Written when the moves rest, or when the reader goes somewhere: each change of
// an address costs a browser as much as a drawing, and it bears few a second.
const RESTS = 300; // ms
const due = new Set();
let timer;
function later(write) {
  due.add(write);
  clearTimeout(timer);
  timer = setTimeout(writeAll, RESTS);
}
function writeAll() {
  clearTimeout(timer);
  if (due.size) changeQuery((query) => due.forEach((write) => write(query)));
  due.clear();
  markLinks();
}

// The link whose settings are shown is the current one.
const sorted = (search) => {
  const query = new URLSearchParams(search);
  query.sort();
  return String(query);
};
function markLinks() {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll(".bd-article a");
  for (const link of links) {
    if (!isInPlace(link)) continue;
    const is = sorted(link.search) === sorted(location.search);
    if (is) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}
const isInPlace = ({ host, pathname, hash }) =>
  host === location.host && pathname === location.pathname && !hash;

const shows = []; // of each explorer, what the address says
function showAll() {
  for (const show of shows) show();
  markLinks();
}

function follow(event) {
  const link = event.target instanceof Element && event.target.closest("a");
  if (!link) return;
  writeAll();
  const { button, ctrlKey, metaKey, shiftKey, altKey } = event;
  if (button || ctrlKey || metaKey || shiftKey || altKey) return;
  if (!link.closest(".bd-article") || !isInPlace(link)) return;
  if (!visit(link.href)) return;
  event.preventDefault();
  showAll();
}

// What was due belongs to the settings that were left.
function goBack() {
  clearTimeout(timer);
  due.clear();
  showAll();
}

// Show what the address says of an explorer; from then on write its fields there.
function keep(host, prefix) {
  const fields = fieldsOf(host, prefix);
  for (const field of [...fields.values()].flat()) forget(field);
  const first = new Map([...fields].map(([name, of]) => [name, valueOf(of)]));
  const show = () => {
    const asked = new URLSearchParams(location.search);
    for (const [name, of] of fields) {
      const text = asked.get(name) ?? first.get(name);
      const field = text !== valueOf(of) && take(of, text);
      if (field) tell(field);
    }
  };
  shows.push(show);
  show();
  const write = (query) => {
    for (const [name, of] of fieldsOf(host, prefix)) {
      if (!first.has(name)) continue; // it came later: no link restores it
      const value = valueOf(of);
      if (value === first.get(name)) query.delete(name);
      else query.set(name, value);
    }
  };
  host.addEventListener("change", () => later(write));
  host.addEventListener("reset", () => setTimeout(() => later(write)));
}

// After all of them have been made, and show what they show at first.
export function keepInAddress() {
  addEventListener("blur", writeAll); // to the address itself
  addEventListener("pagehide", writeAll);
  addEventListener("popstate", goBack);
  document.addEventListener("click", follow, true);
  const count = {};
  for (const host of document.querySelectorAll(HOSTS)) {
    const kind =
      host.className.match(/preact-(?!explorer)(\w+)/)?.[1] ?? "stepper";
    count[kind] = (count[kind] ?? 0) + 1;
    keep(host, kind + (count[kind] > 1 ? count[kind] : ""));
  }
  markLinks();
}
