// The explorers of a page that has an engine of its own, too.
import { WITH_ENGINE } from "./computing.js";
import { makeExplorers } from "./places.js";

makeExplorers(WITH_ENGINE);
