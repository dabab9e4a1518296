// All explorers, those that compute included.
import { Growth } from "./growth.js";
import { Lab } from "./lab.js";
import { EXPLORERS } from "./places.js";
import { Race } from "./race.js";
import { explore } from "./stack.js";

export const WITH_ENGINE = {
  ...EXPLORERS,
  "preact-growth": (host) => new Growth(host),
  "preact-lab": (host) => new Lab(host),
  "preact-race": (host) => new Race(host),
  "preact-stack": explore,
};
