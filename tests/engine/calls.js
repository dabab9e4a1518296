// Calls one function of a page's script under Node for pytest. Arguments:
// the script, the object that it defines, the function; lists of the function's
// arguments as JSON on stdin, their answers as JSON on stdout.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const [script, name, method] = process.argv.slice(2);
globalThis.document = { querySelectorAll: () => [] }; // a page without places
const folder = path.join(__dirname, "../../book/_static");
for (const file of ["charts", "depth", script]) {
  const text = fs.readFileSync(path.join(folder, `${file}.js`), "utf8");
  vm.runInThisContext(text, { filename: `${file}.js` });
}

const called = vm.runInThisContext(name);
const calls = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(
  JSON.stringify(calls.map((values) => called[method](...values))),
);
