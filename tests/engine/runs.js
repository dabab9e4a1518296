// Runs the explorer of recorded runs under Node for pytest: runs and queries as
// JSON on stdin; how many runs and groups each query finds on stdout.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

globalThis.document = { querySelectorAll: () => [] }; // a page without places
const folder = path.join(__dirname, "../../book/_static");
for (const name of ["charts", "runs"]) {
  const text = fs.readFileSync(path.join(folder, `${name}.js`), "utf8");
  vm.runInThisContext(text, { filename: `${name}.js` });
}

const { matching, groupsOf } = preactRuns;
const { runs, queries } = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(
  JSON.stringify(
    queries.map((query) => {
      const found = matching(runs, query);
      return { count: found.length, groups: groupsOf(found).length };
    }),
  ),
);
