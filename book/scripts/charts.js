// Charts and elements that the explorers share: SVG in the page's ink; a curve is
// known by its color, its dash and its marker, as in preact.figures.style. Every
// chart hands over its numbers, as the figures of cells do.
const { words = "{}" } = globalThis.document?.currentScript?.dataset ?? {};
const DATA = JSON.parse(words); // of the link and of the columns

// The same where no script element has them: in a notebook.
export const tellWords = (more) => Object.assign(DATA, more);

const INDEX = /(?<![A-Za-z0-9])([A-Za-z])_([A-Za-z0-9])(?![A-Za-z0-9])/;
const POWER = /(?<=[A-Za-zλ])\^([A-Za-z0-9])/;
const UNIT = /(?<=\d) (?=(?:[%×]|[kMG]?B|m?s)(?![A-Za-z]))|(?<=×) (?=\d)/g;
const NAMED = /(?<=Table|Fig\.|Eq\.|[图圖表式第]) (?=[(\d])/g;
const EQUALS = /(?<=(?<![A-Za-z])[A-Za-zα-ω]) = (?=[−-]?\d)/g;
const NAME = /\b([A-Za-z]+(?:-\d+)+)\b/;
const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 376,
  HEIGHT = 256,
  LEFT = 50,
  RIGHT = 12,
  TOP = 32,
  BOTTOM = 38;
export const FRAME = { WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM };

export function element(name, attributes, parent, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    node.setAttribute(key, value);
  }
  if (text !== undefined) typeset(node, String(text));
  if (parent) parent.append(node);
  return node;
}

// A drawing with nothing in it; a text, and a line, of a drawing.
export const drawing = (width, height, alt = "") =>
  element("svg", {
    ...{ viewBox: `0 0 ${width} ${height}`, style: `width:${width}px` },
    ...{ role: "img", "aria-label": alt },
  });
export const write = (svg, x, y, text, anchor = "start") =>
  element("text", { x, y, "text-anchor": anchor }, svg, text);
export const trace = (svg, d, stroke, style = {}) =>
  element("path", { d, stroke, fill: "none", ...style }, svg);

// "x_l" as a letter with an index, as in preact.figures.svg.
function typeset(node, text) {
  const [first, ...rest] = text.split(INDEX);
  node.append(first);
  for (let i = 0; i < rest.length; i += 3) {
    element("tspan", { "font-style": "italic" }, node).append(rest[i]);
    element("tspan", { dy: ".25em", "font-size": "75%" }, node).append(
      rest[i + 1],
    );
    if (rest[i + 2]) {
      element("tspan", { dy: "-.19em" }, node).append(rest[i + 2]);
    }
  }
}

// A number and its unit, a letter and its value stay on one line, as
// book.site.typography keeps them.
function fixed(text) {
  if (typeof text !== "string") return text;
  return text
    .replace(UNIT, "\u00a0")
    .replace(NAMED, "\u00a0")
    .replace(EQUALS, "\u00a0=\u00a0");
}

/** @returns {any} */
export function node(
  name,
  { textContent, ...properties } = /** @type {any} */ ({}),
  ...children
) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role") made.setAttribute(key, value);
    else made[key] = value;
  }
  if (textContent !== undefined) made.textContent = fixed(textContent);
  made.append(...children.map(fixed));
  return made;
}

export function fill(template, values) {
  return fixed(template.replace(/{(\w+)}/g, (_, key) => values[key]));
}

// A sentence of a page: "x_l" with its index, "λ^L" with its power, and
// "ResNet-110" in one piece.
export function prose(text) {
  const raised = (words) =>
    words
      .split(POWER)
      .map((part, i) => (i % 2 ? node("sup", {}, part) : part));
  const held = (words) =>
    words
      .split(NAME)
      .flatMap((part, i) =>
        i % 2 ? node("span", { className: "held" }, part) : raised(part),
      );
  return fixed(text)
    .split(INDEX)
    .flatMap((part, i) =>
      [
        held,
        (letter) => node("i", {}, letter),
        (index) => node("sub", {}, index),
      ][i % 3](part),
    );
}

// How a curve over depth is drawn: width and dashes.
export const KINDS = {
  curve: [2.2, "none"],
  second: [2.2, "6 4"], // beside another
  ghost: [1.6, "2 4"],
  pinned: [1.4, "9 3 2 3"],
  law: [1, "7 4"],
  run: [1.6, "none"], // recorded
};

// A short piece of a curve, for a legend.
export function stroke(color, kind = "curve") {
  const [width, dashes] = KINDS[kind] ?? [1.6, kind];
  const size = { viewBox: "0 0 34 14", width: 34, height: 14 };
  const svg = element("svg", { ...size, class: "key", "aria-hidden": true });
  const style = { "stroke-width": width, "stroke-dasharray": dashes };
  trace(svg, "M0 7H34", color, style);
  return svg;
}

// A curve of a legend, and what it is.
export const key = (color, kind, text) =>
  node("span", {}, stroke(color, kind), text);

// ------------------------------------------------------------------ data
const drawn = new WeakMap(); // what a chart shows, by its SVG

// `series`: { panel, name, x, y, low, high, labels }, as preact.figures.series.
export function record(svg, series) {
  drawn.set(svg, series);
}

