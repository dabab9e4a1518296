// The explorers of a page that computes nothing itself.
import { EXPLORERS, makeExplorers } from "./places.js";

makeExplorers(EXPLORERS);
