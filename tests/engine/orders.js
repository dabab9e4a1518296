// Runs the explorer of orders under Node for pytest: its data and orders as JSON
// on stdin; least, median and greatest error of each arm and order on stdout.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

globalThis.document = { querySelectorAll: () => [] }; // a page without places
const folder = path.join(__dirname, "../../book/_static");
for (const name of ["charts", "subnetworks"]) {
  const text = fs.readFileSync(path.join(folder, `${name}.js`), "utf8");
  vm.runInThisContext(text, { filename: `${name}.js` });
}

const { page, orders } = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(
  JSON.stringify(
    page.arms.map((arm) =>
      orders.map((order) => preactSubnetworks.errorsOf(arm, order, page)),
    ),
  ),
);
