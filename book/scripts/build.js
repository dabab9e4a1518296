// Bundles the book's scripts into a folder, each as one classic script: a page
// that is opened as a file loads no modules.
//
//     node book/scripts/build.js FOLDER
import { build } from "esbuild";

const BUNDLES = [
  "page",
  "explorers",
  "explorers-engine",
  "search-engine",
  "digits",
];
const options = {
  bundle: true,
  charset: "utf8",
  format: "iife",
  legalComments: "none",
  minify: true,
  target: "es2022",
};

// `import text from "./a.js?text"`: a bundle as text, to make a worker of.
const bundled = {
  name: "bundled text",
  setup({ onResolve, onLoad, esbuild }) {
    onResolve({ filter: /\?text$/ }, ({ path, resolveDir }) => ({
      path: new URL(path, `file://${resolveDir}/`).pathname,
      namespace: "text",
    }));
    onLoad({ filter: /./, namespace: "text" }, async ({ path }) => {
      const made = await esbuild.build({
        ...options,
        entryPoints: [path],
        write: false,
      });
      return { contents: made.outputFiles[0].text, loader: "text" };
    });
  },
};

await build({
  ...options,
  entryPoints: BUNDLES.map((name) => `${import.meta.dirname}/${name}.js`),
  outdir: process.argv[2],
  plugins: [bundled],
});
