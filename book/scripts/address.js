// The settings of a page's explorers stand in its address, so that a link shares a
// view: ?stack.units=80&stack.row=original. What is as it was at first is not
// written, what the address says wrongly is ignored, and what has data-own (a
// guess, a place in time) is the reader's own.
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
  let [field] = fields;
  const before = field.value;
  if (field.type === "radio") {
    field = fields.find((one) => one.value === text);
    if (field) field.checked = true;
    return field;
  }
  if (field.type === "checkbox") {
    if (!/^[01]$/.test(text)) return null;
    field.checked = text === "1";
    return field;
  }
  if (field.type === "range" && !NUMBER.test(text)) return null;
  field.value = text;
  const same =
    field.type === "range"
      ? Number(field.value) === Number(text)
      : field.value === text;
  if (!same) field.value = before;
  return same ? field : null;
}

// A browser remembers some fields of a page that is loaded again, and tells
// nobody; the address does.
function forget(field) {
  if (field.type === "checkbox") field.checked = field.defaultChecked;
  else if (field.hasAttribute("value")) field.value = field.defaultValue;
}

function tell(field) {
  for (const name of ["input", "change"]) {
    field.dispatchEvent(new Event(name, { bubbles: true }));
  }
}

class Kept {
  host;
  prefix;

  constructor(host, prefix) {
    Object.assign(this, { host, prefix });
    const fields = fieldsOf(host, prefix);
    [...fields.values()]
      .flat()
      .filter((field) => field.type !== "radio")
      .forEach(forget);
    this.first = new Map([...fields].map(([name, of]) => [name, valueOf(of)]));
    const asked = new URLSearchParams(location.search);
    for (const [name, of] of fields) {
      const field = asked.has(name) && take(of, asked.get(name));
      if (field) tell(field);
    }
    host.addEventListener("change", () => later(this));
    host.addEventListener("reset", () => setTimeout(() => later(this)));
  }

  write() {
    const query = new URLSearchParams(location.search);
    for (const [name, of] of fieldsOf(this.host, this.prefix)) {
      if (!this.first.has(name)) continue; // it came later: no link restores it
      const value = valueOf(of);
      if (value === this.first.get(name)) query.delete(name);
      else query.set(name, value);
    }
    show(query);
  }
}

// Written when the moves rest, or when the reader goes somewhere: each change of
// an address costs a browser as much as a drawing, and it bears few a second.
const RESTS = 300; // ms
const due = new Set();
let timer;
function later(kept) {
  due.add(kept);
  clearTimeout(timer);
  timer = setTimeout(write, RESTS);
}
function write() {
  clearTimeout(timer);
  for (const kept of due) kept.write();
  due.clear();
}
// A page that was opened as a file may not change its address.
function show(query) {
  const text = String(query);
  try {
    history.replaceState(
      history.state,
      "",
      location.pathname + (text && `?${text}`) + location.hash,
    );
  } catch {
    /* it works all the same */
  }
}

// After all of them have been made, and show what they show at first.
export function keepInAddress() {
  addEventListener("blur", write); // to the address itself
  addEventListener("pagehide", write);
  document.addEventListener(
    "click",
    ({ target }) =>
      target instanceof Element && target.closest("a") && write(),
    true,
  );
  const count = {};
  for (const host of document.querySelectorAll(HOSTS)) {
    const kind =
      host.className.match(/preact-(?!explorer)(\w+)/)?.[1] ?? "stepper";
    count[kind] = (count[kind] ?? 0) + 1;
    new Kept(host, kind + (count[kind] > 1 ? count[kind] : ""));
  }
}
