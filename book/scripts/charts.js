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
  LEFT = 40,
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
  const made = Object.assign(document.createElement(name), properties);
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
  ghost: [1.6, "2 4"],
  pinned: [1.4, "9 3 2 3"],
  law: [1, "7 4"],
};

// A short piece of a curve, for a legend.
export function stroke(color, kind = "curve") {
  const [width, dashes] = KINDS[kind] ?? [1.6, kind];
  const svg = element("svg", {
    viewBox: "0 0 34 14",
    width: 34,
    height: 14,
    "aria-hidden": true,
  });
  element(
    "path",
    {
      d: "M0 7H34",
      stroke: color,
      "stroke-width": width,
      "stroke-dasharray": dashes,
    },
    svg,
  );
  return svg;
}

// ------------------------------------------------------------------ data
const drawn = new WeakMap(); // what a chart shows, by its SVG

// `series`: { panel, name, x, y, low, high, labels }, as preact.figures.series.
export function record(svg, series) {
  drawn.set(svg, series);
}

// The same columns as those of a figure that a cell draws.
function table(series) {
  const ranges = series.some(({ low }) => low);
  const columns = [
    "panel",
    "series",
    "number",
    "x",
    "y",
    ...(ranges ? ["low", "high"] : []),
  ];
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
    type: "button",
    className: "preact-data",
    textContent: DATA.link,
  });
  data.addEventListener("click", () => {
    const host = box.closest("[class*='preact-']:not(.preact-figure)");
    const series = [...box.children].flatMap((svg) => drawn.get(svg) ?? []);
    save(table(series), host?.classList[host.classList.length - 1] ?? "data");
  });
  // What stands there already stays: put in anew, it would be laid out anew.
  box.show = (...svgs) => {
    const parts = [
      ...svgs,
      ...(svgs.some((svg) => drawn.has(svg)) ? [data] : []),
    ];
    const same =
      parts.length === box.childNodes.length &&
      parts.every((part, i) => part === box.childNodes[i]);
    if (!same) box.replaceChildren(...parts);
  };
  box.show(...charts);
  return box;
}

// Path of some of matplotlib's markers; others are written.
export function shape(marker, x, y, r = 4) {
  const polygon = (...points) =>
    "M" + points.map(([a, b]) => `${x + a * r} ${y + b * r}`).join("L") + "Z";
  const around = (count, far) =>
    polygon(
      ...Array.from({ length: count }, (_, i) => [
        Math.sin((2 * Math.PI * i) / count) * far(i),
        -Math.cos((2 * Math.PI * i) / count) * far(i),
      ]),
    );
  return {
    o: `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
    D: polygon([0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]),
    P: `M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}`,
    X:
      `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x - r} ${y + r}` +
      `l${2 * r} ${-2 * r}`,
    "<": polygon([-1.2, 0], [1, -1.2], [1, 1.2]),
    ">": polygon([1.2, 0], [-1, 1.2], [-1, -1.2]),
    h: around(6, () => 1.3),
    "*": around(10, (i) => (i % 2 ? 0.6 : 1.6)),
  }[marker];
}

function drawMarkers(arm, d, parent) {
  element(
    "path",
    {
      d,
      stroke: arm.color,
      "stroke-width": 2,
      fill: arm.dashed ? "var(--pst-color-background, #fff)" : arm.color,
    },
    parent,
  );
}

// A gate's bias; as in the figures it has a ring on the shortcut alone.
function writeMarker({ color, marker }, svg) {
  const ringed = "⓪①②③④⑤⑥⑦⑧⑨⑩".indexOf(marker),
    ring = ringed >= 0;
  if (ring) {
    element(
      "circle",
      {
        cx: 17,
        cy: 7,
        r: 6.2,
        stroke: color,
        fill: "var(--pst-color-background, #fff)",
      },
      svg,
    );
  }
  element(
    "text",
    {
      x: 17,
      y: ring ? 10.5 : 11.4,
      class: ring ? "ringed marker" : "marker",
      style: `fill:${color};font-size:${ring ? 9.5 : 12}px`,
    },
    svg,
    ring ? ringed : marker,
  );
}

export function icon(arm) {
  const svg = element("svg", {
    viewBox: "0 0 34 14",
    width: 34,
    height: 14,
    class: "key",
    "aria-hidden": true,
  });
  element(
    "path",
    {
      d: "M0 7H34",
      fill: "none",
      stroke: arm.color,
      "stroke-width": 2,
      "stroke-dasharray": arm.dashed ? "5 3" : "none",
    },
    svg,
  );
  const d = shape(arm.marker, 17, 7);
  if (d) drawMarkers(arm, d, svg);
  else writeMarker(arm, svg);
  return svg;
}

// A line across a chart, with its value.
export function rule(svg, y, text) {
  element(
    "path",
    {
      d: `M${LEFT} ${y}H${WIDTH - RIGHT}`,
      stroke: "#808080",
      "stroke-opacity": 0.3,
    },
    svg,
  );
  element("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, svg, text);
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
