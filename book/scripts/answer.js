// A numeric exercise answered in the page, without a kernel: what is expected and
// how closely comes from the exercise's own checker.
import { node, fill, prose } from "./charts.js";
import { readNumber } from "./typed.js";

// The verdict on what was typed, by the rule of preact.book's `Number`. `lost`:
// nothing is known of the mistake.
export function judge(text, exercise, shown = "") {
  const { cases, unit, sentences, words } = exercise;
  const typed = text.trim().normalize("NFKC");
  const bare = text.trim().replace(/^[~≈]|(?:[%％]|percent)$/gi, "");
  const percent = /(?:%|percent)$/i.test(typed);
  const value = readNumber(bare) / (percent && unit === "share" ? 100 : 1);
  const got = shown || text.trim();
  const verdict = (said, right = false, lost = false) => ({
    ...{ right, lost },
    said: fill(said, { got, ...words }),
  });
  if (!typed) return verdict(sentences ? words.none : words.empty);
  if (!Number.isFinite(value)) return verdict(words.no_number);
  if (percent && !unit) return verdict(words.no_percent);
  const met = cases.find(
    (one) =>
      Math.abs(value - one.value) <= one.margin || one.few.includes(value),
  );
  if (met) return verdict(met.said, met === cases[0]);
  return verdict(words.wrong, false, true);
}

// What stands above a field: the exercise, and its hints in their order.
function above(host) {
  const hints = [];
  let before = host.closest(".cell")?.previousElementSibling;
  while (before?.classList.contains("hint")) {
    hints.unshift(before);
    before = before.previousElementSibling;
  }
  return { exercise: before, hints };
}

// What a hint says, its title first, without what folds it.
const told = (hint) =>
  [...hint.querySelectorAll(":scope > p")].map((part, i) => {
    const copies = [...part.childNodes].map((one) => one.cloneNode(true));
    return i
      ? node("p", {}, ...copies)
      : node("p", {}, node("b", {}, copies[0]));
  });

// Where sentences are to be chosen, each has a box, or a round one if it is one
// alone; together they are the number. On a page the sentences of the exercise stand beside them.
function makeInputs({ cases, sentences, words }, exercise) {
  if (!sentences) {
    const input = node("input", {
      ...{
        type: "text",
        autocomplete: "off",
        autocapitalize: "off",
        size: 12,
      },
    });
    return {
      shown: [node("label", {}, words.label, input)],
      answer: () => ({ text: input.value, shown: "" }),
    };
  }
  const list = exercise?.querySelector("ol");
  list?.classList.add("boxed");
  const type = cases[0].value < 10 ? "radio" : "checkbox";
  const boxes = Array.from({ length: sentences }, (_, i) =>
    node("input", { type, name: "sentence", value: i + 1 }),
  );
  const labels = boxes.map((box, i) => {
    const [item] = list?.children[i]?.cloneNode(true).children ?? [];
    const text = item ? [...item.childNodes] : [];
    return node("label", {}, box, node("span", {}, `(${i + 1}) `, ...text));
  });
  return {
    shown: labels,
    answer: () => {
      const chosen = boxes.filter((box) => box.checked).map((b) => b.value);
      const shown = chosen.map((number) => `(${number})`).join(", ");
      return { text: chosen.join(""), shown };
    },
  };
}

// A first answer that is wrong gets a question, each other one a hint more.
export function makeField(host) {
  const data = JSON.parse(host.dataset.answer);
  const { words } = data;
  const bare = { ...words, hint: "" }; // where one of the page stands below
  const { exercise, hints } = above(host);
  const { shown, answer } = makeInputs(data, exercise);
  const wrong = new Set();
  const verdict = node("div", { className: "verdict", role: "status" });
  const form = node(
    "form",
    { noValidate: true },
    ...shown,
    node("button", { type: "submit", textContent: words.button }),
  );

  // The hint that an answer gets: none before the second that was wrong.
  function hintFor(text) {
    wrong.add(text);
    return hints[Math.min(wrong.size - 1, hints.length) - 1];
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { text, shown } = answer();
    const { right, lost, said } = judge(text, data, shown);
    const hint = lost && hintFor(text.trim());
    const alone = hint
      ? judge(text, { ...data, words: bare }, shown).said
      : "";
    verdict.replaceChildren(
      node("p", {}, ...prose(alone || said)),
      ...(hint ? told(hint) : []),
    );
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
