// Runs the page's engine under Node for pytest: a question as JSON on stdin,
// the answer as JSON on stdout. The same answers are asked of the page in
// tests/site/test_training.py.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const folder = path.join(__dirname, "../../book/_static/engine");
for (const name of ["digits", "network", "training"]) {
  const text = fs.readFileSync(path.join(folder, `${name}.js`), "utf8");
  vm.runInThisContext(text, { filename: `${name}.js` });
}
vm.runInThisContext(
  fs.readFileSync(path.join(__dirname, "answers.js"), "utf8"),
);

const { action, ...question } = JSON.parse(fs.readFileSync(0, "utf8"));
Promise.resolve(engineAnswers[action](question)).then((answer) =>
  process.stdout.write(JSON.stringify(answer)),
);
