// Runs the arithmetic of predictions under Node for pytest: axes as JSON on
// stdin; on stdout each axis's marks, their values, and their places again.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

globalThis.document = { querySelectorAll: () => [] }; // a page without places
const folder = path.join(__dirname, "../../book/_static");
for (const name of ["charts", "predict"]) {
  const text = fs.readFileSync(path.join(folder, `${name}.js`), "utf8");
  vm.runInThisContext(text, { filename: `${name}.js` });
}

const { numberText } = preactCharts,
  { scale } = preactPredict;
const answers = JSON.parse(fs.readFileSync(0, "utf8")).map(
  ({ limits, log }) => {
    const axis = scale(limits, log);
    const values = axis.marks.map((mark) => axis.value(mark));
    return {
      values,
      texts: values.map((v) => numberText(v)),
      marks: axis.marks,
      places: values.map((value) => axis.place(value)),
    };
  },
);
process.stdout.write(JSON.stringify(answers));
