// A fully connected residual stack as the engine reads it, and the controls by
// which a reader chooses one.
const WEIGHTS = ["conv 1x1", "BN", "ReLU", "conv 1x1"];

const CLASSES = 10;

// Of such units, and as wide inside as outside; `inputs` other than the width, as
// pixels are, pass a linear map first.
export function planOf(
  { spec, stem },
  { units, width, tail, factor = 1, inputs = width },
) {
  const map = inputs === width ? [] : [WEIGHTS[0]];
  return {
    ...spec,
    stem: [...map, ...stem],
    weights: WEIGHTS,
    tail,
    classes: CLASSES,
    inputs,
    width,
    units,
    shortcut: factor,
  };
}

export function control(form, name, label, input) {
  const wrap = document.createElement("label");
  input.name = name;
  wrap.append(label, input);
  if (input.type === "range") {
    const shown = document.createElement("output");
    const show = () => {
      shown.textContent = input.value;
    };
    input.addEventListener("input", show);
    show();
    wrap.append(shown);
  }
  form.append(wrap);
  return input;
}

export function range(min, max, step, value) {
  const input = document.createElement("input");
  Object.assign(input, { type: "range", min, max, step });
  input.value = value;
  return input;
}

export function choice(options, value) {
  const select = document.createElement("select");
  for (const [key, text] of options) select.add(new Option(text, key));
  select.value = value;
  return select;
}
