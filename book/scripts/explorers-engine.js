// The explorers of a page that has an engine of its own, too.
import { Lab } from "./lab.js";
import { EXPLORERS, makeExplorers } from "./places.js";
import { places as gradient } from "#rooms/gradient/explorer.js";
import { places as signal } from "#rooms/signal/explorer.js";
import { places as why } from "#rooms/why/explorer.js";

makeExplorers({
  ...EXPLORERS,
  ...gradient,
  ...signal,
  ...why,
  "preact-lab": (host) => new Lab(host),
});
