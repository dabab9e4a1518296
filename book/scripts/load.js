// What a page needs only at times is a script that hands over data: a page that
// is opened as a file may load nothing else.
/** @type {any} */
const bundle = globalThis.document?.currentScript;
const own = bundle?.src;

// Load such a script, named as seen from the page; return what it hands over.
export function load(address) {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.addEventListener("data", (event) =>
      done(/** @type {CustomEvent} */ (event).detail),
    );
    Object.assign(script, { src: address, onerror: failed });
    document.head.append(script);
  });
}

// The same for a bundle of ours, which stands beside the one that asks.
export const loadBundle = (name) => load(new URL(name, own).href);

export function handOver(data) {
  const event = new CustomEvent("data", { detail: data });
  document.currentScript.dispatchEvent(event);
}
