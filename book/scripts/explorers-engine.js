// The explorers of a page that has an engine of its own, too.
import { Lab } from "./lab.js";
import { EXPLORERS, makeExplorers } from "./places.js";
import { explore } from "./stack.js";
import { places as signal } from "#rooms/signal/explorer.js";
import { places as why } from "#rooms/why/explorer.js";

makeExplorers({
  ...EXPLORERS,
  ...signal,
  "preact-lab": (host) => new Lab(host),
  ...why,
  "preact-stack": explore,
});
