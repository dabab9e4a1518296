import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["_build/", ".venv/", "docs/", "src/preact/book/widget.js"] },
  js.configs.recommended,
  {
    files: [
      "book/scripts/**",
      "src/preact/book/**",
      "book/site/templates/*.js",
    ],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ["tests/site/rules.js"], // a page evaluates it and calls `broken`
    languageOptions: { globals: globals.browser },
    rules: { "no-unused-vars": ["error", { varsIgnorePattern: "^broken$" }] },
  },
  {
    files: ["book/scripts/engine/worker.js"],
    languageOptions: { globals: globals.worker },
  },
  {
    files: [
      "book/scripts/{assets,build}.js",
      "tests/engine/**",
      "book/site/*.cjs",
    ],
    languageOptions: { globals: globals.node },
  },
];
