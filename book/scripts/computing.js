// All explorers, those that compute included.
import { EXPLORERS } from "./places.js";
import { places as bugs } from "#rooms/bugs/explorer.js";
import { places as playground } from "#rooms/playground/explorer.js";
import { places as signal } from "#rooms/signal/explorer.js";

export const WITH_ENGINE = {
  ...EXPLORERS,
  ...bugs,
  ...playground,
  ...signal,
};
