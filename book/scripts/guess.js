// A guess, kept in this browser only; what was measured is shown when the reader
// has committed to it.
import { node, prose } from "./charts.js";
import { button } from "./controls.js";
import { Explorer } from "./explorer.js";
import { remembered } from "./remembered.js";

/** @type {any} */
export const Guess = class extends Explorer {
  // The form of `inputs`, by which the reader guesses; `key` is the guess's in the
  // browser. `guess()` is null before there is one; `take` chooses one that was kept,
  // and says whether it can be.
  ask(key, title, ...inputs) {
    const { words } = this;
    this.key = key;
    this.button = button("commit", "", () => this.commit());
    this.note = node("span", { className: "note", textContent: words.kept });
    this.verdict = node("p", { className: "verdict", role: "status" });
    this.form = node(
      "fieldset",
      {},
      node("legend", {}, ...prose(title)),
      ...inputs,
      node("p", {}, this.button, " ", this.note),
      this.verdict,
    );
    this.form.addEventListener("input", () => this.show());
    this.committed = this.take(remembered(key));
  }

  // A radio for each label, by its key.
  radios(labels) {
    const name = `guess-${this.name}`;
    const inputs = Object.keys(labels).map((value) =>
      node("input", { type: "radio", name, value, "data-own": "" }),
    );
    this.guess = () => inputs.find(({ checked }) => checked)?.value ?? null;
    this.take = (kept) => {
      const chosen = inputs.find(({ value }) => value === String(kept));
      if (chosen) chosen.checked = true;
      return Boolean(chosen);
    };
    return inputs.map((input) =>
      node("label", {}, input, labels[input.value]),
    );
  }

  commit() {
    this.committed = !this.committed;
    remembered(this.key, this.committed ? this.guess() : null);
    this.show();
  }

  show() {
    const { words, committed, form } = this;
    for (const input of form.querySelectorAll("input")) {
      input.disabled = committed;
    }
    this.button.textContent = committed ? words.again : words.commit;
    this.button.disabled = this.guess() === null;
    this.note.hidden = !committed;
    this.verdict.textContent = "";
    this.host.dataset.state = committed ? "committed" : "open";
  }
};
