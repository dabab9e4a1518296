// Chapter 04: the reader places one BN and one ReLU.
import { Builder, CHOICES } from "#scripts/builder.js";
import { node } from "#scripts/charts.js";

const PLACES = ["pre", "post", "after"];

// The name of a unit: what stands in pre/post/after. The order counts only
// where both stand in one place.
export function wayOf({ bn, relu, reluFirst }) {
  return PLACES.map((place) => {
    const here = [bn === place && "BN", relu === place && "ReLU"];
    if (reluFirst) here.reverse();
    return here.filter(Boolean).join(" ");
  }).join("/");
}

// The choice that leads to a unit: the inverse of wayOf.
export function choiceOf(way) {
  const places = way.split("/").map((ops) => ops.split(" "));
  const find = (op) => PLACES[places.findIndex((ops) => ops.includes(op))];
  return {
    bn: find("BN"),
    relu: find("ReLU"),
    reluFirst: places.some((ops) => ops.join(" ") === "ReLU BN"),
  };
}

// One BN and one ReLU, three places: a table of places, and an order.
class Places extends Builder {
  makeControls() {
    const { words } = this;
    this.choice = choiceOf(this.start);
    const row = (op) => {
      const radios = PLACES.map((place) =>
        this.radio(
          op,
          place,
          this.choice[op] === place,
          words[op] + words.colon + words[place],
        ),
      );
      return node(
        "tr",
        {},
        node("th", { scope: "row", textContent: words[op] }),
        ...radios.map((radio) => node("td", {}, node("label", {}, radio))),
      );
    };
    const head = PLACES.map((place) =>
      node(
        "th",
        { scope: "col" },
        node("code", { textContent: place }),
        node("br"),
        words[place],
      ),
    );
    this.order = node(
      "p",
      { className: "order" },
      words.order + words.colon,
      ...Object.entries({ bn_first: false, relu_first: true }).map(
        ([name, first]) =>
          node(
            "label",
            {},
            this.radio("order", name, this.choice.reluFirst === first),
            words[name],
          ),
      ),
    );
    this.form = node(
      "fieldset",
      {},
      node("legend", { textContent: words.choose }),
      node(
        "table",
        {},
        node("thead", {}, node("tr", {}, node("td"), ...head)),
        node("tbody", {}, row("bn"), row("relu")),
      ),
      this.order,
    );
    this.form.addEventListener("input", ({ target }) => {
      if (target.name === "order") {
        this.choice.reluFirst = target.value === "relu_first";
      } else {
        this.choice[target.name] = target.value;
      }
      this.show();
    });
  }

  chosen() {
    this.order.hidden = this.choice.bn !== this.choice.relu;
    return wayOf(this.choice);
  }
}

CHOICES.places = Places;
