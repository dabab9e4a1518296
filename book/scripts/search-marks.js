// A page that a search result opened: the words that were found are marked in
// its section, until the reader clicks somewhere or presses Escape.
const SECTION = "section[id]:not([id$=-content]), .exercise, .claim-entry";
const OTHER = "svg, script, style, button, textarea, .math, .headerlink";

// Any of the words, the longest first; a word of letters is no part of another.
function anyOf(words) {
  const sources = words
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .map((text) => (/^\w/.test(text) ? `(?<![\\p{L}\\p{N}])${text}` : text))
    .map((text) => (/\w$/.test(text) ? `${text}(?![\\p{L}\\p{N}])` : text));
  return new RegExp(sources.join("|"), "giu");
}

export function markFound() {
  const query = new URLSearchParams(location.search);
  const asked = query.getAll("mark").filter(Boolean);
  const id = decodeURIComponent(location.hash.slice(1));
  const section = document.getElementById(id)?.closest(SECTION);
  if (!asked.length || !section || !CSS.highlights) return;
  const found = new Highlight();
  const walker = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = /** @type {Text} */ (walker.currentNode);
    const parent = text.parentElement;
    if (parent.closest(SECTION) !== section || parent.closest(OTHER)) continue;
    for (const { index, 0: word } of text.data.matchAll(anyOf(asked))) {
      const [start, end] = [index, index + word.length];
      found.add(
        new StaticRange({
          ...{ startContainer: text, startOffset: start },
          ...{ endContainer: text, endOffset: end },
        }),
      );
    }
  }
  CSS.highlights.set("search", found);
  addEventListener("click", () => found.clear());
  addEventListener("keydown", ({ key }) => key === "Escape" && found.clear());
}
