// The explorers of a page that has an engine of its own, too.
import { Growth } from "./growth.js";
import { Lab } from "./lab.js";
import { EXPLORERS, makeExplorers } from "./places.js";
import { explore } from "./stack.js";
import { places as why } from "#rooms/why/explorer.js";

makeExplorers({
  ...EXPLORERS,
  "preact-growth": (host) => new Growth(host),
  "preact-lab": (host) => new Lab(host),
  ...why,
  "preact-stack": explore,
});
