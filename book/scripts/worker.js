// A worker is made from its text, which the build bundles: a page that is opened
// as a file may not load one.
import engine from "./engine/worker.js?text";

export function makeWorker() {
  const blob = new Blob([engine], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(blob));
}
