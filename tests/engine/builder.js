// Runs the unit builder's own logic under Node for pytest: choices as JSON on
// stdin, the unit each one names on stdout, and that unit's choice named again.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

globalThis.document = { querySelectorAll: () => [] }; // a page without places
const folder = path.join(__dirname, "../../book/_static");
for (const name of ["charts", "builder"]) {
  const text = fs.readFileSync(path.join(folder, `${name}.js`), "utf8");
  vm.runInThisContext(text, { filename: `${name}.js` });
}

const { wayOf, choiceOf } = preactBuilder;
const answers = JSON.parse(fs.readFileSync(0, "utf8")).map((choice) =>
  ({ way: wayOf(choice), again: wayOf(choiceOf(wayOf(choice))) }));
process.stdout.write(JSON.stringify(answers));
