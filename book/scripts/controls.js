// What a reader chooses by, and what says what was chosen.
import { node } from "./charts.js";

// What `label` says is for those who do not see the button.
export function button(name, textContent, onclick, label = "") {
  const looks = { type: "button", name, textContent, onclick };
  return node("button", label ? { ...looks, "aria-label": label } : looks);
}

export const facts = () =>
  node("p", { className: "facts", "aria-live": "polite" });

// Put a control with its name into a form. What a slider stands for is written
// beside it, and said with it; who moves it calls `show`.
export function control(form, name, label, input, say = (value) => value) {
  input.name = name;
  const wrap = node("label", {}, label, input);
  if (input.type === "range") {
    const shown = node("output");
    input.show = () => {
      shown.textContent = say(input.value);
      input.setAttribute("aria-valuetext", shown.textContent);
    };
    input.addEventListener("input", input.show);
    input.show();
    wrap.append(shown);
  }
  form.append(wrap);
  return input;
}

export function range(min, max, step, value) {
  const input = node("input", { type: "range", min, max, step });
  input.value = value;
  return input;
}

export function choice(options, value) {
  const select = node("select");
  for (const [key, text] of options) select.add(new Option(text, key));
  select.value = value;
  return select;
}
