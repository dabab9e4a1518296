{
const root = document.documentElement;
if (root.dataset.mode === "auto")
  root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
if (location.protocol !== "file:") for (const face of {{ faces | tojson }}) {
  const link = document.createElement("link");
  Object.assign(link, { rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href: face });
  document.head.append(link);
}

// A page that is opened at its top is laid out as far as it is seen, and whole
// after its first paint. Then its scripts come: they run in their order, and
// are told that the page has been read, as if they had been there before.
const [how] = performance.getEntriesByType("navigation");
const atTop = how?.type === "navigate" && !location.hash;
const told = {{ scripts | tojson }};
let awaited = told.length, steps = atTop ? 2 : 1; // painted, and read
const ran = () => {
  if (--awaited) return;
  delete root.dataset.awaits;
  document.dispatchEvent(new Event("DOMContentLoaded", { bubbles: true }));
};
const step = () => {
  if (--steps) return;
  root.dataset.awaits = "scripts";
  for (const one of told) {
    const script = document.createElement("script");
    // Deferred as they are in a page that was saved.
    Object.assign(script, { async: false, defer: true, onload: ran, onerror: ran });
    for (const name in one) script.setAttribute(name, one[name]);
    document.head.append(script);
  }
};
root.dataset.awaits = atTop ? "sections scripts" : "scripts";
document.addEventListener("DOMContentLoaded", step, { once: true });
// Where a browser tells of no paint, or does not paint, in the background.
addEventListener("load", () => setTimeout(() => {
  if (steps > 0) step(steps = 1);
}, 2000));
if (atTop) try {
  new PerformanceObserver((list, paints) => {
    if (!list.getEntriesByName("first-contentful-paint").length) return;
    paints.disconnect();
    step();
  }).observe({ type: "paint", buffered: true });
} catch {} // an old browser
}
