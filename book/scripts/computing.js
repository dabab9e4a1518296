// All explorers, those that compute included.
import { EXPLORERS } from "./places.js";
import { places as bugs } from "#rooms/bugs/explorer.js";
import { places as gradient } from "#rooms/gradient/explorer.js";
import { places as signal } from "#rooms/signal/explorer.js";
import { places as why } from "#rooms/why/explorer.js";

export const WITH_ENGINE = {
  ...EXPLORERS,
  ...bugs,
  ...gradient,
  ...signal,
  ...why,
};
