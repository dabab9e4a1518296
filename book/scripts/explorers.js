// The explorers of a page, each in its place, and then what its address says.
import { keepInAddress } from "./address.js";
import { makeField } from "./answer.js";
import { makeBuilder } from "./builder.js";
import { Planner as Costs } from "./costs.js";
import { Cover } from "./cover.js";
import { Growth } from "./growth.js";
import { Lab } from "./lab.js";
import { Ledger } from "./ledger.js";
import { Planner } from "./planner.js";
import { Prediction } from "./predict.js";
import { Race } from "./race.js";
import { Runs } from "./runs.js";
import { explore } from "./stack.js";
import { Subnetworks } from "./subnetworks.js";
import { Table1 } from "./table1.js";

const EXPLORERS = {
  "preact-answer": makeField,
  "preact-builder": makeBuilder,
  "preact-costs": (host) => new Costs(host),
  "preact-cover": (host) => new Cover(host),
  "preact-growth": (host) => new Growth(host),
  "preact-lab": (host) => new Lab(host),
  "preact-ledger-filter": (host) => new Ledger(host),
  "preact-planner": (host) => new Planner(host),
  "preact-predict": (host) => new Prediction(host),
  "preact-race": (host) => new Race(host),
  "preact-ranking": (host) => new Table1(host),
  "preact-runs": (host) => new Runs(host),
  "preact-stack": explore,
  "preact-subnetworks": (host) => new Subnetworks(host),
};

for (const [place, make] of Object.entries(EXPLORERS)) {
  for (const host of document.querySelectorAll(`.${place}`)) {
    try {
      make(host);
    } catch (error) {
      reportError(error); // the others work
    }
  }
}
keepInAddress();
