{
const root = document.documentElement;
if (root.dataset.mode === "auto")
  root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
if (location.protocol !== "file:") for (const face of {{ faces | tojson }}) {
  const link = document.createElement("link");
  Object.assign(link, { rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href: face });
  document.head.append(link);
}

// Scripts come after the first paint, and run in their order. Then they are
// told that the page has been read, as if they had been there before.
let awaited = {{ scripts | length }};
function ran() {
  if (--awaited) return;
  delete root.dataset.awaits;
  document.dispatchEvent(new Event("DOMContentLoaded", { bubbles: true }));
}
function bring() {
  for (const told of {{ scripts | tojson }}) {
    const script = document.createElement("script");
    Object.assign(script, { async: false, onload: ran, onerror: ran });
    for (const name in told) script.setAttribute(name, told[name]);
    document.head.append(script);
  }
}
root.dataset.awaits = "scripts";
document.addEventListener("DOMContentLoaded",
  () => requestAnimationFrame(() => setTimeout(bring)), { once: true });
}
