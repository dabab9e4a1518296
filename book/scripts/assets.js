// What all pages of an edition load: one sheet and one script. The sheet holds
// of the theme's rules, and the extensions', those that a page uses, and then the
// book's; the script joins what runs on every page.
//
//     node book/scripts/assets.js BUILT FINISHED
//
// BUILT is the folder that Sphinx wrote, FINISHED that of the finished pages.
import { build, transform } from "esbuild";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { PurgeCSS } from "purgecss";

const [built, finished] = process.argv.slice(2);
const statics = `${built}/_static`;
const root = new URL("../..", import.meta.url).pathname;
const hashed = (await readdir(statics)).find((name) => /^mystnb/.test(name));
const rooms = (await readdir(`${root}src/preact/book`, { recursive: true }))
  .filter((name) => name.endsWith("/explorer.css"))
  .sort();

const THEIRS = [
  "styles/theme.css",
  "styles/pydata-sphinx-theme.css",
  "pygments.css",
  "styles/sphinx-book-theme.css",
  "togglebutton.css",
  "copybutton.css",
  hashed,
  "exercise.css",
  "sphinx-design.min.css",
];
const OURS = [
  "api",
  "sheets/page",
  "sheets/chinese",
  "sheets/cover",
  "sheets/cells",
  "sheets/cards",
  "sheets/figures",
  "sheets/tables",
  "sheets/explorers",
  "sheets/claims",
  "sheets/search",
  "sheets/parallel",
];
const LAST = ["sheets/awaiting", "sheets/print", "fonts", "math"];
// What a cell holds would be asked again at each move of an explorer.
const OF_CELLS = /[^{}]*cell[^{}]*:has\([^{}]*\{[^{}]*\}/g;
const SCRIPTS = [
  "clipboard.min.js",
  "copybutton.js",
  "design-tabs.js",
  "scripts/sphinx-book-theme.js",
  "togglebutton.js",
  "page.js",
  "scripts/pydata-sphinx-theme.js",
];

// Sheets as one, with rules that are nested unfolded.
async function join(paths) {
  const { outputFiles } = await build({
    stdin: {
      contents: paths.map((path) => `@import "${path}";`).join("\n"),
      loader: "css",
      resolveDir: statics,
    },
    bundle: true,
    charset: "utf8",
    external: ["*.woff2", "*.ttf", "*.png"], // as seen from `styles`
    logLevel: "error",
    minify: true,
    target: ["chrome111", "firefox113", "safari16.4"],
    write: false,
  });
  return outputFiles[0].text;
}

async function writeSheet() {
  const theirs = await join(THEIRS.map((name) => `./${name}`));
  const ours = await join([
    ...OURS.map((name) => `${root}book/_static/${name}.css`),
    ...rooms.map((name) => `${root}src/preact/book/${name}`),
    ...LAST.map((name) => `${root}book/_static/${name}.css`),
  ]);
  const [{ css }] = await new PurgeCSS().purge({
    content: [`${finished}/**/*.html`, `${finished}/_static/*.js`],
    css: [{ raw: theirs.replace(OF_CELLS, "") }],
    dynamicAttributes: theirs.match(/(?<=\[)[\w-]+/g), // scripts set some
    keyframes: true,
    safelist: { variables: ours.match(/--[\w-]+/g) },
    variables: true,
  });
  await mkdir(`${finished}/_static/styles`, { recursive: true });
  await writeFile(`${finished}/_static/styles/book.css`, css + ours);
}

// Joined, not bundled: to a module these scripts would not be what they are.
async function writeScript() {
  const texts = SCRIPTS.map((name) => readFile(`${statics}/${name}`, "utf8"));
  const joined = (await Promise.all(texts)).join("\n;");
  const { code } = await transform(joined, { charset: "utf8", minify: true });
  await writeFile(`${finished}/_static/book.js`, code);
}

await writeScript(); // what it sets, the sheet has
await writeSheet();
