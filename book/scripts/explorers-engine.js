// The explorers of a page that has an engine of its own, too.
import { EXPLORERS, makeExplorers } from "./places.js";
import { places as bugs } from "#rooms/bugs/explorer.js";
import { places as gradient } from "#rooms/gradient/explorer.js";
import { places as signal } from "#rooms/signal/explorer.js";
import { places as why } from "#rooms/why/explorer.js";

makeExplorers({
  ...EXPLORERS,
  ...bugs,
  ...gradient,
  ...signal,
  ...why,
});
