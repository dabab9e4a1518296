// The settings of a page's explorers stand in its address, so that a link shares a
// view: ?stack.units=80&stack.row=original. What is as it was at first is not
// written, what the address says wrongly is ignored, and what has data-own (a
// guess, a place in time) is the reader's own.
import { changeQuery } from "./remembered.js";

const HOSTS =
  ".preact-explorer:not(.preact-predict, .preact-answer, " +
  ".preact-ranking), .preact-ledger-filter";
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
}

// Show what the address says of an explorer; from then on write its fields there.
function keep(host, prefix) {
  const fields = fieldsOf(host, prefix);
  for (const field of [...fields.values()].flat()) forget(field);
  const first = new Map([...fields].map(([name, of]) => [name, valueOf(of)]));
  const asked = new URLSearchParams(location.search);
  for (const [name, of] of fields) {
    const field = asked.has(name) && take(of, asked.get(name));
    if (field) tell(field);
  }
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
  document.addEventListener(
    "click",
    ({ target }) =>
      target instanceof Element && target.closest("a") && writeAll(),
    true,
  );
  const count = {};
  for (const host of document.querySelectorAll(HOSTS)) {
    const kind =
      host.className.match(/preact-(?!explorer)(\w+)/)?.[1] ?? "stepper";
    count[kind] = (count[kind] ?? 0) + 1;
    keep(host, kind + (count[kind] > 1 ? count[kind] : ""));
  }
}
