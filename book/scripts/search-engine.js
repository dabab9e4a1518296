// What ranks the sections, for the search box that loads it.
import { handOver } from "./load.js";
import { find, places, read, snippet } from "./search-rank.js";

handOver({ find, places, read, snippet });
