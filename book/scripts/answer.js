// A numeric exercise answered in the page, without a kernel: what is expected and
// how closely comes from the exercise's own checker.
import { node, fill, prose } from "./charts.js";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const GROUPED = /^[+-]?[1-9]\d{0,2}([, ]\d{3})+(\.\d*)?$/;
const COMMA = /^([+-]?\d+),(\d+)$/; // of decimals
const TENS = /\s*[×*x]\s*10\s*\^?\s*([+-]?\d+)$/i;

// A number as people type it, in full-width digits too, a fraction or a power;
// NaN if it is none.
function read(text) {
  const plain = text
    .normalize("NFKC")
    .replace(/[\u2212\u2013]/g, "-")
    .replace("\u2044", "/")
    .replace("**", "^")
    .replace(TENS, "e$1");
  const [over, under, ...more] = plain.split("/").map(readPower);
  return under === undefined ? over : more.length ? NaN : over / under;
}

function readPower(plain) {
  const [base, power, ...more] = plain.split("^").map(readDigits);
  return power === undefined ? base : more.length ? NaN : base ** power;
}

function readDigits(text) {
  const plain = text.trim();
  const digits = GROUPED.test(plain)
    ? plain.replace(/[, ]/g, "")
    : plain.replace(COMMA, "$1.$2");
  return NUMBER.test(digits) ? Number(digits) : NaN;
}

// The verdict on what was typed, by the rule of preact.book's `number`. Percent
// may be a share or points of percent.
export function judge(text, { expected, rtol, few, words }, shown = "") {
  const typed = text.trim().normalize("NFKC");
  const percent = typed.endsWith("%");
  const value = read(percent ? typed.slice(0, -1) : typed);
  const got = shown || text.trim();
  if (!typed) return { right: false, said: words.empty };
  if (!Number.isFinite(value) || (percent && rtol === 0)) {
    return { right: false, said: fill(words.no_number, { got }) };
  }
  const values = percent ? [value, value / 100] : [value];
  const right = values.some(
    (one) => Math.abs(one - expected) <= rtol * Math.abs(expected),
  );
  const near = values.some((one) =>
    few.some((n) => Number(expected.toPrecision(n)) === one),
  );
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
      answer: () => ({ text: input.value, shown: "" }),
    };
  }
  const boxes = Array.from({ length: sentences }, (_, i) =>
    node("input", { type: "checkbox", value: i + 1 }),
  );
  return {
    shown: boxes.map((box) => node("label", {}, box, `(${box.value})`)),
    answer: () => {
      const chosen = boxes.filter((box) => box.checked).map((b) => b.value);
      const shown = chosen.map((number) => `(${number})`).join(", ");
      return { text: chosen.join("") || "0", shown: shown || "–" };
    },
  };
}

export function makeField(host) {
  const exercise = JSON.parse(host.dataset.answer);
  const { words } = exercise;
  const { shown, answer } = makeInputs(exercise);
  const check = ({ text, shown }) => judge(text, exercise, shown);
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
    const { right, said } = check(answer());
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
