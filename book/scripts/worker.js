// A worker is made from its text, which the build bundles: a page that is opened
// as a file may not load one. In a notebook the kernel may do the work.
import engine from "./engine/worker.js?text";

export function makeWorker(host) {
  if (host.kernel) return host.kernel();
  const blob = new Blob([engine], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(blob));
}
