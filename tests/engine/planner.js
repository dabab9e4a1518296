// Runs the planner's sums under Node for pytest: its data and questions as JSON on
// stdin, gigabytes on stdout.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

globalThis.document = { querySelectorAll: () => [] }; // a page without places
const folder = path.join(__dirname, "../../book/_static");
for (const name of ["charts", "planner"]) {
  const text = fs.readFileSync(path.join(folder, `${name}.js`), "utf8");
  vm.runInThisContext(text, { filename: `${name}.js` });
}

const { data, questions } = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(questions.map(({ way, n, batch, width }) =>
  preactPlanner.gigabytes(data, way, n, batch, width))));
