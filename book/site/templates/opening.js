{
  // Before the first paint: light or dark as the reader chose, or the system.
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const mode = localStorage.getItem("mode") || "auto";
  root.dataset.mode = mode;
  root.dataset.theme = mode === "auto" ? (dark ? "dark" : "light") : mode;

  // Faces are asked for before the sheets that name them; a file's may not be.
  const faces = JSON.parse(document.currentScript.dataset.faces);
  const remote = location.protocol !== "file:";
  for (const href of remote ? faces : []) {
    const link = document.createElement("link");
    const face = { as: "font", type: "font/woff2", crossOrigin: "" };
    document.head.append(Object.assign(link, { rel: "preload", href }, face));
  }

  // Until its scripts have run, or have failed, a page keeps their room.
  root.dataset.awaits = "scripts";
  document.addEventListener("DOMContentLoaded", () => {
    delete root.dataset.awaits;
  });
}
globalThis.DOCUMENTATION_OPTIONS = {}; // the theme asks for Sphinx's, uses none