// The same columns as those of a figure that a cell draws.
function table(series) {
  const ranges = series.some(({ low }) => low);
  const columns = ["panel", "series", "number", "x", "y"];
  if (ranges) columns.push("low", "high");
  const head = columns.map((name) => {
    const shared = new Set(series.map(({ labels }) => labels?.[name]));
    return (shared.size === 1 && [...shared][0]) || DATA[name] || name;
  });
  const seen = {},
    lines = [head];
  for (const { panel, name, x, y, low, high } of series) {
    const key = JSON.stringify([panel, name]);
    seen[key] = (seen[key] ?? 0) + 1;
    y.forEach((value, i) => {
      const range = ranges ? [low?.[i], high?.[i]] : [];
      lines.push([panel, name, seen[key], x[i], value, ...range]);
    });
  }
  const cell = (value) =>
    value === null || Number.isNaN(value)
      ? ""
      : String(value ?? "").replace(
          /^.*[",\n].*$/s,
          (text) => `"${text.replaceAll('"', '""')}"`,
        );
  return lines.map((line) => line.map(cell).join() + "\n").join("");
}

function save(text, name) {
  const blob = new Blob(["\ufeff", text], { type: "text/csv" });
  const link = node("a", {
    href: URL.createObjectURL(blob),
    download: `${name}.csv`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A place for charts; what is shown there offers its numbers.
export function figure(...charts) {
  const box = node("div", { className: "preact-figure" });
  const data = node("button", {
    ...{ type: "button", className: "preact-data", textContent: DATA.link },
    onclick() {
      const host = box.closest("[class*='preact-']:not(.preact-figure)");
      const series = [...box.children].flatMap((svg) => drawn.get(svg) ?? []);
      save(table(series), [...(host?.classList ?? ["data"])].at(-1));
    },
  });
  // What stands there already stays: put in anew, it would be laid out anew.
  box.show = (...svgs) => {
    const parts = svgs.some((svg) => drawn.has(svg)) ? [...svgs, data] : svgs;
    const shown = [...box.childNodes];
    if (shown.length !== parts.length || shown.some((s, i) => s !== parts[i]))
      box.replaceChildren(...parts);
  };
  box.show(...charts);
  return box;
}

// The same with its marker, which is one of matplotlib's, or a gate's bias.
const SHAPES = { o: "●", D: "◆", P: "✚", X: "✕", h: "⬢", "*": "★" };
const MORE = { "<": "◄", ">": "►", "^": "▲", v: "▼", s: "■" };
export const glyphOf = (marker) => SHAPES[marker] ?? MORE[marker] ?? marker;
export function icon({ color, marker, dashed }) {
  const svg = stroke(color, dashed ? "5 3" : "none");
  const text = write(svg, 17, 11.4, "", "middle");
  text.setAttribute("class", "marker");
  text.style.fill = color;
  text.textContent = glyphOf(marker);
  return svg;
}

// A line across a chart, with its value.
export const PALE = { "stroke-opacity": 0.3 };
export function rule(svg, y, text) {
  trace(svg, `M${LEFT} ${y}H${WIDTH - RIGHT}`, "#808080", PALE);
  write(svg, LEFT - 6, y + 4, text, "end");
}

// The part of a chart that its axes enclose; curves end where they leave it.
export function inside(svg, size = FRAME) {
  const { WIDTH, HEIGHT, TOP, BOTTOM } = size;
  const [y, height] = [TOP - 5, HEIGHT - TOP - BOTTOM + 10]; // room for markers
  const id = `inside-${Math.random().toString(36).slice(2)}`; // as in no other
  const path = element("clipPath", { id }, svg);
  element("rect", { x: 0, y, width: WIDTH, height }, path);
  return element("g", { "clip-path": `url(#${id})` }, svg);
}

// How far below its upper end a value lies on an axis, in lengths of the axis;
// what lies far beyond (0 on a logarithmic axis, too) comes no farther than 9.
export function along(value, low, high) {
  const far = 9 * (high - low);
  const near = Math.min(Math.max(value, low - far), high + far);
  return (high - near) / (high - low);
}

const tenTo = (power) =>
  "10" + [...String(power)].map((sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign] ?? "⁻").join("");

// 0.001 to 1000 in full, others as powers of ten.
export function tickText(value) {
  const power = Math.log10(value),
    whole = Math.round(power);
  return Math.abs(power) <= 3 || Math.abs(power - whole) > 1e-9
    ? String(value)
    : tenTo(whole);
}

// A few digits, as `Strings.two_digits` writes two of them in Python.
export function numberText(value, digits = 2) {
  const size = Math.abs(+value.toPrecision(digits));
  if (size === 0 || (size >= 1e-4 && size < 1e6) || !Number.isFinite(size)) {
    return value
      .toLocaleString("en", { maximumSignificantDigits: digits })
      .replace("-", "−");
  }
  const [first, power] = value.toExponential(digits - 1).split("e");
  return `${String(+first).replace("-", "−")} × ${tenTo(+power)}`;
}

// 0 and further multiples of 1, 2 or 5, or of ten times that: a few.
export function evenMarks(last) {
  const least = Math.max(last / 6, 1);
  const ten = 10 ** Math.floor(Math.log10(least));
  const step = ten * [1, 2, 5, 10].find((n) => n * ten >= least);
  return Array.from({ length: 1 + last / step }, (_, k) => k * step);
}
