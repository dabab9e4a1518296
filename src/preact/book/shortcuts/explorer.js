// Chapter 05: the reader chooses a shortcut and a placement for a unit.
import { Builder, CHOICES } from "#scripts/builder.js";
import { node } from "#scripts/charts.js";

// One choice from each list: the unit's name is the choices, joined.
class Lists extends Builder {
  makeControls() {
    const { words, options } = this;
    const first = this.start.split("/");
    const lists = Object.entries(options).map(([name, list], i) =>
      node(
        "p",
        { className: "list" },
        node("span", {}, words[name]),
        ...list.map(([value, text]) =>
          node("label", {}, this.radio(name, value, value === first[i]), text),
        ),
      ),
    );
    this.form = node(
      "fieldset",
      {},
      node("legend", { textContent: words.choose }),
      ...lists,
    );
    this.form.addEventListener("input", () => this.show());
  }

  chosen() {
    return Object.keys(this.options)
      .map((name) => this.form.querySelector(`[name=${name}]:checked`).value)
      .join("/");
  }
}

CHOICES.lists = Lists;
