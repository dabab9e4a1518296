// A number as people type it: 1,024, 1 024, 0,5, 7.04 × 10⁴, 1/3, 2^0.5, √2,
// log(0.5)/log(0.9); in full-width digits, too. Before an exponent a comma stands
// before decimals, as in 3,125e-2: nobody groups digits there.
const DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const RAISED = /[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g;
const NUMBER = [
  /[1-9]\d{0,2}(?:[, ]\d{3})+(?![\d,]|e[+-]?\d)(?:\.\d*)?/, // grouped
  /\d+,\d+(?![\d,])(?:e[+-]?\d+)?/, // a comma before the decimals
  /(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/,
].map(({ source }) => source);
const TOKEN = new RegExp(`${NUMBER.join("|")}|[a-z]+|\\S`, "gi");
const FUNCTIONS = new Map([
  ["sqrt", Math.sqrt],
  ["√", Math.sqrt],
  ["exp", Math.exp],
  ["log", Math.log],
  ["ln", Math.log],
]);
const CONSTANTS = new Map([
  ["e", Math.E],
  ["pi", Math.PI],
  ["π", Math.PI],
]);

// NFKC would make a raised digit one like the others.
const lowered = (power) =>
  "^" +
  [...power]
    .map((sign) => ({ "⁺": "+", "⁻": "-" })[sign] ?? DIGITS.indexOf(sign))
    .join("");

function tokensOf(text) {
  const plain = text
    .replace(RAISED, lowered)
    .normalize("NFKC")
    .replace(/[\u2212\u2013]/g, "-")
    .replace(/[\u2044÷]/g, "/")
    .replace(/[×·]| x /g, "*")
    .replace(/\*\*/g, "^");
  return (plain.match(TOKEN) ?? []).map((token) => token.toLowerCase());
}

function numberOf(token) {
  const [grouped, decimals] = NUMBER.map((form) => RegExp(`^${form}$`));
  if (grouped.test(token)) return Number(token.replace(/[, ]/g, ""));
  if (decimals.test(token)) return Number(token.replace(",", "."));
  return /^[\d.]/.test(token) ? Number(token) : NaN;
}

// NaN if it is none.
export function readNumber(text) {
  const tokens = tokensOf(text);
  const take = (...wanted) => wanted.includes(tokens[0]) && tokens.shift();

  function sum() {
    let value = product();
    for (;;) {
      if (take("+")) value += product();
      else if (take("-")) value -= product();
      else return value;
    }
  }
  function product() {
    let value = signed();
    for (;;) {
      if (take("*")) value *= signed();
      else if (take("/")) value /= signed();
      else if (/^[a-zπ√(]/.test(tokens[0] ?? ""))
        value *= signed(); // 2√2
      else return value;
    }
  }
  function signed() {
    if (take("-")) return -signed();
    if (take("+")) return signed();
    const base = atom();
    return take("^") ? base ** signed() : base;
  }
  function atom() {
    if (take("(")) {
      const value = sum();
      return take(")") ? value : NaN;
    }
    const token = tokens.shift() ?? "";
    if (FUNCTIONS.has(token)) return FUNCTIONS.get(token)(atom());
    return CONSTANTS.get(token) ?? numberOf(token);
  }

  const value = sum();
  return tokens.length ? NaN : value;
}
