// A fully connected residual stack as the engine reads it.
export { choice, control, range } from "./controls.js";

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
