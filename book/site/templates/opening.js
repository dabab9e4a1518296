{
const root = document.documentElement;
if (root.dataset.mode === "auto")
  root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
if (location.protocol !== "file:") for (const face of {{ faces | tojson }}) {
  const link = document.createElement("link");
  Object.assign(link, { rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href: face });
  document.head.append(link);
}

// A page that is opened at its top is laid out as far as it is seen; all of it
// after the first paint. So do its scripts come: they run in their order, and
// are told then that the page has been read, as if they had been there before.
const [how] = performance.getEntriesByType("navigation");
root.dataset.awaits = how?.type === "navigate" && !location.hash
  ? "sections scripts" : "scripts";
let awaited = {{ scripts | length }}, steps = 2; // read, and painted
function ran() {
  if (--awaited) return;
  delete root.dataset.awaits;
  document.dispatchEvent(new Event("DOMContentLoaded", { bubbles: true }));
}
function step() {
  if (!--steps) bring();
}
function bring() {
  root.dataset.awaits = "scripts";
  for (const told of {{ scripts | tojson }}) {
    const script = document.createElement("script");
    Object.assign(script, { async: false, onload: ran, onerror: ran });
    for (const name in told) script.setAttribute(name, told[name]);
    document.head.append(script);
  }
}
document.addEventListener("DOMContentLoaded", step, { once: true });
new PerformanceObserver((list, paints) => {
  if (!list.getEntriesByName("first-contentful-paint").length) return;
  paints.disconnect();
  step();
}).observe({ type: "paint", buffered: true });
// Where a browser does not tell, or paints nothing, as a tab in the background.
addEventListener("load", () => setTimeout(() => {
  if (steps < 1) return;
  steps = 0;
  bring();
}, 2000));
}
