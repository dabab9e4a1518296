// What a page loads when it is asked for stands in a notebook's bundle.
import { digits } from "./engine/digits.js";

export const loadBundle = async () => digits;
