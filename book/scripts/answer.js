// A numeric exercise answered in the page, without a kernel: what is expected and
// how closely comes from the exercise's own checker.
import { node, fill, prose } from "./charts.js";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const GROUPED = /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/;

// A number as people type it, in full-width digits too, a fraction or a power;
// NaN if it is none.
function read(text) {
  const plain = text
    .normalize("NFKC")
    .replaceAll("\u2212", "-")
    .replace("\u2044", "/")
    .replace("**", "^");
  const [over, under, ...more] = plain.split("/").map(readPower);
  return under === undefined ? over : more.length ? NaN : over / under;
}

function readPower(plain) {
  const [base, power, ...more] = plain.split("^").map(readDigits);
  return power === undefined ? base : more.length ? NaN : base ** power;
}

function readDigits(text) {
  const plain = text.trim();
  const digits = GROUPED.test(plain) ? plain.replaceAll(",", "") : plain;
  return NUMBER.test(digits) ? Number(digits) : NaN;
}

// The verdict on what was typed, by the rule of preact.book's `number`.
export function judge(text, { expected, rtol, few, words }) {
  const got = text.trim(),
    value = read(text);
  if (!got) return { right: false, said: words.empty };
  if (!Number.isFinite(value)) {
    return { right: false, said: fill(words.no_number, { got }) };
  }
  const right = Math.abs(value - expected) <= rtol * Math.abs(expected);
  const near = few.some((n) => Number(expected.toPrecision(n)) === value);
  const said = right ? words.right : near ? words.close : words.wrong;
  return { right, said: fill(said, { got, ...words }) };
}

// Where sentences are to be chosen, each has a box; together they are the number.
function makeInputs({ sentences, words }) {
  if (!sentences) {
    const input = node("input", {
      ...{ type: "text", inputMode: "decimal", autocomplete: "off", size: 12 },
    });
    return {
      shown: [node("label", {}, words.label, input)],
      answer: () => input.value,
    };
  }
  const boxes = Array.from({ length: sentences }, (_, i) =>
    node("input", { type: "checkbox", value: i + 1 }),
  );
  return {
    shown: boxes.map((box) => node("label", {}, box, `(${box.value})`)),
    answer: () =>
      boxes
        .filter((box) => box.checked)
        .map((box) => box.value)
        .join("") || "0",
  };
}

export function makeField(host) {
  const exercise = JSON.parse(host.dataset.answer);
  const { words } = exercise;
  const { shown, answer } = makeInputs(exercise);
  const verdict = node("p", { className: "verdict" });
  verdict.setAttribute("role", "status");
  const form = node(
    "form",
    { noValidate: true },
    ...shown,
    " ",
    node("button", { type: "submit", textContent: words.button }),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { right, said } = judge(answer(), exercise);
    verdict.replaceChildren(...prose(said));
    host.dataset.state = right ? "right" : "wrong";
  });
  form.addEventListener("input", () => {
    verdict.textContent = "";
    delete host.dataset.state;
  });
  host.setAttribute("role", "group");
  host.setAttribute("aria-label", words.title);
  host.replaceChildren(form, verdict);
  host.dataset.live = "true";
}
