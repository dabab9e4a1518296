// What all pages share.
import "./language.js";
import "./menus.js";
import "./reach.js";
import "./search.js";
import { offerCards } from "./cards.js";
import { offerParallel } from "./parallel.js";
import { markFound } from "./search-marks.js";

offerCards();
offerParallel();
markFound();
