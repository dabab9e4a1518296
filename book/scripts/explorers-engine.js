// The explorers of a page that has an engine of its own, too.
import { Lab } from "./lab.js";
import { EXPLORERS, makeExplorers } from "./places.js";
import { Race } from "./race.js";
import { explore } from "./stack.js";
import { places as signal } from "#rooms/signal/explorer.js";

makeExplorers({
  ...EXPLORERS,
  ...signal,
  "preact-lab": (host) => new Lab(host),
  "preact-race": (host) => new Race(host),
  "preact-stack": explore,
});
