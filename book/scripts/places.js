// The explorers by the class of their place on a page.
import { keepInAddress } from "./address.js";
import { makeField } from "./answer.js";
import { Prediction } from "./predict.js";
import { Ranked } from "./ranking.js";
import { places as paths } from "#rooms/paths/explorer.js";
import { places as runs } from "#rooms/runs/explorer.js";
import { places as training } from "#rooms/training/explorer.js";
import { places as units } from "#rooms/units/explorer.js";

export const EXPLORERS = {
  "preact-answer": makeField,
  "preact-predict": (host) => new Prediction(host),
  "preact-ranking": (host) => new Ranked(host),
  ...paths,
  ...runs,
  ...training,
  ...units,
};

// Make them, each in its place, and then show what the address says.
export function makeExplorers(explorers) {
  for (const [place, make] of Object.entries(explorers)) {
    for (const host of document.querySelectorAll(`.${place}`)) {
      try {
        make(host);
      } catch (error) {
        reportError(error); // the others work
      }
    }
  }
  keepInAddress();
}
