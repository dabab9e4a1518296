// Bundles the book's scripts into a folder, each as one classic script: a page
// that is opened as a file loads no modules.
//
//     node book/scripts/build.js FOLDER
//
// For notebooks, the explorers as one ES module with its sheet, which the
// package brings along:
//
//     node book/scripts/build.js --widget FOLDER
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
  target: ["es2022", "chrome111", "firefox113", "safari16.4"],
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

// What is loaded later on a page stands in the module of a notebook.
const inside = {
  name: "loaded at once",
  setup({ onResolve }) {
    onResolve({ filter: /^(?:\.|#scripts)\/load\.js$/ }, () => ({
      path: `${import.meta.dirname}/load-inside.js`,
    }));
  },
};

const [first, folder] = process.argv.slice(2);
const isWidget = first === "--widget";
const made = isWidget ? ["widget"] : BUNDLES;
await build({
  ...options,
  ...(isWidget ? { format: "esm" } : {}),
  entryPoints: made.map((name) => `${import.meta.dirname}/${name}.js`),
  outdir: isWidget ? folder : first,
  plugins: isWidget ? [bundled, inside] : [bundled],
});
