// One formula a line, as JSON: {tex, display} in; {mathml} or {error} out.
const { createInterface } = require("node:readline");
const temml = require("temml");

createInterface({ input: process.stdin }).on("line", (line) => {
  const { tex, display } = JSON.parse(line);
  const settings = { displayMode: display, throwOnError: true };
  let answer;
  try {
    answer = { mathml: temml.renderToString(tex, settings) };
  } catch (error) {
    answer = { error: error.message };
  }
  console.log(JSON.stringify(answer));
});
