{
const root = document.documentElement;
if (root.dataset.mode === "auto")
  root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
if (location.protocol !== "file:") for (const face of {{ faces | tojson }}) {
  const link = document.createElement("link");
  Object.assign(link, { rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href: face });
  document.head.append(link);
}
}