// The digits that the race learns, for whoever loads them.
import { digits } from "./engine/digits.js";
import { handOver } from "./load.js";

handOver(digits);
